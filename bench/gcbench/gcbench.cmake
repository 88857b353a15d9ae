# SPDX-License-Identifier: MIT
# gcbench runs each collector in a program of its own, so that allocators do not mix. All are built
# from the same workloads, compiled against child/PART.h.
set(gcbench_sources child account trees tables mutate service interp latency halts measured)
list(TRANSFORM gcbench_sources REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/child/\\1.c")

# tidemark_gcbench(COLLECTOR PART LIBRARIES…)
function(tidemark_gcbench collector part)
  set(target tidemark_gcbench_${collector})
  add_executable(${target} ${gcbench_sources} gcbench/child/${part}.c)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME tidemark-gcbench-${collector}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_compile_definitions(${target} PRIVATE TD_GCBENCH_MEMORY="bench/gcbench/child/${part}.h")
  target_link_libraries(${target} PRIVATE tidemark_flags ${ARGN})
  install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tidemark)
endfunction()

tidemark_gcbench(tide tide tidemark_static)
tidemark_gcbench(malloc malloc)
if(BDWGC_FOUND)
  tidemark_gcbench(boehm boehm PkgConfig::BDWGC)
  target_sources(tidemark_gcbench_boehm PRIVATE boehm/environment.c)
else()
  message(WARNING "Boehm GC (Debian: libgc-dev) was not found: gcbench does without boehm")
endif()
# Sanitizers bring their own malloc, which others must not replace.
if(NOT TIDE_SANITIZE)
  tidemark_gcbench(jemalloc malloc PkgConfig::JEMALLOC)
  find_library(MIMALLOC_LIBRARY mimalloc)
  if(MIMALLOC_LIBRARY)
    tidemark_gcbench(mimalloc malloc ${MIMALLOC_LIBRARY})
  else()
    message(WARNING "mimalloc (Debian: libmimalloc-dev) was not found: gcbench does without it")
  endif()
endif()
