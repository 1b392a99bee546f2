# The checkout that this port lies in: `vcpkg install cryptostitch --overlay-ports=packaging/vcpkg`, after `make`, whose
# kernels and sources it takes.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_build "${SOURCE_PATH}/build")
if(NOT EXISTS "${_build}/generated/default.pack")
    message(FATAL_ERROR "nothing is generated in ${_build}: run `make` first")
endif()
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DCST_TESTS=OFF
        -DCST_BENCH=OFF
        "-DCST_PREGENERATED=${_build}/generated"
        "-DFETCHCONTENT_SOURCE_DIR_ASMJIT=${_build}/_deps/asmjit-src"
        "-DFETCHCONTENT_SOURCE_DIR_SODIUM=${_build}/_deps/sodium-src"
        "-DFETCHCONTENT_SOURCE_DIR_ZSTD=${_build}/_deps/zstd-src"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/cryptostitch)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES cst-sum AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/share/man" "${CURRENT_PACKAGES_DIR}/etc"
    "${CURRENT_PACKAGES_DIR}/share/cryptostitch/openssl-check") # a system's OpenSSL is not vcpkg's to configure
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${_build}/_deps/asmjit-src/LICENSE.md"
    "${_build}/_deps/sodium-src/LICENSE" "${_build}/_deps/zstd-src/LICENSE")
