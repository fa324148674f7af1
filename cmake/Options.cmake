# Compiler settings, and the functions that define layers and programs.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3")  # assertions stay on: they guard the model's laws
set(CMAKE_CXX_FLAGS_DEV "-O1")

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
  -fno-tree-slp-vectorize  # GCC would pack neighbouring numbers into vectors and unpack them: more instructions for each I/O
  $<$<BOOL:${FLASHLOOM_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(flashloom_options INTERFACE -fpch-preprocess)
endif()

# flashloom_profile(TARGET): makes the target count its executed code, or optimises it by such counts (FLASHLOOM_PROFILE). Both use
# one build folder, and no ccache, since GCC finds an object's counts by its path. Code that training did not run is optimised as
# usual, not for size.
function(flashloom_profile target)
  if(FLASHLOOM_PROFILE STREQUAL "train")
    target_compile_options(${target} PRIVATE -fprofile-generate)
    target_link_options(${target} PUBLIC -fprofile-generate)
  elseif(FLASHLOOM_PROFILE STREQUAL "use")
    target_compile_options(${target} PRIVATE -fprofile-use -fprofile-partial-training -fprofile-correction -Wno-missing-profile)
  endif()
  if(FLASHLOOM_PROFILE)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "")
  endif()
endfunction()

# flashloom_unity(TARGET n): compiles n files as one, so that the compiler reads their headers once.
function(flashloom_unity target batch)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  # Coroutine frames contain lambdas, which have no linkage; GCC warns of that outside the main file.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()

# flashloom_precompile(TARGET header...): precompiles headers if the target has more than three compilations. Precompiling costs
# about as much as reading the headers three times.
function(flashloom_precompile target)
  get_target_property(compiled ${target} SOURCES)
  list(LENGTH compiled compilations)
  get_target_property(unity ${target} UNITY_BUILD)
  if(unity)
    get_target_property(batch ${target} UNITY_BUILD_BATCH_SIZE)
    math(EXPR compilations "(${compilations} + ${batch} - 1) / ${batch}")
  endif()
  if(ARGN AND compilations GREATER 3)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# External headers that many files include, by library.
set(standard_headers <algorithm> <array> <bit> <cmath> <cstdint> <deque> <functional> <limits> <map> <memory> <optional>
    <span> <stdexcept> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
set(systemc_headers <systemc> <tlm> <coroutine>)
set(report_headers <nlohmann/json.hpp> <fmt/format.h> <filesystem> <fstream> <ostream>)

# The path of a command through the model has many small functions in many files; by default GCC stops inlining them too early.
set(inlining "SHELL:--param inline-unit-growth=100" "SHELL:--param max-inline-insns-auto=60"
    "SHELL:--param large-function-growth=300")

# flashloom_layer(NAME [FOLDER dir] [COLD | INLINED] BATCH n [HOT dir...] [PRECOMPILED header...] [USES layer...] [LIBRARIES target...])
# Makes an object library of all .cpp files of a folder; with FLASHLOOM_UNITY, n files are compiled as one. HOT: subfolders whose files
# come first, so that GCC inlines them into each other. COLD: a layer whose speed does not matter to a simulation; it is compiled with
# -O1, and always n files as one, since they take long to compile one by one. INLINED: GCC inlines more than by default. (Not for
# workloads, where GCC then gives false warnings about strings.)
function(flashloom_layer name)
  cmake_parse_arguments(ARG "COLD;INLINED" "FOLDER;BATCH" "HOT;PRECOMPILED;USES;LIBRARIES" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/(main|plugin_marker)\\.cpp$")
  foreach(hot ${ARG_HOT})
    set(inside ${sources})
    list(FILTER inside INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/${hot}/")
    list(APPEND first ${inside})
  endforeach()
  list(PREPEND sources ${first})
  list(REMOVE_DUPLICATES sources)
  add_library(flashloom_${name} OBJECT ${sources})
  target_link_libraries(flashloom_${name} PUBLIC flashloom_options ${ARG_LIBRARIES})
  foreach(used ${ARG_USES})
    get_target_property(libraries flashloom_${used} INTERFACE_LINK_LIBRARIES)
    target_link_libraries(flashloom_${name} PUBLIC ${libraries})
  endforeach()
  if(FLASHLOOM_UNITY OR ARG_COLD)
    flashloom_unity(flashloom_${name} ${ARG_BATCH})
  endif()
  flashloom_precompile(flashloom_${name} ${ARG_PRECOMPILED})
  if(ARG_COLD)
    target_compile_options(flashloom_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  else()
    flashloom_profile(flashloom_${name})
  endif()
  if(ARG_INLINED AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(flashloom_${name} PRIVATE ${inlining})
  endif()
endfunction()

# flashloom_program(NAME SOURCES file... LAYERS layer... [LIBRARIES target...]): defines an executable.
function(flashloom_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LAYERS;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  foreach(layer ${ARG_LAYERS})
    target_link_libraries(${name} PRIVATE flashloom_${layer})
  endforeach()
  target_link_libraries(${name} PRIVATE flashloom_options ${ARG_LIBRARIES})
endfunction()
