#include "sc_main/assembly/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "controllers/hardware/drive_faults.hpp"
#include "sc_main/assembly/config/power_split.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "sc_main/assembly/plugins/plugin.hpp"
#include "sc_main/assembly/report/counters_json.hpp"
#include "sc_main/assembly/report/hardware_report.hpp"
#include "sc_main/assembly/report/host_report.hpp"
#include "sc_main/assembly/report/reliability_report.hpp"
#include "sc_main/assembly/report/ssd_report.hpp"
#include "sc_main/assembly/report/thermal_report.hpp"
#include "sc_main/assembly/report/wear_report.hpp"
#include "sc_main/assembly/version.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

Json power(const Simulation& simulation, const DeviceConfig& config) {
  Json mounts = Json::array();
  for (const PowerCut& cut : simulation.power_cuts()) {
    Json json = {{"cut_s", seconds(cut.at)},
                 {"off_s", seconds(cut.off_at)},
                 {"capacitor_j", cut.capacitor_j},
                 {"exhausted", cut.exhausted},
                 {"in_mount", cut.in_mount},
                 {"units_lost", cut.units_lost},
                 {"mount", nullptr}};
    if (cut.mounted)
      json["mount"] = {{"time_s", seconds(cut.mount_time)},
                       {"flash_reads", cut.mount.reads},
                       {"log_pages", cut.mount.log_pages},
                       {"torn_pages", cut.mount.torn_pages},
                       {"from_checkpoint", cut.mount.from_checkpoint}};
    mounts.push_back(std::move(json));
  }
  const std::uint32_t atomic = config.host_interface.atomic_write;
  return {{"cuts", simulation.power_cuts().size()},
          {"recovery_s", seconds(simulation.recovery_time())},
          {"recovery", config.ftl.recovery.name},
          {"atomic_write_bytes", atomic == 0 ? config.ftl.mapping_unit : atomic},
          {"each", std::move(mounts)}};
}

Json host_cache(const PageCache* cache, const HostCacheConfig& config) {
  if (cache == nullptr) return nullptr;
  Json json = {{"pages", cache->pages().capacity()}};
  add_counters(json, cache->statistics());
  if (config.memory == "real") json["ghost_hits"] = cache->statistics().ghost_hits;
  json["dirty_bytes_at_end"] = std::uint64_t{cache->pages().dirty()} * config.page;
  json["writing_bytes_at_end"] = std::uint64_t{cache->writing()} * config.page;
  return json;
}

Json utilization(Simulation& simulation) {
  Ssd& ssd = simulation.ssd();
  const Simulation::Window& window = simulation.window();
  const Picoseconds end = simulation.end();
  const Picoseconds length = end - window.begin;
  const auto share = [length](Picoseconds part) { return ratio(count(part), count(length)); };
  Json json;
  Json& channels = json["channels"] = Json::array();
  for (std::uint32_t channel = 0; channel < ssd.geometry().channels; ++channel) {
    const BusTime time = ssd.flash().bus_time(Channel{channel}, end);
    const Picoseconds command = time.command - window.channels[channel].command;
    const Picoseconds data = time.data - window.channels[channel].data;
    channels.push_back({{"command", share(command)}, {"data", share(data)}, {"idle", share(length - command - data)}});
  }
  Json& dies = json["dies"] = Json::array();
  for (std::uint32_t die = 0; die < ssd.geometry().dies; ++die) {
    const DieActivity activity = ssd.flash().activity(Die{die}, end);
    const DieActivity& before = window.dies[die];
    dies.push_back({{"idle", share(activity.idle - before.idle)},
                    {"read", share(activity.read - before.read)},
                    {"program", share(activity.program - before.program)},
                    {"erase", share(activity.erase - before.erase)},
                    {"transfer", share(activity.transfer - before.transfer)}});
  }
  Json& cores = json["cores"] = Json::array();
  for (std::uint32_t core = 0; core < ssd.cores().cores(); ++core)
    cores.push_back(
        ssd.config().cpu.ideal
            ? 0.0
            : ratio(ssd.cores().utilization(core, end) * count(end) - window.core_busy[core], count(length)));
  return json;
}

