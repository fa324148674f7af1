// flashloom torture of a tier.
#include <fmt/format.h>

#include "sc_main/stack/tier/pair_torture.hpp"
#include "sc_main/verify/torture_answers.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const PairTortureCounts& counts) {
  Json behind = Json::object();
  for (std::size_t step = 0; step < kTierSteps; ++step)
    behind[to_string(static_cast<TierStep>(step))] = counts.at_step[step];
  return {{"requests", counts.requests},
          {"sectors_checked", counts.sectors_checked},
          {"cuts_in_start", counts.in_start},
          {"cuts_orderly", counts.orderly},
          {"cuts_behind", behind},
          {"cuts_behind_array", counts.behind_array},
          {"passes", counts.passes},
          {"segments_filled", counts.segments_filled},
          {"segments_written_back", counts.segments_written_back},
          {"unreadable_requests", counts.unreadable_requests},
          {"unreadable_blocks", counts.unreadable_blocks},
          {"lost_requests", counts.lost_requests},
          {"retired", counts.retired}};
}

int torture_pair(const TortureOptions& options, const DeviceConfig& config, std::ostream& out) {
  PairTorture pair(config, config.seed);
  const bool good = pair.run(options.cuts);
  if (options.json) {
    const PairTortureCounts counts = pair.counts();
    return tell_json(out, options, config, "tier", counts.cuts, json_of(counts), good ? nullptr : &pair.failure(),
                     good ? 0 : 1);
  }
  if (!good) {
    print_failure(out, options, pair.failure());
    return 1;
  }
  if (options.quiet) return 0;
  const PairTortureCounts counts = pair.counts();
  out << fmt::format("{} power cuts on a tier, {} of them in a start, {} orderly; {} requests\n", counts.cuts,
                     counts.in_start, counts.orderly, counts.requests);
  for (std::size_t step = 0; step < kTierSteps; ++step)
    out << fmt::format("  behind {:10} {}\n", to_string(static_cast<TierStep>(step)), counts.at_step[step]);
  if (counts.behind_array != 0) out << fmt::format("  behind {:10} {}\n", "array", counts.behind_array);
  out << fmt::format("  {} passes, {} segments filled, {} written back\n  {} sectors verified\n", counts.passes,
                     counts.segments_filled, counts.segments_written_back, counts.sectors_checked);
  if (counts.unreadable_requests + counts.unreadable_blocks + counts.lost_requests != 0)
    out << fmt::format(
        "  {} reads and {} blocks of the journal that the SSD could not read; {} requests to what is lost\n",
        counts.unreadable_requests, counts.unreadable_blocks, counts.lost_requests);
  if (counts.retired) out << "  the SSD is not used any more\n";
  return 0;
}

const RegisterStackTorture registered_tier_torture("tier", torture_pair);

}  // namespace
}  // namespace flashloom
