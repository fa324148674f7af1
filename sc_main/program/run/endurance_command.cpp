// flashloom endurance: writes a workload on the instant clock until the device is worn out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "sc_main/assembly/report/report.hpp"
#include "sc_main/assembly/report/ssd_report.hpp"
#include "sc_main/assembly/report/wear_report.hpp"
#include "sc_main/assembly/report/workload.hpp"
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/system/instant_rest.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/assembly/version.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/options/run_options.hpp"
#include "sc_main/program/pictures/tables.hpp"
#include "sc_main/program/run/interrupt_watch.hpp"
#include "sc_main/program/run/open_workload.hpp"
#include "sc_main/program/run/progress.hpp"
#include "sc_main/program/run/result_folder.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEnduranceSchema = "flashloom.endurance/1";
constexpr const char* kEnduranceFile = "endurance.json";

class Life {
 public:
  Life(const EnduranceOptions& options, LoadedConfig& config, Simulation& simulation)
      : options_(options), config_(config), simulation_(simulation), host_(simulation.instant_host()) {}

  /// Carries out the workload once. Returns false when the device is worn out, or has been written as much as asked
  /// for.
  bool pass(Progress& progress) {
    DeviceConfig device = config_.device;
    device.seed += passes_++;  // changes the workload's random choices only
    RunOptions run = options_.run;
    run.seed = device.seed;
    Workload workload = open_workload(run, device, space());
    name_of_ = workload.file;
    hash_of_ = workload.hash;
    kind_of_ = workload.kind;
    const std::uint64_t before = written_;
    const std::uint64_t first = requests_;
    const bool by_time = std::ranges::any_of(workload.jobs, [](const HostJob& job) { return job.runtime != 0; });
    bool any = true;
    while (any) {  // a request of each job in turn
      any = false;
      for (HostJob& job : workload.jobs) {
        Request request;
        if (!job.source->next(request)) continue;
        any = true;
        if (request.kind != RequestKind::Flush) request.offset += job.offset;
        rest_until(request.arrival_ps);
        if (!carry_out(request)) return false;
        if ((++requests_ & 0xfff) != 0) continue;
        progress.run(requests_);
        if (interrupted()) {
          stopped_ = true;
          return false;
        }
        if (options_.max_drive_writes == 0) require_wear();
        // The instant clock has no time: a workload that only its runtime ends would not end.
        if (by_time && written_ == before && requests_ - first > kReadsEnough) writes_nothing();
      }
    }
    last_arrival_ = 0;
    if (written_ == before) writes_nothing();
    return true;
  }

  /// Whether the user interrupted it.
  bool stopped() const { return stopped_; }

  Json result() {
    Ssd& ssd = simulation_.ssd();
    const FlashCounters& counters = ssd.instant_flash().counters();
    const FtlStatistics statistics = ssd.ftl_statistics();
    const auto drive_writes = [this](std::uint64_t bytes) {
      return static_cast<double>(bytes) / static_cast<double>(simulation_.capacity_bytes());
    };
    Json json;
    json["schema"] = kEnduranceSchema;
    json["version"] = flashloom_version();
    json["seed"] = config_.device.seed;
    json["device"] = device_json(config_, simulation_);
    json["workload"] = {{"kind", kind_of_}, {"file", name_of_}, {"hash", hash_of_}};
    json["end"] = ssd.firmware().ftl().read_only() ? "read_only" : stopped_ ? "interrupted" : "max_drive_writes";
    if (stopped_) json["partial"] = true;
    json["written_bytes"] = written_;
    json["drive_writes"] = drive_writes(written_);
    json["passes"] = passes_;
    json["first_bad_block"] = nullptr;
    if (first_bad_ != 0)
      json["first_bad_block"] = {{"written_bytes", first_bad_}, {"drive_writes", drive_writes(first_bad_)}};
    const FlashCount programs = counters.total(FlashOperation::Program);
    json["waf"] = written_ == 0
                      ? 0.0
                      : static_cast<double>(programs.pages * ssd.geometry().page_bytes) / static_cast<double>(written_);
    json["flash"] = flash_json(counters);
    json["wear_moves"] = statistics.wear_moves;
    json["units_leveled"] = statistics.units_leveled;
    json["background_steps"] = background_steps_;
    json["wear"] = wear_json(ssd.media(), ssd.firmware().ftl().bad_blocks());
    json["verify"] = nullptr;
    if (simulation_.oracle() != nullptr) {
      const std::uint64_t audited = simulation_.audit();
      json["verify"] = verify_result(*simulation_.oracle(), audited, simulation_.unreadable_sectors());
    }
    json["config"] = effective_json(config_.device);
    return json;
  }

