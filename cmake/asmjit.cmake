# asmjit (zlib licence), used as an encoder only: an object library `cst_asmjit` that is linked into both libraries.
# Debian's binary package will not do: its archive is not position independent.
include("${CMAKE_CURRENT_LIST_DIR}/fetch_source.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/asmjit_definitions.cmake")
set(CST_ASMJIT_COMMIT 1da9e4d)
cst_fetch_source(asmjit asmjit 361308fc510137aa87d4dd6587ec84949b01ad654b77feea8ef145046587d493
    https://github.com/asmjit/asmjit.git ${CST_ASMJIT_COMMIT})

file(GLOB _sources CONFIGURE_DEPENDS "${asmjit_SOURCE_DIR}/src/asmjit/core/*.cpp"
    "${asmjit_SOURCE_DIR}/src/asmjit/x86/*.cpp")
if(NOT _sources)
    message(FATAL_ERROR "no asmjit source in ${asmjit_SOURCE_DIR}: point FETCHCONTENT_SOURCE_DIR_ASMJIT at a checkout "
                        "of commit ${CST_ASMJIT_COMMIT}")
endif()
add_library(cst_asmjit OBJECT ${_sources})
# What an encoder seldom or never runs: small rather than fast.
foreach(_cold core/codeholder core/constpool core/cpuinfo core/emithelper core/emitter core/func core/funcargscontext
    core/string core/zone core/zonevector x86/x86emithelper x86/x86func x86/x86instapi)
    set_source_files_properties("${asmjit_SOURCE_DIR}/src/asmjit/${_cold}.cpp" PROPERTIES COMPILE_OPTIONS -Os)
endforeach()
target_include_directories(cst_asmjit SYSTEM PUBLIC "${asmjit_SOURCE_DIR}/src")
target_compile_definitions(cst_asmjit PUBLIC ${CST_ASMJIT_DEFINITIONS})
target_compile_options(cst_asmjit PRIVATE -w -fno-exceptions -fno-rtti -fno-threadsafe-statics
    -fno-semantic-interposition)
