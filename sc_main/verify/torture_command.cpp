// flashloom torture: a device under power cuts, verified after each.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "controllers/ftl/ftl_rules.hpp"
#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/version.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/interrupt_watch.hpp"
#include "sc_main/verify/array_torture.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "sc_main/verify/guest_torture.hpp"
#include "sc_main/verify/heap_torture.hpp"
#include "sc_main/verify/interface_torture.hpp"
#include "sc_main/verify/pair_torture.hpp"
#include "sc_main/verify/torture_options.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kCutsADrive = 100;

std::string reproducer(const TortureOptions& options, const TortureFailure& failure) {
  std::string text = command_line(options);
  if (options.timed) text += " --timed";
  // A failure due to a cut may be detected only before the next one: one more cut reproduces it.
  return text + fmt::format(" --seed {} --cuts {}", failure.seed, failure.cut + 1);
}

template <class Counts>
void print_failures(std::ostream& out, const Counts& counts) {
  if (counts.program_failures + counts.erase_failures != 0)
    out << fmt::format("  {} programs and {} erases failed\n", counts.program_failures, counts.erase_failures);
}

void print(std::ostream& out, const TortureCounts& counts, std::uint64_t drives) {
  out << fmt::format("{} power cuts on {} drives, {} of them in a mount, {} between requests; {} requests\n",
                     counts.cuts, drives, counts.in_recovery, counts.idle, counts.requests);
  for (std::size_t operation = 0; operation < kFlashOperations; ++operation) {
    std::string line;
    for (std::size_t origin = 0; origin < kOrigins; ++origin)
      if (const std::uint64_t n = counts.struck[operation][origin]; n != 0)
        line += fmt::format("  {} {}", to_string(static_cast<Origin>(origin)), n);
    if (!line.empty()) out << fmt::format("  struck {:8}{}\n", to_string(static_cast<FlashOperation>(operation)), line);
  }
  out << fmt::format(
      "  {} mounts: {:.1f} flash reads on the mean, {} at most; {} pages of the metadata log, {} torn pages\n",
      counts.mounts,
      counts.mounts == 0 ? 0.0 : static_cast<double>(counts.mount_reads) / static_cast<double>(counts.mounts),
      counts.most_mount_reads.value, counts.log_pages, counts.torn_pages);
  if (counts.exhausted != 0) out << fmt::format("  capacitors gave out {} times\n", counts.exhausted);
  if (counts.read_only != 0) out << fmt::format("  {} mounts at the end of life, read-only\n", counts.read_only);
  if (counts.read_retries + counts.uncorrectable_reads + counts.scrub_moves != 0)
    out << fmt::format("  {} read retries, {} reads uncorrectable, {} units lost in copies, {} blocks scrubbed\n",
                       counts.read_retries, counts.uncorrectable_reads, counts.lost_units, counts.scrub_moves);
  print_failures(out, counts);
  out << fmt::format("  {} sectors verified\n", counts.sectors_checked);
}

std::string faults_text(const FaultStatistics& faults) {
  return fmt::format(
      "{} flushes ignored, {} FUA writes not waited for, {} units torn, {} writes lost, {} writes misdirected",
      faults.flushes_ignored, faults.fua_ignored, faults.units_torn, faults.writes_lost, faults.writes_misdirected);
}

// Reports the detected faults of --expect-faults. Returns the exit code.
int print_caught(std::ostream& out, const TortureOptions& options, std::uint64_t caught, std::uint64_t cuts,
                 const TortureFailure& first, const FaultStatistics& faults) {
  if (!options.quiet) {
    out << (cuts == 0 ? "caught before the first cut" : fmt::format("caught: {} of {} cuts", caught, cuts));
    out << fmt::format("\n  {}\n", faults_text(faults));
    if (caught != 0)
      out << fmt::format("  first after cut {} of the drive with seed {}: {}\n", first.cut, first.seed, first.what);
  }
  return caught == 0 ? 1 : 0;
}

/// --json: prints the object described in docs/reference/results.md. `first`: the first failure; null: none.
int tell_json(std::ostream& out, const TortureOptions& options, const DeviceConfig& config, const char* kind,
              std::uint64_t cuts, Json counts, const TortureFailure* first, int code) {
  Json json = {{"schema", "flashloom.torture/1"},
               {"version", flashloom_version()},
               {"device", config.name},
               {"kind", kind},
               {"seed", config.seed},
               {"cuts_wanted", options.cuts},
               {"cuts", cuts}};
  if (interrupted() && cuts < options.cuts && first == nullptr) json["partial"] = true;
  json["passed"] = code == 0;
  json["counts"] = std::move(counts);
  json["failure"] = nullptr;
  if (first != nullptr)
    json["failure"] = {{"seed", first->seed},
                       {"cut", first->cut},
                       {"caught", first->caught},
                       {"what", first->what},
                       {"struck", first->struck},
                       {"history", first->history},
                       {"reproducer", reproducer(options, *first)}};
  out << json_text(json, 2) << '\n';
  return code;
}

