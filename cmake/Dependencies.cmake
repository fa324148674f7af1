# All packages that Flashloom is built from. Debian 12 has them all; tools/setup.sh lists their names.
include(${CMAKE_CURRENT_LIST_DIR}/LinkDependencies.cmake)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(nbdkit IMPORTED_TARGET nbdkit>=1.30)  # optional, for `flashloom nbd`
if(FLASHLOOM_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(FLASHLOOM_BENCH)
  find_package(benchmark REQUIRED)
endif()
