# cpack makes a Debian package with all components, and an archive of the program that runs from any folder.
set(CPACK_PACKAGE_NAME flashloom)
set(CPACK_PACKAGE_VENDOR "the Flashloom authors")
set(CPACK_PACKAGE_CONTACT "the Flashloom authors <flashloom@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
string(CONCAT CPACK_PACKAGE_DESCRIPTION
  "An architect describes a drive in one TOML file, points it at a fio job\n"
  "file or a block trace, and gets throughput, latency percentiles, write\n"
  "amplification and an energy ledger. Has the program, its presets, manual\n"
  "pages and completion, and a library of SystemC modules.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB TXZ)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # depends on the packages of the shared libraries that the program links
# Packages to build external models, and those with programs that some commands call.
string(JOIN ", " CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake (>= 3.24)" g++ pkg-config libsystemc-dev libboost1.81-dev
       libboost-iostreams1.81-dev libtomlplusplus-dev libfmt-dev zlib1g-dev libbz2-dev liblzma-dev libzstd-dev libxxhash-dev
       gnuplot-nox nbdkit python3-scipy)
include(CPack)
