#include "sc_main/assembly/report/ssd_report.hpp"

#include <numeric>
#include <optional>

#include "controllers/ftl/features/fdp/handles/fdp_events.hpp"
#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"
#include "controllers/ftl/features/fdp/reclaim_units.hpp"
#include "controllers/ftl/features/slc_cache/slc_blocks.hpp"
#include "sc_main/assembly/report/counters_json.hpp"
#include "sc_main/assembly/report/report.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<const char*, FlashOperation> kQueued[kQueuedOperations] = {
    {"reads", FlashOperation::Read}, {"programs", FlashOperation::Program}, {"erases", FlashOperation::Erase}};

// The entries of the log page of FDP events, oldest first.
Json fdp_log_json(const Ssd& ssd, bool of_host) {
  const FdpConfig& fdp = ssd.config().ftl.fdp;
  const std::uint64_t unit = ssd.geometry().unit_bytes;
  Json log = Json::array();
  for (const FdpEvent& event : ssd.fdp_events()->events(of_host)) {
    Json line = {{"event", to_string(event.type)}, {"time_s", seconds(event.time)}};
    const std::optional<std::uint16_t> identifier = ssd.fdp_events()->identifier_of(event);
    line["placement_identifier"] = identifier ? Json(*identifier) : Json();
    line["group"] = reclaim_group(fdp, event.stream);
    line["handle"] = event.located ? Json(reclaim_handle(fdp, event.stream)) : Json();
    if (event.unit != FdpEvent::kNoUnit) line["offset"] = event.unit * unit;
    if (event.type == FdpEventType::MediaReallocated) line["bytes"] = event.units_moved * unit;
    log.push_back(std::move(line));
  }
  return log;
}

// Flexible data placement, with the terms of NVMe TP4146.
Json fdp_json(const Ssd& ssd, const FlashCounters& counters, std::uint64_t written_bytes) {
  const FdpConfig& fdp = ssd.config().ftl.fdp;
  const FtlStatistics statistics = ssd.ftl_statistics();
  const NandGeometry& geometry = ssd.geometry();
  const std::uint64_t unit = geometry.unit_bytes;
  const std::uint64_t erased = counters.total(FlashOperation::Erase).pages;  // erase units
  Json json;
  json["reclaim_unit_bytes"] = reclaim_unit_units(ssd.config().ftl, geometry) * unit;
  json["host_bytes_with_metadata_written"] = written_bytes;
  json["media_bytes_with_metadata_written"] = counters.total(FlashOperation::Program).pages * geometry.page_bytes;
  json["media_bytes_erased"] = erased * geometry.whole_units_per_block() * unit;
  json["handle_updates"] = statistics.fdp.handle_updates;
  for (const FdpEventType type : kFdpEventTypes) json["events"][to_string(type)] = statistics.fdp.of(type);
  json["event_log"] = {{"host", fdp_log_json(ssd, true)}, {"controller", fdp_log_json(ssd, false)}};
  json["unwritten_units"] = statistics.fdp.room_left;
  Json& handles = json["handles"] = Json::array();
  const ReclaimUnits* const units = ssd.firmware().ftl().reclaim_units();
  for (std::uint32_t stream = 0; stream < fdp.groups * fdp.handles; ++stream) {
    const FtlStatistics::Stream& of = statistics.streams[stream];
    const std::uint32_t handle = reclaim_handle(fdp, stream);
    handles.push_back(
        {{"placement_identifier", placement_identifier(fdp, stream)},
         {"group", reclaim_group(fdp, stream)},
         {"handle", handle},
         {"isolation", fdp.isolates(handle) ? "persistent" : "initial"},
         {"bytes_written", of.units_written * unit},
         {"bytes_padded", of.units_padded * unit},
         {"bytes_reallocated", of.units_moved * unit},
         {"reclaim_units", of.reclaim_units},
         {"available_bytes", units == nullptr ? 0 : units->room(stream).units * unit},
         {"waf", ratio(count(of.units_written + of.units_padded + of.units_moved), count(of.units_written))}});
  }
  return json;
}

}  // namespace

FlashQueueWaits flash_queue_waits(const TimedFlash& flash) {
  FlashQueueWaits waits;
  for (std::size_t operation = 0; operation < kQueuedOperations; ++operation)
    for (std::size_t origin = 0; origin < kOrigins; ++origin)
      waits[operation][origin] = flash.queue_wait(kQueued[operation].second, static_cast<Origin>(origin));
  return waits;
}

