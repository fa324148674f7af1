#include "controllers/ftl/ftl_rules.hpp"

#include <map>

namespace flashloom {
namespace {

std::map<std::string, FtlCheck>& rules() {
  static std::map<std::string, FtlCheck> all;
  return all;
}

}  // namespace

FtlRules::FtlRules(const char* ftl, FtlCheck check) { rules().emplace(ftl, check); }

FtlCheck FtlRules::find(const std::string& ftl) {
  const auto found = rules().find(ftl);
  return found == rules().end() ? nullptr : found->second;
}

}  // namespace flashloom
