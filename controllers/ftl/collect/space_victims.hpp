// Victims that gain free space, as the policy (garbage_collection) chooses them.
#pragma once

#include <cstdint>

#include "controllers/ftl/collect/victim_source.hpp"
#include "controllers/ftl/collect/victim_start.hpp"

namespace flashloom {

class SpaceVictims final : public VictimSource {
 public:
  explicit SpaceVictims(VictimStart& start);

  bool wants(std::uint32_t group) const override;
  /// False if no victim would gain space.
  Task<bool> begin(std::uint32_t group) override;

 private:
  GcUnit surest_victim(std::uint32_t group) const;

  VictimStart& start_;
  BlockTable& blocks_;
};

}  // namespace flashloom