Json json_of(const FaultStatistics& faults) {
  return {{"flushes_ignored", faults.flushes_ignored},
          {"fua_ignored", faults.fua_ignored},
          {"units_torn", faults.units_torn},
          {"writes_lost", faults.writes_lost},
          {"writes_misdirected", faults.writes_misdirected}};
}

Json json_of(const TortureCounts& counts, std::uint64_t drives, std::uint64_t caught) {
  Json struck = Json::object();
  for (std::size_t operation = 0; operation < kFlashOperations; ++operation)
    for (std::size_t origin = 0; origin < kOrigins; ++origin)
      if (const std::uint64_t n = counts.struck[operation][origin]; n != 0)
        struck[to_string(static_cast<FlashOperation>(operation))][to_string(static_cast<Origin>(origin))] = n;
  return {{"drives", drives},
          {"drives_caught", caught},
          {"requests", counts.requests},
          {"sectors_checked", counts.sectors_checked},
          {"cuts_in_mount", counts.in_recovery},
          {"cuts_between_requests", counts.idle},
          {"struck", struck},
          {"mounts", counts.mounts},
          {"mounts_read_only", counts.read_only},
          {"mount_reads", counts.mount_reads},
          {"log_pages", counts.log_pages},
          {"torn_pages", counts.torn_pages},
          {"capacitors_exhausted", counts.exhausted},
          {"read_retries", counts.read_retries},
          {"uncorrectable_reads", counts.uncorrectable_reads},
          {"lost_units", counts.lost_units},
          {"scrub_moves", counts.scrub_moves},
          {"program_failures", counts.program_failures},
          {"erase_failures", counts.erase_failures},
          {"faults", json_of(counts.faults)}};
}

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

Json json_of(const InterfaceTortureCounts& counts) {
  Json completed = Json::object();
  for (std::size_t i = 0; i < kPlainOperations; ++i) completed[kIoOperationNames[i]] = counts.completed[i];
  return {{"requests", counts.requests},
          {"sectors_checked", counts.sectors_checked},
          {"cuts_in_mount", counts.in_mount},
          {"requests_lost", counts.lost},
          {"completed", completed},
          {"interrupts", counts.interrupts},
          {"read_retries", counts.read_retries},
          {"scrub_moves", counts.scrub_moves},
          {"folded_blocks", counts.folded_blocks},
          {"bad_blocks", counts.bad_blocks},
          {"program_failures", counts.program_failures},
          {"erase_failures", counts.erase_failures},
          {"faults", json_of(counts.faults)}};
}

Json json_of(const PairTortureCounts& counts) {
  Json behind = Json::object();
  for (std::size_t step = 0; step < kTierSteps; ++step)
    behind[to_string(static_cast<TierStep>(step))] = counts.at_step[step];
  return {{"requests", counts.requests},
          {"sectors_checked", counts.sectors_checked},
          {"cuts_in_start", counts.in_start},
          {"cuts_orderly", counts.orderly},
          {"cuts_behind", behind},
          {"passes", counts.passes},
          {"segments_filled", counts.segments_filled},
          {"segments_written_back", counts.segments_written_back},
          {"unreadable_requests", counts.unreadable_requests},
          {"unreadable_blocks", counts.unreadable_blocks},
          {"lost_requests", counts.lost_requests},
          {"retired", counts.retired}};
}

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

