#include "controllers/tier/tier_config.hpp"

#include "controllers/tier/tier_metadata.hpp"
#include "models/common/config_problem.hpp"

namespace flashloom {

void check_config(const TierConfig& tier) {
  require(tier.segment % TierMetadata::kBlock == 0, "tier.segment", MessageBytes{tier.segment}, " is no multiple of ",
          MessageBytes{TierMetadata::kBlock});
  require(tier.journal % TierMetadata::kBlock == 0, "tier.journal", MessageBytes{tier.journal}, " is no multiple of ",
          MessageBytes{TierMetadata::kBlock});
  require(tier.pass_at < tier.day, "tier.pass_at", MessageTime{tier.pass_at}, " is no time of a day of ",
          MessageTime{tier.day});
}

}  // namespace flashloom