nlohmann::ordered_json flash_queues_json(const TimedFlash& flash, const FlashQueueWaits& before) {
  const FlashQueueWaits waits = flash_queue_waits(flash);
  Json json;
  json["longest"] = flash.longest_queue();
  for (std::size_t operation = 0; operation < kQueuedOperations; ++operation) {
    Json& table = json[kQueued[operation].first] = Json::object();
    for (std::size_t i = 0; i < kOrigins; ++i) {
      QueueWait wait = waits[operation][i];
      wait.commands -= before[operation][i].commands;
      wait.total -= before[operation][i].total;
      wait.power -= before[operation][i].power;
      if (wait.commands == 0) continue;
      table[to_string(static_cast<Origin>(i))] = {{"commands", wait.commands},
                                                  {"mean_ns", nanoseconds(wait.total) / count(wait.commands)},
                                                  {"max_ns", nanoseconds(wait.longest.value)},
                                                  {"power_mean_ns", nanoseconds(wait.power) / count(wait.commands)}};
    }
  }
  return json;
}

nlohmann::ordered_json ftl_json(const Ssd& ssd, const FlashCounters& counters, std::uint64_t written_bytes) {
  const FtlStatistics statistics = ssd.ftl_statistics();
  const NandGeometry& geometry = ssd.geometry();
  const FlashCount programs = counters.total(FlashOperation::Program);
  const std::uint64_t without_data = counters.at(FlashOperation::Program, Origin::Padding).units +
                                     counters.at(FlashOperation::Program, Origin::Parity).units;
  const double written = count(written_bytes);
  Json json;
  json["waf"] = ratio(count(programs.pages) * geometry.page_bytes, written);
  json["waf_data"] = ratio(count(programs.units - without_data) * geometry.unit_bytes, written);
  add_counters(json, statistics);
  json["valid_pages_moved"] = ratio(count(statistics.units_moved), geometry.whole_units_per_page);
  json["read_only"] = ssd.firmware().ftl().read_only();
  Json& streams = json["streams"] = Json::object();
  const std::vector<std::string> names = ssd.firmware().ftl().stream_names();
  for (std::size_t stream = 0; stream < names.size(); ++stream)
    streams[names[stream]] = counters_json(statistics.streams[stream]);
  if (ssd.config().ftl.fdp.on()) json["fdp"] = fdp_json(ssd, counters, written_bytes);
  if (ssd.config().ftl.rain != 0) {
    json["rain"] = counters_json(statistics.rain);
    json["rain"]["rebuild_s"] = statistics.rain.rebuilds == 0 ? Json() : Json(seconds(statistics.rain.rebuild_time));
  }
  if (geometry.any_slc()) {
    json["slc"] = {{"blocks", geometry.dies * geometry.slc_blocks},
                   {"block_bytes", std::uint64_t{geometry.slc_pages} * geometry.page_bytes}};
    add_counters(json["slc"], statistics.slc);
  }
  if (geometry.slc_dynamic != 0) {
    const SlcUse use = slc_use(*ssd.firmware().ftl().blocks());
    json["slc"]["dynamic_blocks"] = geometry.dies * geometry.slc_dynamic;
    json["slc"]["borrowed_blocks"] = use.borrowed_blocks;
    json["slc"]["borrowed_max"] = statistics.slc.borrowed_max.value;
    json["slc"]["returned_blocks"] = statistics.slc.given_back;
    json["slc"]["valid_units"] = use.valid_units;
  }
  if (!statistics.free_blocks_min.any())
    json["free_blocks_min"] = nullptr;  // no block was opened
  else
    json["free_blocks_min"] = statistics.free_blocks_min.value;
  return json;
}

nlohmann::ordered_json write_amplification_json(const HostTotals& host, double device) {
  const double amplified = ratio(count(host.written()), count(host.application_bytes));
  return {{"application_bytes", host.application_bytes},
          {"host_bytes", host.written()},
          {"host", amplified},
          {"device", device},
          {"total", amplified * device}};
}

nlohmann::ordered_json zones_json(const Zones& zones) {
  const ZoneTable& table = zones.table();
  const ZoneStatistics& counts = table.statistics();
  const ZoneCosts& costs = zones.costs();
  const std::uint64_t unit = zones.unit_bytes();
  Json states = Json::object();
  for (const ZoneState state : {ZoneState::Empty, ZoneState::ImplicitlyOpened, ZoneState::ExplicitlyOpened,
                                ZoneState::Closed, ZoneState::Full, ZoneState::ReadOnly, ZoneState::Offline})
    states[to_string(state)] = table.count(state);
  Json errors = Json::object();
  for (std::size_t status = 0; status < kIoStatuses; ++status)
    if (counts.refused[status] != 0) errors[kIoStatusNames[status]] = counts.refused[status];
  Json json = {{"count", table.shape().zones},
               {"size_bytes", table.shape().zone_size * unit},
               {"capacity_bytes", table.shape().capacity * unit},
               {"blocks", zones.blocks_per_zone()},
               {"max_open", table.shape().max_open},
               {"max_active", table.shape().max_active},
               {"map_bytes", zones.map_bytes()},
               {"states", std::move(states)},
               {"writes", counts.writes},
               {"appends", counts.appends},
               {"opens", counts.opens},
               {"closes", counts.closes},
               {"finishes", counts.finishes},
               {"resets", counts.resets},
               {"commits", counts.commits},
               {"implicit_opens", counts.implicit_opens},
               {"implicit_closes", counts.implicit_closes},
               {"implicit_commits", counts.implicit_commits},
               {"filled", counts.filled},
               {"errors", std::move(errors)},
               {"erased_blocks", costs.blocks_erased},
               {"finish_padding_units", costs.finish_padding},
               {"hole_units", costs.holes},
               {"spilled_units", costs.spilled_units},
               {"unspilled_units", costs.unspilled_units},
               {"rehomed_blocks", costs.rehomed_blocks},
               {"replaced_blocks", costs.replaced_blocks}};
  if (table.shape().random_area == 0) return json;
  json["random_write_areas"] = {{"size_bytes", table.shape().random_area * unit},
                                {"granularity_bytes", table.shape().random_granule * unit},
                                {"max", table.shape().max_random_areas},
                                {"in_use", table.random_areas()},
                                {"written_units", counts.area_blocks},
                                {"overwritten_units", counts.overwritten_blocks}};
  return json;
}

