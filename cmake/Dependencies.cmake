# Every package that Flashloom is built from. All are in Debian 12; see ./quickstart for their names.
find_package(PkgConfig REQUIRED)

# SystemC: a CMake package (2.3.4, 3.0), else Debian's pkg-config file.
find_package(SystemCLanguage CONFIG QUIET)
add_library(flashloom_systemc INTERFACE)
add_library(flashloom::systemc ALIAS flashloom_systemc)
if(SystemCLanguage_FOUND)
  target_link_libraries(flashloom_systemc INTERFACE SystemC::systemc)
else()
  pkg_check_modules(systemc REQUIRED IMPORTED_TARGET systemc>=2.3.4)
  target_link_libraries(flashloom_systemc INTERFACE PkgConfig::systemc)
endif()
# Debian builds the library as C++17; SystemC checks that users agree. This is its documented override.
target_compile_definitions(flashloom_systemc INTERFACE SC_CPLUSPLUS=201703L)

find_package(Boost 1.81 REQUIRED COMPONENTS iostreams)
find_package(ZLIB REQUIRED)
find_package(LibLZMA REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(nbdkit IMPORTED_TARGET nbdkit>=1.30)  # optional: `flashloom nbd`
if(FLASHLOOM_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(FLASHLOOM_BENCH)
  find_package(benchmark REQUIRED)
endif()
