# The queues of marker/queue/list.h, by identifier: TD_QUEUES are all of them, TD_QUEUES_LOCK_FREE
# those that tests/model checks, TD_QUEUES_EXTRA those that the single-file edition has on demand.
# TD_QUEUE_NAME_identifier is what users call the queue.
set(TD_QUEUE_LIST ${PROJECT_SOURCE_DIR}/marker/queue/list.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TD_QUEUE_LIST})
file(READ ${TD_QUEUE_LIST} text)
string(REGEX MATCHALL "X\\([a-z_]+, \"[a-z-]+\", [A-Z_]+, [A-Z]+, [A-Z]+" entries "${text}")
foreach(entry IN LISTS entries)
  string(REGEX MATCH "X\\(([a-z_]+), \"([a-z-]+)\", ([A-Z_]+), [A-Z]+, ([A-Z]+)" whole "${entry}")
  list(APPEND TD_QUEUES ${CMAKE_MATCH_1})
  set(TD_QUEUE_NAME_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
  if(CMAKE_MATCH_3 STREQUAL "LOCK_FREE")
    list(APPEND TD_QUEUES_LOCK_FREE ${CMAKE_MATCH_1})
  endif()
  if(CMAKE_MATCH_4 STREQUAL "EXTRA")
    list(APPEND TD_QUEUES_EXTRA ${CMAKE_MATCH_1})
  endif()
endforeach()
if(NOT TD_QUEUES_LOCK_FREE)
  message(FATAL_ERROR "No queue was found in ${TD_QUEUE_LIST}")
endif()

# The target is compiled around one queue.
function(td_for_queue target queue)
  target_compile_definitions(${target} PRIVATE TD_QUEUE=${queue}
    TD_QUEUE_HEADER="marker/queue/${queue}.h")
endfunction()
