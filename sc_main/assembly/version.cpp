// The only file that is recompiled when the version or the build's options change.
#include "sc_main/assembly/version.hpp"

#include <systemc>

#define FLASHLOOM_TEXT_OF(value) #value
#define FLASHLOOM_TEXT(value) FLASHLOOM_TEXT_OF(value)

namespace flashloom {
namespace {

#ifdef NDEBUG
constexpr bool kAssertions = false;
#else
constexpr bool kAssertions = true;
#endif
#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitizers = true;
#else
constexpr bool kSanitizers = false;
#endif

std::map<std::string, bool>& components() {
  static std::map<std::string, bool> all = {{"array", false}, {"attach", false}, {"heap", false}, {"tier", false}};
  return all;
}

}  // namespace

const char* flashloom_version() { return FLASHLOOM_VERSION; }

const char* flashloom_release_date() { return FLASHLOOM_RELEASE_DATE; }

BuildInformation build_information() {
  return {.compiler = FLASHLOOM_COMPILER,
          .compiler_version = FLASHLOOM_COMPILER_VERSION,
          .cxx_standard = __cplusplus,
          .systemc = FLASHLOOM_TEXT(SC_VERSION_MAJOR) "." FLASHLOOM_TEXT(SC_VERSION_MINOR) "." FLASHLOOM_TEXT(
              SC_VERSION_PATCH),
          .type = FLASHLOOM_BUILD_TYPE,
          .unity = FLASHLOOM_BUILD_UNITY,
          .link_time_optimization = FLASHLOOM_BUILD_LTO,
          .sanitizers = kSanitizers,
          .assertions = kAssertions};
}

RegisterComponent::RegisterComponent(const char* name) { components()[name] = true; }

std::map<std::string, bool> build_components() { return components(); }

std::string components_left_out() {
  std::string names;
  for (const auto& [name, built] : components())
    if (!built) names += (names.empty() ? " without " : ", ") + name;
  return names;
}

std::string note_of_components() {
  const std::string names = components_left_out();
  return names.empty() ? names : "; this flashloom is built" + names;
}

}  // namespace flashloom