// The network between flash controllers and chips that replaces the channel buses.
Json network_json(Ssd& ssd, Simulation& simulation) {
  const Picoseconds end = simulation.end();
  const NetworkUse& use = *ssd.flash().network_use(end);
  const double time = count(end - simulation.window().begin);
  const double transfers = count(use.transfers);
  return {{"transfers", use.transfers},
          {"conflicts", use.conflicts},
          {"wait_mean_ns", ratio(count(use.waited), transfers) / static_cast<double>(kNanosecond)},
          {"wait_max_ns", nanoseconds(use.longest_wait.value)},
          {"mean_hops", ratio(count(use.hops), transfers)},
          {"minimal_share", ratio(count(use.minimal), transfers)},
          {"own_port_share", ratio(count(use.own_port), transfers)},
          {"scout_steps", use.scout_steps},
          {"bytes", use.bytes},
          {"byte_hops", use.byte_hops},
          {"links", use.links},
          {"busy_links", ratio(count(use.link_time), time)},
          {"busiest_link", ratio(count(use.busiest_link), time)}};
}

// The measured time span, and the host's requests in it, to which the device's figures refer.
Json window_json(const Simulation& simulation, const HostTotals& host) {
  Json json = {{"begin_s", seconds(simulation.window().begin)}, {"end_s", seconds(simulation.end())}};
  for (std::size_t i = 0; i < kIoOperations; ++i)
    if (is_reported(i, host.ios[i])) json[kIoOperationNames[i]] = {{"ios", host.ios[i]}, {"bytes", host.bytes[i]}};
  return json;
}

// Bytes that were written to the (first) drive.
std::uint64_t written_bytes(const Simulation& simulation, const HostTotals& in_window) {
  return simulation.part() == nullptr ? in_window.written() : simulation.part()->written_bytes();
}

}  // namespace

nlohmann::ordered_json latency_json(const LatencyHistogram& histogram) {
  Json json;
  json["mean"] = histogram.mean() / static_cast<double>(kNanosecond);
  json["min"] = nanoseconds(histogram.minimum());
  for (const auto& [name, share] : kReportedPercentiles) json[name] = nanoseconds(histogram.percentile(share));
  json["max"] = nanoseconds(histogram.maximum());
  return json;
}

nlohmann::ordered_json device_json(const LoadedConfig& config, Simulation& simulation) {
  Json json = {{"name", config.device.name},
               {"file", config.file},
               {"hash", config.hash},
               {"capacity_bytes", simulation.capacity_bytes()},
               {"raw_bytes", simulation.ssd().geometry().raw_bytes()}};
  if (!config.dropped.empty()) json["dropped"] = config.dropped;
  return json;
}

