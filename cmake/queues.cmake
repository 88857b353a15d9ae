# SPDX-License-Identifier: MIT
# The queues, by identifier: TD_QUEUES are the library's (marker/queue/list.h), TD_RIVALS the program's
# others (bench/rivals/list.h); those of …_LOCK_FREE tests/model checks. TD_QUEUE_NAME_identifier is what
# users call the queue, TD_QUEUE_HEADER_identifier its file.
function(td_read_queues queues folder macro)
  set(list ${PROJECT_SOURCE_DIR}/${folder}/list.h)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(READ ${list} text)
  string(REGEX MATCHALL "${macro}\\([a-z_]+, \"[a-z-]+\", [A-Z_]+" entries "${text}")
  foreach(entry IN LISTS entries)
    string(REGEX MATCH "\\(([a-z_]+), \"([a-z-]+)\", ([A-Z_]+)" whole "${entry}")
    set(queue ${CMAKE_MATCH_1})
    list(APPEND found ${queue})
    set(TD_QUEUE_NAME_${queue} ${CMAKE_MATCH_2} PARENT_SCOPE)
    set(TD_QUEUE_HEADER_${queue} ${folder}/${queue}.h PARENT_SCOPE)
    if(CMAKE_MATCH_3 STREQUAL "LOCK_FREE")
      list(APPEND lock_free ${queue})
    endif()
  endforeach()
  if(NOT lock_free)
    message(FATAL_ERROR "No queue was found in ${list}")
  endif()
  set(${queues} ${found} PARENT_SCOPE)
  set(${queues}_LOCK_FREE ${lock_free} PARENT_SCOPE)
endfunction()
td_read_queues(TD_QUEUES marker/queue X)
td_read_queues(TD_RIVALS bench/rivals RIVAL)

# TD_LEFT_OUT are the queues whose engines the library has not.
foreach(queue IN LISTS TD_QUEUES)
  list(APPEND td_engines ${TD_QUEUE_NAME_${queue}})
endforeach()
set(TIDE_ENGINES "${td_engines}" CACHE STRING "The marking engines of the library")
string(REPLACE "," ";" td_wanted "${TIDE_ENGINES}")
foreach(engine IN LISTS td_wanted)
  if(NOT engine IN_LIST td_engines)
    list(JOIN td_engines ", " td_engines)
    message(FATAL_ERROR "TIDE_ENGINES: the library has no engine '${engine}'; there are: ${td_engines}")
  endif()
endforeach()
if(NOT td_wanted)
  message(FATAL_ERROR "TIDE_ENGINES: the library needs an engine")
endif()
foreach(queue IN LISTS TD_QUEUES)
  if(NOT TD_QUEUE_NAME_${queue} IN_LIST td_wanted)
    list(APPEND TD_LEFT_OUT ${queue})
  endif()
endforeach()
if(TD_LEFT_OUT AND TIDE_TESTS)
  message(FATAL_ERROR "TIDE_ENGINES: the tests need all engines; say -DTIDE_TESTS=OFF")
endif()

# The target is compiled around one queue.
function(td_for_queue target queue)
  target_compile_definitions(${target} PRIVATE TD_QUEUE=${queue}
    TD_QUEUE_HEADER="${TD_QUEUE_HEADER_${queue}}")
endfunction()

# What leaves out the engines of these queues, as definitions.
function(td_without_engines result)
  set(definitions ${ARGN})
  list(TRANSFORM definitions TOUPPER)
  list(TRANSFORM definitions PREPEND TIDE_WITHOUT_)
  set(${result} ${definitions} PARENT_SCOPE)
endfunction()

# The loops of the engines differ in their queue only; where the compiler happens to place them
# must not decide between them. They have no use for vector registers, and a structure copied
# through one right after its members were stored waits for the stores. With -g1, which tells
# functions and lines, they take two thirds of the time to compile that they take with -g.
include(CheckCCompilerFlag)
check_c_compiler_flag(-mgeneral-regs-only TIDE_HAVE_GENERAL_REGS_ONLY)
set(TD_ENGINE_OPTIONS "-falign-functions=64;-falign-loops=32;$<$<C_COMPILER_ID:GNU>:-falign-jumps=32>;$<$<CONFIG:Release>:-g1>;$<$<BOOL:${TIDE_HAVE_GENERAL_REGS_ONLY}>:-mgeneral-regs-only>")
