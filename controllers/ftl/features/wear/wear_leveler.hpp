// Wear levelling that moves cold data, where the policy (wear_leveling) asks for it after a collection.
#pragma once

#include <cstdint>

#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {

class WearLeveler final : public VictimSource {
 public:
  explicit WearLeveler(Collector& collector);

  bool wants(std::uint32_t group) const override;
  Task<bool> begin(std::uint32_t group) override;
};

}  // namespace flashloom
