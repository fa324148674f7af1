#include "tests/support/experiment.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/report/report.hpp"
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/system/power_figures.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/uncertainty/energy_work.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/source_dir.hpp"

namespace flashloom {
namespace {

// The preset's shape, or one that fits real drives of TLC.
const std::vector<std::string>& small_shape(const std::string& name) {
  // SLC caches have tests of their own: with them some shapes would not fit. Read caches too: with them the two clocks
  // may differ.
  static const std::vector<std::string> tlc_without_slc = {
      "nand.channels=2",     "nand.ways=1",          "nand.blocks=24",
      "nand.pages=12",       "ftl.logical_size=0 B", "ftl.over_provisioning=1.0",
      "buffer.size=1 MiB",   "nand.slc_blocks=0",    "nand.slc_dynamic=0",
      "buffer.read_cache=0", "buffer.read_ahead=0 B"};
  static const std::map<std::string, std::vector<std::string>> shapes = {
      {"calibration", {"nand.channels=2", "nand.ways=2", "nand.blocks=16", "nand.pages=16", "buffer.size=128 KiB"}},
      {"cosmos-openssd", {"nand.channels=2", "nand.ways=2", "nand.blocks=16", "nand.pages=16", "buffer.size=256 KiB"}},
      // Three translation pages; the host memory buffer holds two.
      {"dramless-tlc-256gb",
       {"nand.channels=2", "nand.ways=1", "nand.blocks=24", "nand.pages=12", "ftl.logical_size=9 MiB", "dram.size=0 B",
        "ftl.kind.cmt_size=2 KiB", "hmb.size=8 KiB"}},
      // An odd number of channels.
      {"intel-750-400gb",
       {"nand.channels=3", "nand.ways=1", "nand.blocks=16", "nand.pages=16", "ftl.logical_size=12 MiB",
        "buffer.size=512 KiB"}},
      {"mqsim-default", {"nand.channels=2", "nand.ways=1", "nand.blocks=8", "nand.pages=16", "buffer.size=256 KiB"}},
      // One-shot TLC on four planes: a program unit of 12 pages, 48 mapping units.
      {"nvme-tlc-1tb",
       {"nand.channels=2", "nand.ways=1", "nand.planes=4", "nand.blocks=16", "nand.pages=12", "ftl.logical_size=12 MiB",
        "buffer.size=1 MiB"}},
      // Program units of 8 pages, 32 mapping units. One pass: with two, padding depends on what is in flight (as with
      // paired pages).
      {"qlc-2tb",
       {"nand.channels=2", "nand.ways=1", "nand.planes=2", "nand.blocks=24", "nand.pages=32", "ftl.logical_size=20 MiB",
        "buffer.size=2 MiB", "nand.slc_blocks=0", "nand.slc_dynamic=0", "nand.program_passes=1",
        "nand.first_pass_time=0 s"}},
      {"samsung-970-pro-512gb",
       {"nand.channels=2", "nand.ways=1", "nand.blocks=16", "nand.pages=16", "ftl.logical_size=8 MiB",
        "buffer.size=512 KiB", "buffer.read_cache=0", "buffer.read_ahead=0 B"}},
      {"slc-small-block", {"nand.blocks=16", "nand.pages=32", "buffer.size=32 KiB"}},
      {"tiny", {"nand.blocks=16", "nand.pages=16", "buffer.size=64 KiB"}}};
  const auto found = shapes.find(name);
  return found == shapes.end() ? tlc_without_slc : found->second;
}

Json counters_json(const FlashCounters& counters) {
  Json json;
  for (const FlashOperation operation : {FlashOperation::Read, FlashOperation::Program, FlashOperation::Erase})
    for (std::size_t i = 0; i < kOrigins; ++i) {
      const FlashCount& count = counters.at(operation, static_cast<Origin>(i));
      json[std::string(operation == FlashOperation::Read      ? "read"
                       : operation == FlashOperation::Program ? "program"
                                                              : "erase")][to_string(static_cast<Origin>(i))] = {
          count.commands, count.pages, count.units, count.bus_bytes};
    }
  return json;
}

Json statistics_json(const FtlStatistics& statistics) {
  Json streams;
  for (const FtlStatistics::Stream& stream : statistics.streams)
    streams.push_back({stream.units_written, stream.units_padded});
  return {{"streams", streams},
          {"units_written", statistics.units_written},
          {"units_moved", statistics.units_moved},
          {"gc_runs", statistics.gc_runs},
          {"slc_written", statistics.slc.units_written},
          {"slc_past", statistics.slc.units_past},
          {"folds", statistics.slc.folds},
          {"units_folded", statistics.slc.units_folded},
          {"merges", {statistics.merges.switched, statistics.merges.partial, statistics.merges.full}},
          {"units_leveled", statistics.units_leveled},
          {"wear_moves", statistics.wear_moves},
          {"units_scrubbed", statistics.units_scrubbed},
          {"scrub_moves", statistics.scrub_moves},
          {"map_cache",
           {statistics.map_cache.hits, statistics.map_cache.misses, statistics.map_cache.reads,
            statistics.map_cache.writes}},
          {"units_padded", statistics.units_padded},
          {"units_trimmed", statistics.units_trimmed},
          {"free_blocks_min", statistics.free_blocks_min.value}};
}

Json buffer_json(const BufferStatistics& statistics) {
  return {{"write_units", statistics.write_units},
          {"write_hits", statistics.write_hits},
          {"read_units", statistics.read_units},
          {"read_hits", statistics.read_hits},
          {"destage_hits", statistics.destage_hits},
          {"evictions", statistics.evictions},
          {"evicted_groups", statistics.evicted_groups},
          {"padding_units", statistics.padding_units},
          {"correlated", {statistics.correlated_sets, statistics.correlated_units}},
          {"destages", statistics.destages},
          {"refused_units", statistics.refused_units},
          {"evictions_clean", statistics.evictions_clean},
          {"read_hits_clean", statistics.read_hits_clean},
          {"parts",
           {{statistics.parts[0].write_hits, statistics.parts[0].read_hits},
            {statistics.parts[1].write_hits, statistics.parts[1].read_hits}}},
          {"read_ahead", {statistics.read_ahead_units, statistics.read_ahead_used, statistics.read_ahead_wasted}}};
}

// Checks the breakdown of every request, and sums its parts.
class BreakdownSums final : public HostObserver {
 public:
  explicit BreakdownSums(const DeviceConfig& config)
      : host_(config.host), tier_(config.hdd.capacity != 0 || config.array.present()) {}
  void completed(const IoCommand& command, std::uint32_t, bool) override {
    if (command.status != IoStatus::Ok) return;
    const LatencyBreakdown& breakdown = command.breakdown;
    if (breakdown.sum() != command.at.complete - command.at.arrival)
      throw std::logic_error("the parts of a latency do not add to it");
    const Picoseconds ahead = breakdown.of(LatencyPart::Backlog) + breakdown.of(LatencyPart::Host) -
                              host_.complete_latency - host_.complete_cost;
    const Picoseconds slat = command.at.accepted - command.at.arrival;
    if (host_.cache.size == 0 && !tier_ &&                          // the cache's and tier's time is the host's, too
        (host_.complete_cost == 0 ? ahead != slat : ahead < slat))  // a completion may wait for its thread
      throw std::logic_error("backlog and driver do not add to slat");
    for (std::size_t part = 0; part < kLatencyParts; ++part)
      sums_[static_cast<std::size_t>(command.operation)][part] += breakdown.parts()[part];
  }
  Json json() const {
    Json json;
    for (std::size_t operation = 0; operation < kIoOperations; ++operation)
      for (std::size_t part = 0; part < kLatencyParts; ++part)
        json[kIoOperationNames[operation]][to_string(static_cast<LatencyPart>(part))] = sums_[operation][part];
    return json;
  }