nlohmann::ordered_json room_waits_json(const RoomWaitCounts& counts, std::uint32_t dies) {
  Json json = {{"waits", counts.waits}, {"total_s", seconds(counts.time)}};
  for (std::size_t cause = 0; cause < kRoomCauses; ++cause)
    json["causes_s"][kRoomCauseNames[cause]] = seconds(counts.causes[cause]);
  json["dies_s"] = Json::array();
  for (std::uint32_t die = 0; die < dies; ++die)
    json["dies_s"].push_back(die < counts.dies.times.size() ? seconds(counts.dies.times[die]) : 0.0);
  return json;
}

nlohmann::ordered_json buffer_json(const Ssd& ssd) {
  const BufferStatistics statistics = ssd.buffer_statistics();
  const std::uint64_t unit = ssd.geometry().unit_bytes;
  const DataBuffer& buffer = ssd.firmware().buffer();
  Json parts = Json::array();
  for (std::uint32_t number = 0; buffer.parts() != 1 && number < buffer.parts(); ++number)
    parts.push_back(counters_json(statistics.parts[number]));
  Json json = counters_json(statistics);
  json["parts"] = std::move(parts);
  json["room_waits"] = ssd.config().buffer.room_waits ? room_waits_json(ssd.room_waits(), ssd.geometry().dies) : Json();
  json["dirty_bytes_at_end"] = buffer.dirty_units() * unit;
  json["destaging_bytes_at_end"] = buffer.destaging_units() * unit;
  return json;
}

nlohmann::ordered_json energy_json(const EnergyReport& report, const HostTotals& host) {
  Json json;
  json["total_j"] = report.total_j;
  json["background_j"] = report.background_j;
  json["average_w"] = report.average_w;
  json["peak_w"] = report.peak_w;
  json["peak_window_s"] = seconds(report.peak_window);
  json["j_per_gb"] = ratio(report.total_j, count(host.moved()) / 1e9);
  json["j_per_io"] = ratio(report.total_j, count(std::accumulate(host.ios.begin(), host.ios.end(), std::uint64_t{0})));
  Json& operations = json["operations"] = Json::object();
  for (const auto& [name, operation] : report.operations)
    operations[name] = {{"j", operation.joules}, {"count", operation.count}, {"intervals", operation.intervals}};
  Json& components = json["components"] = Json::array();
  for (const ComponentEnergy& component : report.components) {
    Json entry = {{"name", component.name}, {"kind", component.kind}, {"j", component.joules}};
    for (const ComponentEnergy::State& state : component.states)
      entry["residency_s"][state.name] = seconds(state.residency);
    components.push_back(std::move(entry));
  }
  return json;
}

nlohmann::ordered_json flash_json(const FlashCounters& counters) {
  constexpr std::pair<const char*, FlashOperation> kOperations[] = {
      {"reads", FlashOperation::Read}, {"programs", FlashOperation::Program}, {"erases", FlashOperation::Erase}};
  Json json;
  for (const auto& [name, operation] : kOperations) {
    Json& table = json[name];
    for (std::size_t i = 0; i <= kOrigins; ++i) {
      const bool total = i == kOrigins;
      const FlashCount sum = total ? counters.total(operation) : counters.at(operation, static_cast<Origin>(i));
      if (!total && static_cast<Origin>(i) == Origin::Parity && sum.commands == 0) continue;  // only with ftl.rain
      table[total ? "total" : to_string(static_cast<Origin>(i))] = {{"pages", sum.pages}, {"units", sum.units}};
    }
    if (operation == FlashOperation::Erase)
      for (Json& origin : table) origin = origin["pages"];  // an erase counts erase units
  }
  return json;
}

}  // namespace flashloom
