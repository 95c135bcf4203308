# What `cmake --install` installs, in two components: `program` (the program, what comes with it, its
# pages) and `development` (the libraries, exported as layerpipe::NAME).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(layerpipe_include_dir ${CMAKE_INSTALL_INCLUDEDIR}/layerpipe)
set(layerpipe_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/layerpipe)
set(layerpipe_data_dir ${CMAKE_INSTALL_DATADIR}/layerpipe)

# Installs the library layerpipe_NAME, of the folder NAME, and those of its headers that are for
# users, given relative to the folder.
function(layerpipe_install_library name)
  set_target_properties(layerpipe_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS layerpipe_${name}
    EXPORT layerpipe
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    INCLUDES DESTINATION ${layerpipe_include_dir})
  foreach(header IN LISTS ARGN)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${header}
      DESTINATION ${layerpipe_include_dir}/${name}/${folder}
      COMPONENT development)
  endforeach()
endfunction()

# Installs the program and all that is no library.
function(layerpipe_install_program)
  install(TARGETS layerpipe RUNTIME COMPONENT program)
  install(DIRECTORY platforms workloads
    DESTINATION ${layerpipe_data_dir}
    COMPONENT program
    FILES_MATCHING PATTERN "*.xml" PATTERN "*.yaml" REGEX "/(array|base|file|machine|network|read)$" EXCLUDE)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  install(FILES README.md CITATION.cff CHANGELOG.md CONTRIBUTING.md LICENSE
    DESTINATION ${CMAKE_INSTALL_DOCDIR}
    COMPONENT program)
endfunction()

# Installs what find_package(layerpipe) reads.
function(layerpipe_install_config)
  configure_package_config_file(
    cmake/layerpipeConfig.cmake.in ${PROJECT_BINARY_DIR}/layerpipeConfig.cmake
    INSTALL_DESTINATION ${layerpipe_cmake_dir})
  write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/layerpipeConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/layerpipeConfig.cmake
    ${PROJECT_BINARY_DIR}/layerpipeConfigVersion.cmake
    DESTINATION ${layerpipe_cmake_dir}
    COMPONENT development)
  install(EXPORT layerpipe
    FILE layerpipeTargets.cmake
    NAMESPACE layerpipe::
    DESTINATION ${layerpipe_cmake_dir}
    COMPONENT development)
endfunction()