 private:
  const HostConfig& host_;
  bool tier_;
  std::array<std::array<Picoseconds, kLatencyParts>, kIoOperations> sums_{};
};

// Records when commands entered and left the queue, and how many left at one instant.
class Completions final : public HostObserver {
 public:
  void completed(const IoCommand& command, std::uint32_t, bool) override {
    ++instants_[command.at.complete];
    changes_.emplace_back(command.at.accepted, 1);
    changes_.emplace_back(command.at.complete, -1);
  }
  Json instants() const {
    Json json = Json::array();
    for (const auto& [at, count] : instants_) json.push_back({at, count});
    return json;
  }
  /// A command that leaves makes room for one that enters at the same instant.
  int most_in_queue() {
    std::sort(changes_.begin(), changes_.end());
    int now = 0;
    int most = 0;
    for (const auto& [at, change] : changes_) most = std::max(most, now += change);
    return most;
  }

 private:
  std::map<Picoseconds, std::uint64_t> instants_;
  std::vector<std::pair<Picoseconds, int>> changes_;
};

// The energy computed from the counts and the configuration must equal the energy that the run reported.
void check_recomputed(const DeviceConfig& config, const EnergyReport& books) {
  const auto figures = [&config](const ComponentEnergy& component) { return power_figures(config, component); };
  const EnergyReport anew = recomputed_energy(books, figures);
  bool same = anew.total_j == books.total_j && anew.background_j == books.background_j &&
              anew.average_w == books.average_w && anew.operations.size() == books.operations.size();
  for (const auto& [row, operation] : books.operations)
    same = same && anew.operations.count(row) != 0 && anew.operations.at(row).joules == operation.joules;
  if (!same) throw std::runtime_error("energy that is computed anew with the same figures is another one");
}

// Adds the rest of the result, once the device is quiescent.
void close_books(Simulation& simulation, Json& result, const FlashCounters& counters) {
  result["counters"] = counters_json(counters);
  result["ftl_statistics"] = statistics_json(simulation.ssd().ftl_statistics());
  result["buffer_statistics"] = buffer_json(simulation.ssd().buffer_statistics());
  if (const HostMemoryBuffer* const buffer = simulation.ssd().host_memory()) {
    const HostMemoryBuffer::Counters& counts = buffer->counters();
    result["hmb_counts"] = {{"hits", counts.hits},
                            {"misses", counts.misses},
                            {"fills", counts.fills},
                            {"write_backs", counts.write_backs},
                            {"reads", {counts.reads, counts.read_bytes}},
                            {"writes", {counts.writes, counts.write_bytes}}};
  }
  result["digest"] = simulation.ssd().media().digest();
  if (simulation.oracle() != nullptr) {
    const std::uint64_t audited = simulation.audit();
    result["verify"] = verify_result(*simulation.oracle(), audited, simulation.unreadable_sectors());
  }
  simulation.ssd().firmware().ftl().check();
}

}  // namespace

std::vector<std::string> preset_names() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/configs"))
    if (entry.path().extension() == ".toml" && !entry.path().stem().string().ends_with("-zns"))
      names.insert(entry.path().stem().string());
  return {names.begin(), names.end()};
}