nlohmann::ordered_json make_measured(const LoadedConfig& config, Simulation& simulation) {
  Ssd& ssd = simulation.ssd();
  const EnergyReport books = simulation.close_books();
  Json result;
  result["simulated_s"] = seconds(simulation.end());
  result["host_interface"] = host_interface_json(simulation.host(), ssd.host_interface(), config.device);
  const HostTotals in_window = simulation.totals_in_window();
  result["window"] = window_json(simulation, in_window);
  result["flash"] = flash_json(simulation.flash_counters());
  result["flash_queues"] = flash_queues_json(ssd.flash());
  if (const NandOverlap& overlap = ssd.timing().overlap(); overlap.several_commands() || overlap.page_register)
    result["flash_overlap"] = counters_json(ssd.flash().overlap_counts());
  if (config.device.nand.network.on()) result["network"] = network_json(ssd, simulation);
  result["ftl"] = ftl_json(ssd, simulation.flash_counters(), written_bytes(simulation, in_window));
  if (in_window.application_bytes != 0)
    result["write_amplification"] = write_amplification_json(in_window, result["ftl"]["waf"].get<double>());
  if (const Zones* const zones = ssd.firmware().zones()) result["zones"] = zones_json(*zones);
  result["wear"] = wear_json(ssd.media(), ssd.firmware().ftl().bad_blocks());
  result["reliability"] = reliability_json(ssd);
  if (ssd.thermal() != nullptr && simulation.timed()) result["thermal"] = thermal_json(ssd);
  result["host_cache"] = host_cache(simulation.page_cache(), config.device.host.cache);
  result["tier"] = nullptr;
  result["hdd"] = nullptr;
  if (simulation.part() != nullptr) simulation.part()->report(config.device, result);
  if (!result.contains("heap")) result["heap"] = nullptr;
  result["buffer"] = buffer_json(ssd);
  result["dram"] = memory_json(ssd.dram());
  if (ssd.sram() != nullptr) result["sram"] = memory_json(ssd.sram());
  if (ssd.host_memory() != nullptr) result["hmb"] = counters_json(ssd.host_memory()->counters());
  if (ssd.compressor() != nullptr)
    result["compression"] = compression_json(*ssd.compressor(), ssd.geometry().unit_bytes);
  result["nvram"] = memory_json(ssd.nvram());
  result["cpu"] = cpu_json(ssd.cores(), books);
  result["energy"] = energy_json(books, in_window);
  const PowerConfig& supply = config.device.power;
  if (supply.cap != 0)
    result["energy"]["cap"] = {{"w", supply.cap},
                               {"window_s", seconds(supply.cap_window)},
                               {"peak_w", simulation.end() == 0 ? 0 : ssd.flash().most_watts(simulation.end())}};
  if (supply.max_power() != 0) {
    const PowerSplit split = split_power(config.device, supply.max_power());
    result["energy"]["max_power"] = {{"w", supply.max_power()},
                                     {"window_s", seconds(supply.cap_window)},
                                     {"rest_w", split.rest},
                                     {"shared_w", supply.max_power() - split.rest}};
  }
  result["utilization"] = utilization(simulation);
  result["power"] = power(simulation, config.device);
  if (ssd.faults() != nullptr) result["faults"] = counters_json(ssd.faults()->statistics());
  return result;
}

nlohmann::ordered_json make_result(const LoadedConfig& config, const Workload& workload,
                                   const PreconditionResult& precondition, Simulation& simulation) {
  Json result;
  result["schema"] = kResultSchema;
  result["version"] = flashloom_version();
  result["seed"] = config.device.seed;
  if (!loaded_plugins().empty()) {
    Json& plugins = result["plugins"] = Json::array();
    for (const LoadedPlugin& plugin : loaded_plugins())
      plugins.push_back({{"file", plugin.file}, {"hash", plugin.hash}});
  }
  result["device"] = device_json(config, simulation);
  result["workload"] = {{"kind", workload.kind}, {"file", workload.file}, {"hash", workload.hash}};
  Json& inputs = result["workload"]["inputs"] = Json::array();
  for (const WorkloadInput& input : workload.inputs) inputs.push_back({{"file", input.file}, {"hash", input.hash}});
  if (!workload.sources.empty()) {
    Json& sources = result["workload"]["jobs"] = Json::array();
    for (const Workload::Source& source : workload.sources)
      sources.push_back({{"name", source.name}, {"kind", source.kind}, {"file", source.file}});
  }
  if (workload.kind == "job" || !workload.inert_options.empty()) {
    Json& inert = result["workload"]["inert_options"] = Json::array();
    for (const Workload::InertOption& option : workload.inert_options)
      inert.push_back({{"option", option.option}, {"value", option.value}, {"meaning", option.meaning}});
  }
  result["precondition"] = {
      {"filled_bytes", precondition.filled_bytes}, {"passes", precondition.passes}, {"waf", precondition.waf},
      {"settled", precondition.settled},           {"drawn", precondition.drawn},   {"seed", precondition.seed}};
  result["simulated_s"] = nullptr;  // keeps its place before the host's part
  result["host"] = host_json(simulation.host(), simulation.host_statistics(), config.device.host.latency_breakdown);
  result.update(make_measured(config, simulation));
  result["verify"] = nullptr;
  result["tenants"] = nullptr;
  result["config"] = effective_json(config.device);
  return result;
}

