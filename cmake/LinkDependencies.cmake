# What a program with Flashloom in it is linked with: the build itself, and, installed, whoever says find_package(Flashloom).
include(CMakeFindDependencyMacro)
find_dependency(PkgConfig)

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

find_dependency(Boost 1.81 COMPONENTS iostreams)
find_dependency(ZLIB)
find_dependency(BZip2)
find_dependency(LibLZMA)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
find_dependency(tomlplusplus)
find_dependency(fmt)
find_dependency(Threads)
