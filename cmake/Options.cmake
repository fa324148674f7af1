# Compiler settings, and the functions that define a layer, a program and a test.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3")  # assertions stay on: they guard the model's laws

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

add_library(flashloom_options INTERFACE)
target_include_directories(flashloom_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(flashloom_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -ffp-contract=off  # same result bytes in every build
  $<$<BOOL:${FLASHLOOM_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(flashloom_options INTERFACE -fpch-preprocess)
endif()

# flashloom_layer(NAME [FOLDER dir] [PCH] [USES layer...] [LIBRARIES target...])
# All .cpp files of a folder as one object library; with LTO they carry both forms, so tests link without it.
function(flashloom_layer name)
  cmake_parse_arguments(ARG "PCH" "FOLDER" "USES;LIBRARIES" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(flashloom_${name} OBJECT ${sources})
  target_link_libraries(flashloom_${name} PUBLIC flashloom_options ${ARG_LIBRARIES})
  foreach(used ${ARG_USES})
    get_target_property(libraries flashloom_${used} INTERFACE_LINK_LIBRARIES)
    target_link_libraries(flashloom_${name} PUBLIC ${libraries})
  endforeach()
  if(ARG_PCH)
    target_precompile_headers(flashloom_${name} PRIVATE <systemc> <tlm>)
  endif()
  if(FLASHLOOM_LTO)
    target_compile_options(flashloom_${name} PRIVATE -flto=auto -ffat-lto-objects)
  endif()
endfunction()

# flashloom_program(NAME SOURCES file... LAYERS layer... [LIBRARIES target...]): an executable, with LTO where it is on.
function(flashloom_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LAYERS;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  foreach(layer ${ARG_LAYERS})
    target_link_libraries(${name} PRIVATE flashloom_${layer})
  endforeach()
  target_link_libraries(${name} PRIVATE flashloom_options ${ARG_LIBRARIES})
  if(FLASHLOOM_LTO)
    target_compile_options(${name} PRIVATE -flto=auto -ffat-lto-objects)
    target_link_options(${name} PRIVATE -flto=auto -O3)
  endif()
endfunction()
