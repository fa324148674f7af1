// Family "recovery": how an FTL finds its map after power-on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace flashloom {

struct FtlConfig;
class NandMedia;

/// With every method the metadata log keeps trims that a flush covers, and the highest version of a unit that a mount
/// finds counts.
struct RecoveryMethod {
  static constexpr const char* kFamily = "recovery";
  struct Context {};

  bool checkpoints = false;  ///< the map is written to flash from time to time; a mount then reads only newer data
  bool journals = false;     ///< programs are recorded in the log, so that a mount need not read their pages either
  bool in_nvram = false;     ///< the block map is in NVRAM: a mount reads it, and from flash only blocks being written
  std::uint64_t interval = 0;  ///< bytes of host data between checkpoints; 0: an eighth of the logical space, or what a
                               ///< few journal pages cover
};

/// The method of a device.
RecoveryMethod recovery_of(const FtlConfig& config);

/// Which FTLs can use which methods: each FTL declares it beside its registration. All support `oob_scan`.
class RecoveryMethods {
 public:
  /// `versions_for_mounts`: only mounts use the versions in the spare areas.
  RecoveryMethods(const std::string& ftl, std::vector<std::string> methods, bool versions_for_mounts = false) {
    all()[ftl] = {std::move(methods), versions_for_mounts};
  }
  /// Whether the FTL needs versions on a device without power cuts.
  static bool needs_versions(const std::string& ftl) {
    const auto found = all().find(ftl);
    return found == all().end() || !found->second.versions_for_mounts;
  }
  static std::vector<std::string> of(const std::string& ftl) {
    std::vector<std::string> methods = {"oob_scan"};
    if (const auto found = all().find(ftl); found != all().end())
      methods.insert(methods.end(), found->second.methods.begin(), found->second.methods.end());
    return methods;
  }

 private:
  struct OfFtl {
    std::vector<std::string> methods;
    bool versions_for_mounts = false;
  };
  static std::map<std::string, OfFtl>& all() {
    static std::map<std::string, OfFtl> ftls;
    return ftls;
  }
};

/// For a device whose power is never cut: makes it keep no versions in its spare words, if the FTL can work without
/// (docs/adr/0005). To be called before anything is programmed and before the FTL is made.
void keep_no_versions(NandMedia& media, const FtlConfig& config);

}  // namespace flashloom