SummaryNotes summary_notes(Simulation& simulation) {
  return {
      .timed = simulation.timed(),
      .never_together = simulation.ssd().geometry().multi_plane_read && simulation.flash_counters().read_together == 0};
}

nlohmann::ordered_json verify_result(const Oracle& oracle, std::uint64_t audited_sectors,
                                     std::uint64_t unreadable_sectors) {
  return {{"reads_checked", oracle.reads_checked()},
          {"audited_sectors", audited_sectors},
          {"unreadable_sectors", unreadable_sectors},
          {"mismatches", oracle.mismatches()},
          {"first_mismatch", oracle.first_mismatch()}};
}

nlohmann::ordered_json make_run_cost(const RunCost& cost, const nlohmann::ordered_json& result) {
  const double ios = result["host"]["completions"].get<double>();
  double operations = result["flash"]["erases"]["total"].get<double>();
  for (const char* const kind : {"reads", "programs"})
    operations += result["flash"][kind]["total"]["pages"].get<double>();
  return {{"schema", kRunSchema},
          {"cpu_s", cost.cpu_s},
          {"wall_s", cost.wall_s},
          {"precondition_cpu_s", cost.precondition_cpu_s},
          {"ios_per_cpu_s", ratio(ios, cost.cpu_s)},
          {"flash_operations_per_cpu_s", ratio(operations, cost.cpu_s)},
          {"kernel_deltas", cost.kernel_deltas},
          {"peak_rss_bytes", cost.peak_rss_bytes}};
}

std::vector<std::pair<std::string, std::string>> make_tables(Simulation& simulation,
                                                             const nlohmann::ordered_json& result) {
  std::string power = "time_s,power_w\n";  // no lines for a sampled run
  const PowerSeries series = simulation.books().power;
  for (std::size_t i = 0; i < series.watts.size(); ++i)
    power += fmt::format("{},{}\n", seconds(series.bins.begin_of(i)), series.watts[i]);

  std::string use = "part,state,share\n";
  for (const char* const parts : {"channels", "dies"}) {
    const Json& list = result["utilization"][parts];
    for (std::size_t i = 0; i < list.size(); ++i)
      for (const auto& [state, share] : list[i].items())
        use += fmt::format("{}{},{},{}\n", parts[0] == 'c' ? "channel" : "die", i, state, share.get<double>());
  }

  std::string distribution = "operation,percentile,latency_ns\n";
  const HostStatistics statistics = simulation.host().statistics();
  for (std::size_t i = 0; i < kIoOperations; ++i) {
    const LatencyHistogram& histogram = statistics.operations[i].latency;
    if (histogram.count() == 0) continue;
    for (const auto& [name, share] : kReportedPercentiles)
      distribution +=
          fmt::format("{},{},{}\n", kIoOperationNames[i], share * 100, nanoseconds(histogram.percentile(share)));
  }
  std::string parts = "operation,at";
  for (std::size_t part = 0; part < kLatencyParts; ++part)
    parts += fmt::format(",{}_ns", to_string(static_cast<LatencyPart>(part)));
  parts += '\n';
  for (const char* const name : kIoOperationNames) {
    if (!result["host"].contains(name)) continue;
    const Json& operation = result["host"][name];
    if (operation["ios"].get<std::uint64_t>() == 0 || !operation.contains("latency_breakdown_ns")) continue;
    for (const auto& [at, row] : operation["latency_breakdown_ns"].items()) {
      parts += fmt::format("{},{}", name, at);
      for (const Json& part : row) parts += fmt::format(",{}", part.get<double>());
      parts += '\n';
    }
  }
  std::vector<std::pair<std::string, std::string>> tables = {
      {"power.csv", power}, {"utilization.csv", use}, {"latency.csv", distribution}, {"breakdown.csv", parts}};
  if (result.contains("thermal")) tables.emplace_back("thermal.csv", thermal_csv(simulation.ssd()));
  if (simulation.part() != nullptr)
    for (auto& table : simulation.part()->tables()) tables.push_back(std::move(table));
  return tables;
}

}  // namespace flashloom
