// The version of Flashloom in results, and information on its build.
#pragma once

#include <map>
#include <string>

namespace flashloom {

/// "0.1.0"
const char* flashloom_version();
/// Date of the version, as "2026-11-24", for manual pages.
const char* flashloom_release_date();

/// Contains no dates and no paths, so that builds of the same sources, tools and options are identical.
struct BuildInformation {
  const char* compiler;          ///< "GNU"
  const char* compiler_version;  ///< "12.2.0"
  long cxx_standard;             ///< __cplusplus: 202002
  const char* systemc;           ///< "2.3.4"
  const char* type;              ///< "Release"
  bool unity;                    ///< unity build: many files compiled as one
  bool link_time_optimization;
  bool sanitizers;
  bool assertions;
};
BuildInformation build_information();

/// What a build may leave out (cmake -DFLASHLOOM_WITH_NAME=OFF), sorted: the name, and whether the program has it.
std::map<std::string, bool> build_components();
/// "", or " without array, attach": behind the version.
std::string components_left_out();
/// "", or "; this flashloom is built without array, attach": behind a message about what it does not know.
std::string note_of_components();
/// A static object of a component: the program has it.
struct RegisterComponent {
  explicit RegisterComponent(const char* name);
};

}  // namespace flashloom
