# Finds the libraries that a program with Flashloom links: for this build, and for users of find_package(Flashloom).
include(CMakeFindDependencyMacro)
find_dependency(PkgConfig)

# SystemC is a CMake package (2.3.4, 3.0), or else comes with Debian's pkg-config file.
find_package(SystemCLanguage CONFIG QUIET)
add_library(flashloom_systemc INTERFACE)
add_library(flashloom::systemc ALIAS flashloom_systemc)
if(SystemCLanguage_FOUND)
  target_link_libraries(flashloom_systemc INTERFACE SystemC::systemc)
else()
  pkg_check_modules(systemc REQUIRED IMPORTED_TARGET systemc>=2.3.4)
  target_link_libraries(flashloom_systemc INTERFACE PkgConfig::systemc)
endif()
# Debian builds SystemC as C++17, and SystemC checks that its users do, too. This is the documented override.
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
