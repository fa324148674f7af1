// flashloom torture of an array.
#include <fmt/format.h>

#include "sc_main/stack/array/array_torture.hpp"
#include "sc_main/verify/torture_answers.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ArrayTortureCounts& counts) {
  Json behind = Json::object();
  for (std::size_t step = 0; step < kArraySteps; ++step)
    behind[to_string(static_cast<ArrayStep>(step))] = counts.at_step[step];
  return {{"requests", counts.requests},
          {"media_errors", counts.media_errors},
          {"sectors_checked", counts.sectors_checked},
          {"cuts_in_start", counts.in_start},
          {"cuts_behind", behind},
          {"journal_replayed", counts.replayed},
          {"stripes_resynced", counts.resynced},
          {"stripes_rebuilt", counts.rebuilt}};
}

int torture_array(const TortureOptions& options, const DeviceConfig& config, std::ostream& out) {
  ArrayTorture array(config, config.seed);
  const bool good = array.run(options.cuts);
  const ArrayTortureCounts counts = array.counts();
  if (options.json)
    return tell_json(out, options, config, "array", counts.cuts, json_of(counts), good ? nullptr : &array.failure(),
                     good ? 0 : 1);
  if (!good) {
    print_failure(out, options, array.failure());
    return 1;
  }
  if (options.quiet) return 0;
  out << fmt::format("{} power cuts on an array, {} of them in a start; {} requests, {} media errors\n", counts.cuts,
                     counts.in_start, counts.requests, counts.media_errors);
  for (std::size_t step = 0; step < kArraySteps; ++step)
    out << fmt::format("  behind {:10} {}\n", to_string(static_cast<ArrayStep>(step)), counts.at_step[step]);
  out << fmt::format("  {} journal entries replayed, {} stripes resynced, {} rebuilt\n  {} sectors verified\n",
                     counts.replayed, counts.resynced, counts.rebuilt, counts.sectors_checked);
  return 0;
}

const RegisterStackTorture registered_array_torture("array", torture_array);

}  // namespace
}  // namespace flashloom
