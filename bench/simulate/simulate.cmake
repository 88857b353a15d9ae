# SPDX-License-Identifier: MIT
# tidemark-simulate, which the default build leaves out: `cmake --build … --target simulate` makes
# it and the program that it starts.
#
# That one, tidemark-simulated, marks with the shipped library, compiled once more: -fsanitize=thread
# makes the compiler call a function at every access to memory, and the simulated machine brings
# these functions instead of the sanitizer's. The linker replaces threads, time and locks (--wrap).
include(CheckCSourceCompiles)
check_c_source_compiles("#include <ucontext.h>
  int main(void) { ucontext_t c; return getcontext(&c) || setcontext(&c); }" TIDE_HAVE_UCONTEXT)
if(TIDE_SANITIZE OR NOT TIDE_HAVE_UCONTEXT OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()

pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)

get_target_property(simulated_sources tidemark_objects SOURCES)
set(instrumented_sources ${simulated_sources})
list(FILTER instrumented_sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/(marker|heap)/")
# The rivals' tables of engines and policies in place of the library's.
list(FILTER instrumented_sources EXCLUDE REGEX "/marker/(engine/engines|queue/policies)[.]c$")
get_target_property(rival_sources tidemark_rivals SOURCES)
list(APPEND instrumented_sources ${rival_sources})
list(FILTER simulated_sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/(marker|heap)/")

add_library(tidemark_instrumented OBJECT EXCLUDE_FROM_ALL ${instrumented_sources})
target_link_libraries(tidemark_instrumented PRIVATE tidemark_flags)
target_compile_options(tidemark_instrumented PRIVATE -g1 -fsanitize=thread -fsanitize-coverage=trace-pc
  -include ${PROJECT_SOURCE_DIR}/bench/simulate/machine/hooks.h
  "$<$<C_COMPILER_ID:GNU>:--param=tsan-instrument-func-entry-exit=0;-Wno-tsan>")

file(GLOB machine_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/machine/*.c)
add_executable(tidemark_simulated EXCLUDE_FROM_ALL ${machine_sources} ${simulated_sources}
  $<TARGET_OBJECTS:tidemark_instrumented> simulate/costs.c simulate/topology.c subject/subject.c cli/cleanup.c cli/complain.c
  cli/progress.c cli/utf8.c)
set_target_properties(tidemark_simulated PROPERTIES OUTPUT_NAME tidemark-simulated
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
get_target_property(definitions tidemark_objects COMPILE_DEFINITIONS)
get_target_property(folders tidemark_objects INCLUDE_DIRECTORIES)
foreach(target tidemark_instrumented tidemark_simulated)
  target_compile_definitions(${target} PRIVATE ${definitions})
  target_include_directories(${target} PRIVATE ${folders})
endforeach()
# The graphs' builders come as sources of their own, because their library brings the library that
# is not simulated.
get_target_property(workload_sources tidemark_workloads SOURCES)
target_sources(tidemark_simulated PRIVATE ${workload_sources})
foreach(function td_mark_phase td_idle td_plat_cpus_allowed td_plat_reserve
    td_plat_now_ns td_plat_thread_start td_plat_thread_join td_plat_wait td_plat_wake
    pthread_mutex_lock pthread_mutex_unlock)
  target_link_options(tidemark_simulated PRIVATE -Wl,--wrap=${function})
endforeach()
target_link_libraries(tidemark_simulated PRIVATE tidemark_flags PkgConfig::ZSTD PkgConfig::ZLIB
  PkgConfig::HWLOC m)

# The command line, which measures costs and starts the other.
file(GLOB command_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
add_executable(tidemark_simulate EXCLUDE_FROM_ALL ${command_sources})
set_target_properties(tidemark_simulate PROPERTIES OUTPUT_NAME tidemark-simulate
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
target_link_libraries(tidemark_simulate PRIVATE tidemark_bench tidemark_rivals tidemark_flags tidemark_workloads
  tidemark_static PkgConfig::HWLOC PkgConfig::JEMALLOC m)
add_custom_target(simulate DEPENDS tidemark_simulate tidemark_simulated)
install(TARGETS tidemark_simulate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
install(TARGETS tidemark_simulated RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tidemark OPTIONAL)
