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

# flashloom_unity(TARGET ROOT ["folder..."...]): compiles files as one, so that the compiler reads their headers once: those of the
# folders of ROOT that one text names, with what lies below them, and those of all other folders. A larger group than MOST is cut by a
# hash of the files' names, so that a new file changes one group, whatever its name. FLASHLOOM_UNITY_GROUPS of the target: their number.
function(flashloom_unity target root)
  set(most 24)
  get_target_property(sources ${target} SOURCES)
  set(groups)
  foreach(source ${sources})
    file(RELATIVE_PATH path ${root} ${source})
    get_filename_component(folder ${path} DIRECTORY)
    set(group rest)
    set(longest -1)
    foreach(together ${ARGN})
      string(REPLACE " " ";" folders ${together})
      list(GET folders 0 name)
      foreach(inside ${folders})
        string(FIND "${folder}/" "${inside}/" at)
        string(LENGTH ${inside} length)
        if(at EQUAL 0 AND length GREATER longest)
          set(longest ${length})
          string(REPLACE "/" "_" group ${name})
        endif()
      endforeach()
    endforeach()
    list(APPEND groups ${group})
    list(APPEND files_of_${group} ${source})
  endforeach()
  list(REMOVE_DUPLICATES groups)
  set(all 0)
  foreach(group ${groups})
    list(LENGTH files_of_${group} files)
    math(EXPR parts "(${files} + ${most} - 1) / ${most}")
    math(EXPR all "${all} + ${parts}")
    foreach(source ${files_of_${group}})
      get_filename_component(name ${source} NAME)
      string(MD5 hash ${name})
      string(SUBSTRING ${hash} 0 6 hash)
      math(EXPR part "0x${hash} % ${parts}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP FLASHLOOM_UNITY_GROUPS ${all})
  # Coroutine frames contain lambdas, which have no linkage; GCC warns of that outside the main file.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()

# flashloom_precompile(TARGET header...): precompiles headers if the target has more than three compilations. Precompiling costs
# about as much as reading the headers three times.
function(flashloom_precompile target)
  get_target_property(compiled ${target} SOURCES)
  list(LENGTH compiled compilations)
  get_target_property(groups ${target} FLASHLOOM_UNITY_GROUPS)
  if(groups)
    set(compilations ${groups})
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

# flashloom_layer(NAME [FOLDER dir] [FILES file...] [COLD | INLINED] [GROUPS "dir..."...] [PRECOMPILED header...] [USES layer...]
#                 [LIBRARIES target...])
# Makes an object library of all .cpp files of a folder that are not in COMPONENT_FILES, or of FILES alone; with FLASHLOOM_UNITY, the
# folders of a group are compiled as one. COLD: a layer whose speed does not matter to a simulation; it is compiled with -O1, and always in groups, since its files take long one by one.
# INLINED: GCC inlines more than by default. (Not for workloads, where GCC then gives false warnings about strings.)
function(flashloom_layer name)
  cmake_parse_arguments(ARG "COLD;INLINED" "FOLDER" "FILES;GROUPS;PRECOMPILED;USES;LIBRARIES" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${name})
  endif()
  if(ARG_FILES)
    set(sources ${ARG_FILES})
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp)
    list(FILTER sources EXCLUDE REGEX "/(main|plugin_marker)\\.cpp$")
    if(COMPONENT_FILES)
      list(REMOVE_ITEM sources ${COMPONENT_FILES})
    endif()
  endif()
  add_library(flashloom_${name} OBJECT ${sources})
  target_link_libraries(flashloom_${name} PUBLIC flashloom_options ${ARG_LIBRARIES})
  foreach(used ${ARG_USES})
    get_target_property(libraries flashloom_${used} INTERFACE_LINK_LIBRARIES)
    target_link_libraries(flashloom_${name} PUBLIC ${libraries})
  endforeach()
  if(FLASHLOOM_UNITY OR ARG_COLD)
    flashloom_unity(flashloom_${name} ${PROJECT_SOURCE_DIR}/${ARG_FOLDER} ${ARG_GROUPS})
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
