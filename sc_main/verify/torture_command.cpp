// flashloom torture: a device under power cuts, verified after each.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "controllers/ftl/ftl_rules.hpp"
#include "sc_main/assembly/config/stack_kind.hpp"
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/interrupt_watch.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "sc_main/verify/guest_torture.hpp"
#include "sc_main/verify/interface_torture.hpp"
#include "sc_main/verify/torture_answers.hpp"
#include "sc_main/verify/torture_options.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kCutsADrive = 100;

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

int torture_device(const TortureOptions& options, std::ostream& out) {
  DeviceConfig device = load_device(options.device, options.overrides, options.seed).device;
  if (options.expect_faults && !device.faults.any())
    throw UsageError(
        "--expect-faults: is of a device with [faults], and has none; `flashloom list config` has the keys");
  device.host.cache.size = 0;  // the host may lose its cached writes: only the device is tested
  if (const StackKind* const kind = stack_kind_of(device); kind != nullptr) {
    if (options.timed) throw UsageError("--timed: is of a drive; arrays, heaps and tiers are timed as it is");
    return stack_tortures().at(kind->name)(options, device, out);
  }
  if (options.timed) {
    if (is_zoned(device.ftl)) throw UsageError("--timed: its hosts write anywhere; zones are cut on the instant clock");
    return torture_interface(options, device, out);
  }
  return torture_drives(options, device, out);
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
