// Family "recovery": how an FTL finds its map after power-on.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policies/parameters.hpp"

namespace flashloom {

struct RecoveryContext {};

/// With every method the metadata log keeps trims that a flush covers, and the highest version of a unit that a mount
/// finds counts.
class RecoveryMethod {
 public:
  static constexpr const char* kFamily = "recovery";
  using Context = RecoveryContext;
  virtual ~RecoveryMethod() = default;

  /// The map is written to flash from time to time; a mount then reads only newer data.
  virtual bool checkpoints() const { return false; }
  /// Programs are recorded in the log, so that a mount need not read their pages either.
  virtual bool journals() const { return false; }
  /// The block map is kept in NVRAM: a mount reads it there, and from flash only blocks being written.
  virtual bool in_nvram() const { return false; }
  /// Bytes of host data between checkpoints; 0: an eighth of the logical space, or what a few journal pages cover.
  virtual std::uint64_t interval() const { return 0; }
};

/// Which FTLs can use which methods: each FTL declares it beside its registration. All support `oob_scan`.
class RecoveryMethods {
 public:
  /// `versions_for_mounts`: only mounts use the versions in the spare areas.
  RecoveryMethods(const std::string& ftl, std::vector<std::string> methods, bool versions_for_mounts = false) {
    all()[ftl] = std::move(methods);
    if (versions_for_mounts) without_versions().insert(ftl);
  }
  /// Whether the FTL needs versions on a device without power cuts.
  static bool needs_versions(const std::string& ftl) { return without_versions().count(ftl) == 0; }
  static std::vector<std::string> of(const std::string& ftl) {
    std::vector<std::string> methods = {"oob_scan"};
    if (const auto found = all().find(ftl); found != all().end())
      methods.insert(methods.end(), found->second.begin(), found->second.end());
    return methods;
  }

 private:
  static std::map<std::string, std::vector<std::string>>& all() {
    static std::map<std::string, std::vector<std::string>> methods;
    return methods;
  }
  static std::set<std::string>& without_versions() {
    static std::set<std::string> ftls;
    return ftls;
  }
};

/// Common base of methods with checkpoints.
class CheckpointedRecovery : public RecoveryMethod {
 public:
  explicit CheckpointedRecovery(const ParameterValues& values)
      : interval_(static_cast<std::uint64_t>(values.get<std::int64_t>("interval"))) {}
  bool checkpoints() const override { return true; }
  std::uint64_t interval() const override { return interval_; }

  static std::vector<ParameterSpec> parameters() {
    return {{.name = "interval",
             .default_value = std::int64_t{0},
             .dimension = Dimension::Bytes,
             .minimum = 0,
             .maximum = 0x1p50,
             .choices = {},
             .help = "host data between checkpoints; 0 B: an eighth of the logical space"}};
  }

 private:
  std::uint64_t interval_;
};

}  // namespace flashloom
