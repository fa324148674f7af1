// The registered FTLs that let the host write anywhere, for tests with plain workloads.
#pragma once

#include <vector>

#include "controllers/ftl/ftl_rules.hpp"
#include "policies/registry.hpp"

namespace flashloom {

inline std::vector<const PartInfo*> plain_ftls() {
  std::vector<const PartInfo*> plain;
  for (const PartInfo* part : PartCatalog::instance().parts("ftl")) {
    const FtlShape* const shape = FtlRules::find(part->name);
    if (shape == nullptr || !shape->zoned) plain.push_back(part);
  }
  return plain;
}

}  // namespace flashloom