void print_failure(std::ostream& out, const TortureOptions& options, const TortureFailure& failure) {
  out << fmt::format(
      "FAILED after cut {} of the drive with seed {}: {}\nthe last cut struck {}\nhistory, newest last:\n", failure.cut,
      failure.seed, failure.what, failure.struck);
  for (const std::string& line : failure.history) out << "  " << line << '\n';
  out << "to see it again:\n  " << reproducer(options, failure) << '\n';
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

int torture_interface(const TortureOptions& options, const DeviceConfig& config, std::ostream& out) {
  InterfaceTorture drive(config, config.seed);
  const bool good = drive.run(options.cuts);
  if (options.json) {
    const bool caught = !good && drive.failure().caught;
    const bool passed = options.expect_faults ? caught : good;
    const InterfaceTortureCounts counts = drive.counts();
    return tell_json(out, options, config, "interface", counts.cuts, json_of(counts), good ? nullptr : &drive.failure(),
                     passed ? 0 : 1);
  }
  if (options.expect_faults && (good || drive.failure().caught)) {
    const InterfaceTortureCounts counts = drive.counts();
    return print_caught(out, options, good ? 0 : 1, counts.cuts, drive.failure(), counts.faults);
  }
  if (!good) {
    print_failure(out, options, drive.failure());
    if (config.faults.any() && drive.failure().caught)
      out << "a drive that lies was caught: " << faults_text(drive.counts().faults) << '\n';
    return 1;
  }
  if (options.quiet) return 0;
  const InterfaceTortureCounts counts = drive.counts();
  out << fmt::format(
      "{} power cuts of a drive behind {}, {} of them in a mount; {} requests of {} queues, {} lost power\n",
      counts.cuts, config.host_interface.kind.name, counts.in_mount, counts.requests, config.host.queues, counts.lost);
  out << " ";
  for (std::size_t i = 0; i < kPlainOperations; ++i)
    out << fmt::format(" {} {}", kIoOperationNames[i], counts.completed[i]);
  out << "\n";
  const OverlapCounts& overlap = counts.overlap;
  if (overlap.cached_reads + overlap.cached_programs + overlap.interrupting_reads != 0)
    out << fmt::format("  {} cached reads, {} cached programs; {} programs and {} erases suspended\n",
                       overlap.cached_reads, overlap.cached_programs, overlap.suspended_programs,
                       overlap.suspended_erases);
  if (counts.interrupts != 0)
    out << fmt::format("  {} interrupts for {} completions\n", counts.interrupts, counts.reported);
  if (counts.read_retries + counts.scrub_moves + counts.folded_blocks + counts.bad_blocks != 0)
    out << fmt::format("  {} read retries, {} blocks scrubbed, {} folded, {} bad at the end\n", counts.read_retries,
                       counts.scrub_moves, counts.folded_blocks, counts.bad_blocks);
  print_failures(out, counts);
  out << fmt::format("  {} sectors verified\n", counts.sectors_checked);
  return 0;
}

int torture_drives(const TortureOptions& options, const DeviceConfig& config, std::ostream& out) {
  TortureCounts counts;
  TortureFailure first;
  std::uint64_t drives = 0;
  std::uint64_t caught = 0;
  while (counts.cuts < options.cuts && !interrupted()) {
    DriveTorture drive(config, config.seed + drives);
    ++drives;
    const bool good = drive.run(std::min(kCutsADrive, options.cuts - counts.cuts));
    counts += drive.counts();
    if (good) continue;
    if (options.expect_faults && drive.failure().caught) {
      if (caught++ == 0) first = drive.failure();
      continue;
    }
    if (options.json)
      return tell_json(out, options, config, "drives", counts.cuts, json_of(counts, drives, caught), &drive.failure(),
                       1);
    print_failure(out, options, drive.failure());
    if (config.faults.any() && drive.failure().caught)
      out << "a drive that lies was caught: " << faults_text(drive.counts().faults) << '\n';
    return 1;
  }
  if (options.json)
    return tell_json(out, options, config, "drives", counts.cuts, json_of(counts, drives, caught),
                     caught == 0 ? nullptr : &first, options.expect_faults && caught == 0 ? 1 : 0);
  if (options.expect_faults) return print_caught(out, options, caught, counts.cuts, first, counts.faults);
  if (!options.quiet) print(out, counts, drives);
  return 0;
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
  out << fmt::format("  {} passes, {} segments filled, {} written back\n  {} sectors verified\n", counts.passes,
                     counts.segments_filled, counts.segments_written_back, counts.sectors_checked);
  if (counts.unreadable_requests + counts.unreadable_blocks + counts.lost_requests != 0)
    out << fmt::format(
        "  {} reads and {} blocks of the journal that the SSD could not read; {} requests to what is lost\n",
        counts.unreadable_requests, counts.unreadable_blocks, counts.lost_requests);
  if (counts.retired) out << "  the SSD is not used any more\n";
  return 0;
}

int torture_array(const TortureOptions& options, const DeviceConfig& config, std::ostream& out) {
  if (options.timed) throw UsageError("--timed: is of a drive; arrays are timed as it is");
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

int torture_device(const TortureOptions& options, std::ostream& out) {
  DeviceConfig device = load_device(options.device, options.overrides, options.seed).device;
  if (options.expect_faults && !device.faults.any())
    throw UsageError(
        "--expect-faults: is of a device with [faults], and has none; `flashloom list config` has the keys");
  device.host.cache.size = 0;  // the host may lose its cached writes: only the device is tested
  if (device.array.present()) return torture_array(options, device, out);
  if (options.timed) {
    if (device.heap.present() || device.hdd.capacity != 0)
      throw UsageError("--timed: is of a drive; heaps and tiers are timed as it is");
    if (is_zoned(device.ftl)) throw UsageError("--timed: its hosts write anywhere; zones are cut on the instant clock");
    return torture_interface(options, device, out);
  }
  if (device.heap.present()) return torture_heap(options, device, out);
  return device.hdd.capacity == 0 ? torture_drives(options, device, out) : torture_pair(options, device, out);
}

int torture_command(const TortureOptions& options, std::ostream& out) {
  if (!options.scenario.empty()) {
    if (guest_torture == nullptr) throw UsageError("--linux: this flashloom is built without `attach`");
    return guest_torture(options, out);
  }
  const InterruptWatch watch;
  interruption_throws = false;  // an interruption ends the torture between two cuts
  const int code = torture_device(options, out);
  if (!interrupted() || code != 0) return code;
  if (!options.quiet && !options.json) out << "partial: interrupted before the last cut\n";
  return kInterruptedCode;
}

const RegisterCommand registered_torture(kTortureCommand, torture_command, Signals::OfCommand);

}  // namespace
}  // namespace flashloom
