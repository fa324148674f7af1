// flashloom torture of an object heap.
#include <fmt/format.h>

#include "sc_main/stack/heap/heap_torture.hpp"
#include "sc_main/verify/torture_answers.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const HeapTortureCounts& counts) {
  Json struck = Json::object();
  for (std::size_t i = 0; i < kObjectOperations; ++i)
    struck[to_string(static_cast<ObjectOperation>(i))] = counts.struck[i];
  return {{"operations", counts.operations},
          {"sectors_checked", counts.sectors_checked},
          {"cuts_in_recovery", counts.in_recovery},
          {"cuts_between_operations", counts.idle},
          {"struck", struck},
          {"old_pages", counts.old_pages},
          {"new_pages", counts.new_pages},
          {"mixed_updates", counts.mixed_updates},
          {"redone", counts.redone},
          {"undone", counts.undone},
          {"cleared", counts.cleared},
          {"swapped_out", counts.swapped_out},
          {"lost_pages", counts.lost_pages},
          {"recovered_pages", counts.recovered_pages},
          {"failed_operations", counts.failed_operations},
          {"worn_out", counts.worn_out}};
}

int torture_heap(const TortureOptions& options, const DeviceConfig& config, std::ostream& out) {
  HeapTorture heap(config, config.seed);
  const bool good = heap.run(options.cuts);
  if (options.json)
    return tell_json(out, options, config, "heap", heap.counts().cuts, json_of(heap.counts()),
                     good ? nullptr : &heap.failure(), good ? 0 : 1);
  if (!good) {
    print_failure(out, options, heap.failure());
    return 1;
  }
  if (options.quiet) return 0;
  const HeapTortureCounts& counts = heap.counts();
  out << fmt::format(
      "{} power cuts of an object heap, {} of them in a recovery, {} between operations; {} operations\n", counts.cuts,
      counts.in_recovery, counts.idle, counts.operations);
  out << "  struck ";
  for (std::size_t i = 0; i < kObjectOperations; ++i)
    out << fmt::format("  {} {}", to_string(static_cast<ObjectOperation>(i)), counts.struck[i]);
  out << fmt::format("\n  updates struck: {} pages old, {} new, {} updates of both\n", counts.old_pages,
                     counts.new_pages, counts.mixed_updates);
  out << fmt::format("  recoveries: {} pages redone, {} undone, {} entries cleared; {} pages swapped out\n",
                     counts.redone, counts.undone, counts.cleared, counts.swapped_out);
  if (counts.lost_pages != 0)
    out << fmt::format("  {} pages could not be read, {} lost ones were overwritten; {} operations failed\n",
                       counts.lost_pages, counts.recovered_pages, counts.failed_operations);
  if (counts.worn_out) out << "  ended by the swap area's device, which is worn out\n";
  out << fmt::format("  {} sectors verified\n", counts.sectors_checked);
  return 0;
}

const RegisterStackTorture registered_heap_torture("heap", torture_heap);

}  // namespace
}  // namespace flashloom
