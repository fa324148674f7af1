// The version of Flashloom, as results name it, and what it was built with.
#pragma once

namespace flashloom {

/// "0.1.0"
const char* flashloom_version();
/// "2026-11-24": of the version, for manual pages.
const char* flashloom_release_date();

/// The same for the same sources, tools and options: no dates, no paths.
struct BuildInformation {
  const char* compiler;          ///< "GNU"
  const char* compiler_version;  ///< "12.2.0"
  long cxx_standard;             ///< __cplusplus: 202002
  const char* systemc;           ///< "2.3.4"
  const char* type;              ///< "Release"
  bool unity;                    ///< many files compiled as one
  bool link_time_optimization;
  bool sanitizers;
  bool assertions;
};
BuildInformation build_information();

}  // namespace flashloom