 private:
  static constexpr std::uint64_t kReadsEnough = 1 << 20;

  [[noreturn]] void writes_nothing() const {
    throw UsageError("endurance: the workload " + name_of_ + " writes nothing: the device would live for ever");
  }
  DeviceSpace space() const { return device_space(config_.device); }

  // Does background work in the idle time before an arrival.
  void rest_until(Picoseconds arrival) {
    if (arrival > last_arrival_) background_steps_ += rest_instantly(host_, config_.device, arrival - last_arrival_);
    last_arrival_ = std::max(last_arrival_, arrival);
  }

  // A workload that the buffer absorbs never reaches the flash, and would never wear the device out.
  void require_wear() {
    constexpr std::uint64_t kFills = 100;  // the host writes so many times the buffer's size without a program
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 30;
    const std::uint64_t pages = simulation_.ssd().instant_flash().counters().total(FlashOperation::Program).pages;
    if (pages != pages_programmed_) {
      pages_programmed_ = pages;
      written_at_program_ = written_;
    }
    const std::uint64_t size = config_.device.buffer.size;
    if (written_ - written_at_program_ < std::max(kFills * size, kLeast)) return;
    throw UsageError(fmt::format(
        "endurance: buffer.size: {} take in all that {} writes: no page was programmed while the host wrote {} (the "
        "device holds {}), so no block would ever fail; make buffer.size smaller, or say --max-drive-writes N",
        format_exact(Quantity::Bytes, size), name_of_, format_exact(Quantity::Bytes, written_ - written_at_program_),
        format_exact(Quantity::Bytes, simulation_.capacity_bytes())));
  }

  std::uint32_t bad_from_factory() const {
    const NandGeometry& geometry = simulation_.ssd().geometry();
    const BlockEndurance& endurance = simulation_.ssd().media().endurance();
    std::uint32_t count = 0;
    for (std::uint32_t block = 0; endurance.has_factory_bad() && block < geometry.dies * geometry.blocks; ++block)
      count += endurance.bad_from_factory(block) ? 1 : 0;
    return count;
  }
  std::uint32_t bad_blocks() const { return simulation_.ssd().firmware().ftl().bad_blocks(); }

  bool carry_out(const Request& request) {
    if (host_.run(request) == IoStatus::WriteProtected) return false;
    if (request.kind == RequestKind::Write) written_ += request.length;
    if (first_bad_ == 0 && bad_blocks() != bad_from_factory_) first_bad_ = written_;
    return options_.max_drive_writes == 0 ||
           static_cast<double>(written_) <
               options_.max_drive_writes * static_cast<double>(simulation_.capacity_bytes());
  }

  const EnduranceOptions& options_;
  LoadedConfig& config_;
  Simulation& simulation_;
  InstantHost host_;
  std::string kind_of_, name_of_, hash_of_;
  std::uint64_t passes_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t written_ = 0;
  std::uint32_t bad_from_factory_ = bad_from_factory();
  std::uint64_t first_bad_ = 0;  // bytes written when the first block failed
  std::uint64_t background_steps_ = 0;
  std::uint64_t pages_programmed_ = 0;    // when require_wear() looked last
  std::uint64_t written_at_program_ = 0;  // bytes written when it saw programs last
  Picoseconds last_arrival_ = 0;
  bool stopped_ = false;
};

