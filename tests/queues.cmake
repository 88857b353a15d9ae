# SPDX-License-Identifier: MIT
# The tests of queues, for tests/unit/marker, tests/stress and tests/model with the library's queues and
# for tests/rivals with the others.

# td_queue_tests(RESULT QUEUE…): the objects of the contract's unit tests, which are compiled once for
# each queue.
function(td_queue_tests result)
  set(objects "")
  if(NOT TIDE_SANITIZE STREQUAL "thread")
    foreach(queue IN LISTS ARGN)
      add_library(unit_queue_${queue} OBJECT ${PROJECT_SOURCE_DIR}/tests/unit/marker/queue.c)
      target_link_libraries(unit_queue_${queue} PRIVATE tidemark_flags td_criterion)
      target_compile_options(unit_queue_${queue} PRIVATE $<$<CONFIG:Release>:-O0;-g1>)
      td_for_queue(unit_queue_${queue} ${queue})
      list(APPEND objects $<TARGET_OBJECTS:unit_queue_${queue}>)
    endforeach()
  endif()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# td_queue_stress(QUEUE): every number comes out once.
function(td_queue_stress queue)
  set(items 262144)
  if(TIDE_SANITIZE STREQUAL "thread")
    set(items 30000)
  endif()
  td_driver_test(stress_queue_${queue} SOURCES ${PROJECT_SOURCE_DIR}/tests/stress/queue.c
    ARGS --seconds 0.5 --items ${items})
  td_for_queue(stress_queue_${queue} ${queue})
endfunction()

# td_model_test(NAME ARGUMENT…): what run-relacy does, and weekly the same with --full.
function(td_model_test name)
  set(command Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/model/run-relacy)
  add_test(NAME model_${name} COMMAND ${command} ${ARGN})
  add_test(NAME model_${name}_full COMMAND ${command} --full ${ARGN})
  set_tests_properties(model_${name} PROPERTIES LABELS model TIMEOUT 300)
  set_tests_properties(model_${name}_full PROPERTIES LABELS "model;weekly" TIMEOUT 7200)
endfunction()

# td_relacy_test(QUEUE …): every scenario and every mutant of the queue under Relacy, the atomics
# replaced by its own.
function(td_relacy_test queue)
  set(model ${PROJECT_SOURCE_DIR}/tests/model)
  add_executable(relacy_${queue} ${ARGN} ${model}/relacy.cpp)
  target_include_directories(relacy_${queue} BEFORE PRIVATE ${model}/relacy ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(relacy_${queue} PRIVATE MODEL_QUEUE=${queue}
    MODEL_HEADER="${TD_QUEUE_HEADER_${queue}}")
  # Relacy is older than these warnings. -Og takes half of the time that -O1 takes to compile.
  target_compile_options(relacy_${queue} PRIVATE -Og -w)
  td_model_test(relacy_${queue} --queue ${queue} --program $<TARGET_FILE:relacy_${queue}>)
endfunction()
