# The files that `cmake --install` installs. Component `program`: what a user runs, and all that the Python wheel contains.
# Component `development`: the rest, such as the library for external models.
include(GNUInstallDirs)

# The program finds its presets and helpers relative to itself, so the prefix may move.
set(flashloom_data ${CMAKE_INSTALL_DATADIR}/flashloom)
install(TARGETS flashloom RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
if(FLASHLOOM_WITH_ATTACH)
  install(TARGETS flashloom-guest-init RUNTIME DESTINATION lib/flashloom COMPONENT program)
  install(TARGETS flashloom-guest-entropy LIBRARY DESTINATION lib/flashloom COMPONENT program)
  install(FILES tools/linux-guest/torture.py DESTINATION lib/flashloom RENAME flashloom-guest-torture.py
          COMPONENT program)
endif()
if(TARGET flashloom-nbdkit-plugin)
  install(TARGETS flashloom-nbdkit-plugin LIBRARY DESTINATION lib/flashloom COMPONENT program)
endif()
install(DIRECTORY configs DESTINATION ${flashloom_data} COMPONENT program FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY plots DESTINATION ${flashloom_data} COMPONENT program)
# A schema is installed with the schemas inside that it refers to whole, so that a validator needs no other file.
file(GLOB schemas CONFIGURE_DEPENDS docs/schemas/*.schema.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schemas})
foreach(schema ${schemas})
  file(READ ${schema} text)
  while(text MATCHES "{\"\\$ref\": \"([a-z_]+\\.schema\\.json)\"}")
    file(READ docs/schemas/${CMAKE_MATCH_1} inner)
    string(REPLACE "${CMAKE_MATCH_0}" "${inner}" text "${text}")
  endwhile()
  get_filename_component(name ${schema} NAME)
  file(WRITE ${CMAKE_BINARY_DIR}/schemas/${name} "${text}")
  install(FILES ${CMAKE_BINARY_DIR}/schemas/${name} DESTINATION ${flashloom_data}/schemas COMPONENT program)
endforeach()
# The Python package, for `flashloom fit`. It is not in `program`, since the wheel contains it already.
install(DIRECTORY python/flashloom DESTINATION lib/flashloom/python COMPONENT development
        FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program
        FILES_MATCHING PATTERN "*.gz")
install(FILES ${completion}/flashloom DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${completion}/_flashloom DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(FILES ${completion}/flashloom.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)

# The library. FlashloomConfig.cmake links all archives but `assembly` as whole archives, since their parts register themselves.
include(${CMAKE_CURRENT_LIST_DIR}/PublicHeaders.cmake)
set(policies_archive policies)
set(workloads_archive workloads)
set(device_archive models controllers analysis)
set(assembly_archive assembly)
foreach(archive policies workloads device assembly)
  add_library(flashloom_${archive}_archive STATIC)
  foreach(layer ${${archive}_archive})
    target_sources(flashloom_${archive}_archive PRIVATE $<TARGET_OBJECTS:flashloom_${layer}>)
  endforeach()
  set_target_properties(flashloom_${archive}_archive PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME flashloom_${archive})
  install(TARGETS flashloom_${archive}_archive ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endforeach()

set(flashloom_include ${CMAKE_INSTALL_INCLUDEDIR}/flashloom)
foreach(header ${flashloom_public_headers} ${flashloom_module_headers} sc_main/assembly/plugins/plugin_interface.hpp)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${flashloom_include}/${folder} COMPONENT development)
endforeach()
foreach(header ${flashloom_module_headers} models/block/block_protocol.hpp)
  get_filename_component(name ${header} NAME)
  file(WRITE ${CMAKE_BINARY_DIR}/include/flashloom/${name} "#pragma once\n#include \"${header}\"\n")
  install(FILES ${CMAKE_BINARY_DIR}/include/flashloom/${name} DESTINATION ${flashloom_include} COMPONENT development)
endforeach()
install(FILES sc_main/assembly/plugins/plugin_marker.cpp DESTINATION ${flashloom_data} COMPONENT development)

include(CMakePackageConfigHelpers)
set(flashloom_package ${CMAKE_INSTALL_LIBDIR}/cmake/Flashloom)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/FlashloomConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/FlashloomConfig.cmake cmake/LinkDependencies.cmake ${CMAKE_BINARY_DIR}/FlashloomConfigVersion.cmake
        DESTINATION ${flashloom_package} COMPONENT development)

# Files that Debian requires in a package.
find_program(GZIP gzip)
if(GZIP)
  set(changelog ${CMAKE_BINARY_DIR}/changelog.gz)
  add_custom_command(OUTPUT ${changelog} DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md
                     COMMAND ${GZIP} -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${changelog} VERBATIM)
  add_custom_target(flashloom_changelog ALL DEPENDS ${changelog})
  install(FILES ${changelog} DESTINATION share/doc/flashloom COMPONENT development)
endif()
install(FILES tools/debian/copyright DESTINATION share/doc/flashloom COMPONENT development)