DeviceConfig preset(const std::string& name, const std::vector<std::string>& overrides) {
  return load_config(source_dir() + "/configs/" + name + ".toml", overrides).device;
}

DeviceConfig small_preset(const std::string& name, const std::vector<std::string>& overrides) {
  std::vector<std::string> all = small_shape(name);
  all.emplace_back("verify=true");
  const auto sets = [&](const char* key) {
    return std::any_of(all.begin(), all.end(), [&](const std::string& text) { return text.starts_with(key); });
  };
  if (!sets("dram.size=")) all.emplace_back("dram.size=64 MiB");
  if (!sets("ftl.logical_size=")) all.emplace_back("ftl.over_provisioning=1.0");
  all.insert(all.end(), overrides.begin(), overrides.end());
  return preset(name, all);
}

MixOptions mix_for(const DeviceConfig& config, std::uint64_t seed, std::uint64_t requests) {
  MixOptions mix;
  mix.seed = seed;
  mix.requests = requests;
  mix.capacity = capacity_bytes(config);
  mix.unit = config.ftl.mapping_unit;
  mix.sector = config.host_interface.sector_size;
  return mix;
}

Json simulate(const DeviceConfig& config, const std::vector<TestJob>& jobs, const std::string& state) {
  return in_child([&] {
    LoadedConfig loaded;
    loaded.device = config;
    Simulation simulation(loaded.device);
    PreconditionResult precondition;
    if (state.empty()) {
      precondition = simulation.precondition();
    } else {
      StateReader reader(state);
      simulation.state(reader, precondition);
      reader.finish();
    }
    std::vector<HostJob> host_jobs;
    for (const TestJob& job : jobs) {
      HostJob& host_job = host_jobs.emplace_back();
      host_job.source = std::make_unique<ListSource>(job.requests);
      host_job.open_loop = job.iodepth == 0;
      host_job.iodepth = std::max(job.iodepth, 1U);
      host_job.queue = job.queue;
      host_job.name = job.name;
      host_job.group = job.group;
      host_job.ramp_time = job.ramp_time;
      host_job.start_delay = job.start_delay;
      host_job.queues = job.queues;
      host_job.offset = job.offset;
      host_job.name_space = job.name_space;
    }
    BreakdownSums breakdowns(config);
    simulation.host().attach(breakdowns);
    Completions completions;
    simulation.host().attach(completions);
    simulation.run(std::move(host_jobs));
    Json result = make_result(loaded, {}, precondition, simulation);
    const EnergyReport books = simulation.ssd().ledger().report();
    check_recomputed(config, books);
    result["work"] = work_json(energy_work(books, 1e9));
    result["end_ps"] = simulation.end();
    result["breakdown_ps"] = breakdowns.json();
    result["interrupted_ps"] = completions.instants();
    result["most_in_queue"] = completions.most_in_queue();
    const HostStatistics statistics = simulation.host().statistics();
    for (std::size_t operation = 0; operation < kIoOperations; ++operation) {
      const LatencyHistogram& latency = statistics.operations[operation].latency;
      result["latency_ps"][kIoOperationNames[operation]] = {latency.minimum(), latency.maximum()};
    }
    simulation.quiesce();
    result["rest_ps"] = simulation.end();
    const FlashCounters counters = simulation.ssd().flash().counters();
    close_books(simulation, result, counters);
    return result;
  });
}

void save_state(const DeviceConfig& config, const std::string& path) {
  in_child([&] {
    StateWriter writer(path, header_of(config));
    Simulation simulation(config);
    PreconditionResult precondition = simulation.precondition();
    simulation.state(writer, precondition);
    writer.commit();
    return Json();
  });
}

Json run_instantly(const DeviceConfig& config, const std::vector<Request>& requests) {
  return in_child([&] {
    Simulation simulation(config);
    simulation.precondition();
    InstantHost host = simulation.instant_host();
    for (const Request& request : requests) host.run(request);
    Json result;
    const FlashCounters counters = simulation.ssd().instant_flash().counters();
    close_books(simulation, result, counters);
    return result;
  });
}

}  // namespace flashloom
