# find_package(Flashloom CONFIG) defines targets for external models and plug-ins (docs/how-to/embedding.md):
#
#   Flashloom::ssd        the SSD as SystemC modules; includes policies and workloads
#   Flashloom::policies   the policies alone: pure C++
#   Flashloom::workloads  readers of traces and fio jobs, generators: pure C++
#   Flashloom::plugin     for a MODULE library that `flashloom --plugin FILE.so` loads
if(CMAKE_VERSION VERSION_LESS 3.24)
  message(FATAL_ERROR "Flashloom needs CMake 3.24 or later: parts that register themselves are linked as whole archives")
endif()
include(${CMAKE_CURRENT_LIST_DIR}/LinkDependencies.cmake)

get_filename_component(flashloom_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
# A Debian package has its libraries in lib/<triplet>/, with this file in lib/<triplet>/cmake/Flashloom.
get_filename_component(flashloom_libraries "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
if(NOT EXISTS ${flashloom_prefix}/include/flashloom)
  get_filename_component(flashloom_prefix "${flashloom_prefix}/.." ABSOLUTE)
endif()
set(Flashloom_CONFIGS ${flashloom_prefix}/share/flashloom/configs)  # the presets

if(NOT TARGET Flashloom::headers)
  add_library(Flashloom::headers INTERFACE IMPORTED)
  target_include_directories(Flashloom::headers SYSTEM INTERFACE
                             ${flashloom_prefix}/include ${flashloom_prefix}/include/flashloom)
  target_compile_features(Flashloom::headers INTERFACE cxx_std_20)
  target_link_libraries(Flashloom::headers INTERFACE Boost::headers)

  foreach(archive policies workloads device assembly)
    add_library(Flashloom::${archive}_archive STATIC IMPORTED)
    set_target_properties(Flashloom::${archive}_archive PROPERTIES
                          IMPORTED_LOCATION ${flashloom_libraries}/libflashloom_${archive}.a)
  endforeach()
  add_library(Flashloom::policies INTERFACE IMPORTED)
  target_link_libraries(Flashloom::policies INTERFACE Flashloom::headers
                        $<LINK_LIBRARY:WHOLE_ARCHIVE,Flashloom::policies_archive>)
  add_library(Flashloom::workloads INTERFACE IMPORTED)
  target_link_libraries(Flashloom::workloads INTERFACE Flashloom::headers
                        $<LINK_LIBRARY:WHOLE_ARCHIVE,Flashloom::workloads_archive>
                        Boost::iostreams ZLIB::ZLIB BZip2::BZip2 LibLZMA::LibLZMA PkgConfig::zstd PkgConfig::xxhash fmt::fmt
                        Threads::Threads)
  add_library(Flashloom::ssd INTERFACE IMPORTED)
  target_link_libraries(Flashloom::ssd INTERFACE Flashloom::assembly_archive
                        $<LINK_LIBRARY:WHOLE_ARCHIVE,Flashloom::device_archive> Flashloom::policies Flashloom::workloads
                        flashloom::systemc tomlplusplus::tomlplusplus ${CMAKE_DL_LIBS})
  target_compile_definitions(Flashloom::ssd INTERFACE FLASHLOOM_PRESETS="${Flashloom_CONFIGS}")
  add_library(Flashloom::plugin INTERFACE IMPORTED)
  target_link_libraries(Flashloom::plugin INTERFACE Flashloom::headers)
  target_sources(Flashloom::plugin INTERFACE ${flashloom_prefix}/share/flashloom/plugin_marker.cpp)
endif()
unset(flashloom_prefix)
unset(flashloom_libraries)
