# Headers, libraries, CMake package, pkg-config file.
include(CMakePackageConfigHelpers)
set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/cryptostitch")

install(TARGETS cryptostitch cryptostitch_static EXPORT cryptostitch-targets)
install(FILES include/cryptostitch/cryptostitch.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/cryptostitch")
install(FILES "${asmjit_SOURCE_DIR}/LICENSE.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME LICENSE.asmjit)
install(FILES "${sodium_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME LICENSE.libsodium)
install(FILES "${zstd_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME LICENSE.zstd)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(EXPORT cryptostitch-targets NAMESPACE cryptostitch:: DESTINATION "${_package}")

# The manual page cryptostitch(3) is the header's comments; each function is a page that leads to it.
# CMake makes the pages when it configures (10 ms), so that they exist whichever targets are built.
set(_manual "${PROJECT_BINARY_DIR}/man3")
set(_manual_sources include/cryptostitch/cryptostitch.h tools/header_manual.awk tools/header_manual.sh)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_manual_sources})
execute_process(COMMAND sh tools/header_manual.sh include/cryptostitch/cryptostitch.h ${PROJECT_VERSION} "${_manual}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" COMMAND_ERROR_IS_FATAL ANY)
install(DIRECTORY "${_manual}" DESTINATION "${CMAKE_INSTALL_MANDIR}")

configure_package_config_file(cmake/cryptostitch-config.cmake.in "${PROJECT_BINARY_DIR}/cryptostitch-config.cmake"
    INSTALL_DESTINATION "${_package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cryptostitch-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cryptostitch-config.cmake"
    "${PROJECT_BINARY_DIR}/cryptostitch-config-version.cmake"
        cmake/cryptostitch_add_columns.cmake cmake/cryptostitch_add_kernels.cmake cmake/cryptostitch_archive.cmake
    DESTINATION "${_package}")

# Relative to the file itself, so that an installed tree can be moved; where the library's folder is an absolute path,
# the file's place says nothing about the prefix. Each of the two folders may be absolute.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(CST_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH _up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" CST_PC_PREFIX "\${pcfiledir}/${_up}")
endif()
foreach(_folder LIBDIR INCLUDEDIR)
    set(CST_PC_${_folder} "${CMAKE_INSTALL_${_folder}}")
    if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_${_folder}}")
        string(PREPEND CST_PC_${_folder} "\${prefix}/")
    endif()
endforeach()
configure_file(cmake/cryptostitch.pc.in "${PROJECT_BINARY_DIR}/cryptostitch.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cryptostitch.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
