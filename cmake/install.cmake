# SPDX-License-Identifier: MIT
# What `cmake --install` puts where, and the single-file edition of the library.
include(CMakePackageConfigHelpers)

# ---- Libraries and headers --------------------------------------------------------------------
# Embedders say tidemark::tidemark (shared) or tidemark::static, installed or as a subproject.
set_target_properties(tidemark_shared PROPERTIES EXPORT_NAME tidemark)
set_target_properties(tidemark_static PROPERTIES EXPORT_NAME static)
add_library(tidemark::tidemark ALIAS tidemark_shared)
add_library(tidemark::static ALIAS tidemark_static)
install(TARGETS tidemark_shared tidemark_static EXPORT tidemark_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tide DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# ---- find_package(tidemark) -------------------------------------------------------------------
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tidemark)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tidemarkConfig.cmake.in
  ${PROJECT_BINARY_DIR}/tidemarkConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tidemarkConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(EXPORT tidemark_targets NAMESPACE tidemark:: FILE tidemarkTargets.cmake
  DESTINATION ${config_folder})
install(FILES ${PROJECT_BINARY_DIR}/tidemarkConfig.cmake
  ${PROJECT_BINARY_DIR}/tidemarkConfigVersion.cmake DESTINATION ${config_folder})

# ---- pkg-config tidemark ----------------------------------------------------------------------
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tidemark.pc.in ${PROJECT_BINARY_DIR}/tidemark.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tidemark.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- Graphs that come with the program (bench/ installs the program itself) ---------------------
if(TIDE_PROGRAM)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/workloads/graphs
    DESTINATION ${CMAKE_INSTALL_DATADIR}/tidemark FILES_MATCHING PATTERN "*.thg")
endif()

# ---- Completion of command lines -----------------------------------------------------------------
if(TIDE_PROGRAM)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/completion.bash RENAME tidemark
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()

# ---- Manual pages -----------------------------------------------------------------------------
# tidemark(1) and tidemark(3) are written by hand; the public headers give the other pages.
find_package(Python3 COMPONENTS Interpreter)
install(FILES ${PROJECT_SOURCE_DIR}/man/tidemark.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/man/tidemark.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
if(Python3_FOUND)
  file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tide/*.h)
  set(manual ${PROJECT_BINARY_DIR}/man3)
  add_custom_command(OUTPUT ${manual}/tide.3
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/manual.py
      --root ${PROJECT_SOURCE_DIR} --out ${manual}
    DEPENDS ${public_headers} ${PROJECT_SOURCE_DIR}/man/tidemark.3
      ${CMAKE_CURRENT_LIST_DIR}/manual.py VERBATIM)
  add_custom_target(manual ALL DEPENDS ${manual}/tide.3)
  install(DIRECTORY ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR})
else()
  message(STATUS "No Python 3: manual pages of functions and the single-file edition are left out")
endif()

# ---- Single-file edition ----------------------------------------------------------------------
if(Python3_FOUND)
  set(single ${PROJECT_BINARY_DIR}/single)
  set(sources "")
  foreach(folder platform heap marker gc inspect)
    file(GLOB_RECURSE folder_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
      ${PROJECT_SOURCE_DIR}/${folder}/*.c)
    list(APPEND sources ${folder_sources})
  endforeach()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tide/*.h
    ${PROJECT_SOURCE_DIR}/platform/*.h ${PROJECT_SOURCE_DIR}/heap/*.h
    ${PROJECT_SOURCE_DIR}/marker/*.h ${PROJECT_SOURCE_DIR}/gc/*.h ${PROJECT_SOURCE_DIR}/inspect/*.h)
  add_custom_command(OUTPUT ${single}/tidemark.c ${single}/tidemark.h
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/amalgamate.py
      --root ${PROJECT_SOURCE_DIR} --out ${single} --version ${PROJECT_VERSION}
      --only-if TIDE_GRAPH_FILES "inspect/(graph\\.c|thg/)" ${sources}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${sources} ${headers} ${CMAKE_CURRENT_LIST_DIR}/amalgamate.py VERBATIM)
  add_custom_target(single_file ALL DEPENDS ${single}/tidemark.c ${single}/tidemark.h)
  install(FILES ${single}/tidemark.c ${single}/tidemark.h
    DESTINATION ${CMAKE_INSTALL_DATADIR}/tidemark/single)
endif()

install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

# ---- All of the above as one target: what people use, without tests and examples -----------------
add_custom_target(product DEPENDS tidemark_static tidemark_shared)
if(Python3_FOUND)
  add_dependencies(product single_file manual)
endif()
if(TARGET tidemark_bdwgc)
  add_dependencies(product tidemark_bdwgc)
endif()
if(TIDE_PROGRAM)
  get_property(programs DIRECTORY ${PROJECT_SOURCE_DIR}/bench PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER programs EXCLUDE REGEX "simulat|instrumented") # on demand: bench/simulate
  add_dependencies(product ${programs})
endif()
if(TARGET tidemark_bdwgc)
  add_dependencies(product tidemark_bdwgc)
endif()
