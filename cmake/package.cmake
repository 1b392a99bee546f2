# `make tarball`: what `make install` installs, as an archive that works wherever it is unpacked.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME "cryptostitch-${PROJECT_VERSION}-linux-x86_64")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
