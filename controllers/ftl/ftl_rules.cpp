#include "controllers/ftl/ftl_rules.hpp"

#include <map>

namespace flashloom {
namespace {

std::map<std::string, FtlShape>& rules() {
  static std::map<std::string, FtlShape> all;
  return all;
}

}  // namespace

FtlRules::FtlRules(const char* ftl, const FtlShape& shape) { rules().emplace(ftl, shape); }

const FtlShape* FtlRules::find(const std::string& ftl) {
  const auto found = rules().find(ftl);
  return found == rules().end() ? nullptr : &found->second;
}

}  // namespace flashloom