void print(std::ostream& out, const Json& result) {
  const Json& wear = result["wear"];
  out << fmt::format("{}: {} of {}, {}: {:.4g} drive writes ({:.4g} GB)\n", result["device"]["name"].get<std::string>(),
                     result["workload"]["kind"].get<std::string>(), result["workload"]["file"].get<std::string>(),
                     result["end"] == "read_only"     ? "worn out, read-only after"
                     : result["end"] == "interrupted" ? "partial: interrupted after"
                                                      : "stopped after",
                     result["drive_writes"].get<double>(), result["written_bytes"].get<double>() / 1e9);
  if (!result["first_bad_block"].is_null())
    out << fmt::format("  first  bad block after {:.4g} drive writes\n",
                       result["first_bad_block"]["drive_writes"].get<double>());
  out << fmt::format("  flash  WAF {:.3f}; {} page programs, {} erases; {} blocks moved by wear levelling\n",
                     result["waf"].get<double>(), result["flash"]["programs"]["total"]["pages"].get<std::uint64_t>(),
                     result["flash"]["erases"]["total"].get<std::uint64_t>(),
                     result["wear_moves"].get<std::uint64_t>());
  out << fmt::format("  wear   {} of {} erase units bad; erases {} to {}, mean {:.2f}, deviation {:.2f}\n",
                     wear["bad_blocks"].get<std::uint64_t>(), wear["erase_units"].get<std::uint64_t>(),
                     wear["erases_min"].get<std::uint64_t>(), wear["erases_max"].get<std::uint64_t>(),
                     wear["erases_mean"].get<double>(), wear["erases_stddev"].get<double>());
  if (!result["verify"].is_null())
    out << fmt::format("  verify {} sectors checked, {} mismatches\n",
                       result["verify"]["reads_checked"].get<std::uint64_t>(),
                       result["verify"]["mismatches"].get<std::uint64_t>());
}

int endurance_command(const EnduranceOptions& options, std::ostream& out) {
  LoadedConfig config = load_device(options.run.device, options.run.overrides, options.run.seed);
  config.device.heap.nvram.size = 0;   // the workload goes to the device, not to a heap on it
  config.device.array.level = "none";  // and to one drive
  raise_queues(options.run, config.device);
  // A single injected failure does not wear a device out.
  if (!config.device.nand.wears_out() && options.max_drive_writes == 0)
    throw UsageError("endurance: nand.endurance is 0, blocks never fail; set it, or say --max-drive-writes N");
  std::optional<FileLock> folder;
  if (!options.run.out.empty()) folder.emplace(make_result_folder(options.run.out));
  Progress progress(options.run.quiet);
  Simulation simulation(config.device, {.keep_versions = false});
  simulation.precondition([&](const char* step, double share) { progress.precondition(step, share); });
  InterruptWatch::finish_in_order();
  Life life(options, config, simulation);
  progress.begin_run(0);
  while (life.pass(progress)) {
  }
  const Json result = life.result();
  progress.end();
  if (!options.run.out.empty()) {
    write_whole(std::filesystem::path(options.run.out) / "wear.csv", wear_csv(simulation.ssd().media()));
    write_whole(std::filesystem::path(options.run.out) / kEnduranceFile, json_text(result, 2) + "\n");
  }
  if (options.run.json)
    out << json_text(result, 2) << '\n';
  else if (!options.run.quiet)
    print(out, result);
  if (simulation.oracle() != nullptr && simulation.oracle()->mismatches() != 0)
    throw SimulationFailure("data did not verify: " + simulation.oracle()->first_mismatch());
  return life.stopped() ? kInterruptedCode : 0;
}

const RegisterCommand registered_endurance(kEnduranceCommand, endurance_command);

}  // namespace
}  // namespace flashloom
