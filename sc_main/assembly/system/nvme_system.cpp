#include "sc_main/assembly/system/nvme_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"
#include "controllers/ftl/features/fdp/reclaim_units.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/fronts.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kMessageBytes = 4;  // of an interrupt (MSI-X)

const DeviceConfig& nvme_drive(const DeviceConfig& config) {
  check_front(config, Front::NvmeController);
  return config;
}

std::uint64_t bytes_of(const FlashCounters& counters, FlashOperation operation, const NandGeometry& geometry) {
  return counters.total(operation).pages * geometry.page_bytes;
}

NvmeZones zones_at_registers(const DeviceConfig& config) {
  const std::optional<ZoneLayout> layout = zones_of(config);
  if (!layout) return {};
  const std::uint64_t unit = config.ftl.mapping_unit;
  return {.count = layout->zones,
          .zone_bytes = layout->zone_units * unit,
          .capacity_bytes = layout->capacity_units * unit,
          .max_open = layout->max_open,
          .max_active = layout->max_active,
          .random_area_bytes = layout->random_units * unit,
          .random_granule_bytes = layout->random_granule * unit,
          .max_random_areas = layout->max_random_areas};
}

}  // namespace

NvmeSystem::NvmeSystem(const DeviceConfig& config, Simulation& simulation, std::uint32_t number)
    : config_(nvme_drive(config)),
      simulation_(simulation),
      number_(number),
      zones_(zones_at_registers(config)),
      arbitration_(simulation.ssd().host_interface().arbitration()),
      aggregate_(simulation.ssd().host_interface().traits().aggregate),
      aggregate_time_(simulation.ssd().host_interface().traits().aggregate_time),
      bad_at_first_(simulation.ssd().firmware().ftl().bad_blocks()),
      controller_(("nvme" + std::to_string(number)).c_str(), config.nvme, *this, simulation.host(), number) {
  simulation_.ssd().host_interface().report_at_once();
  simulation_.on_power_lost([this] {
    ready_ = false;
    zone_changes_told_ = 0;
    if (config_.hmb.on()) simulation_.ssd().withhold_host_memory();
    controller_.power_cut();
  });
  simulation_.on_power_back([this] { controller_.power_on(); });
  const auto ready = [this] {
    ready_ = true;
    controller_.device_ready();
  };
  // No host memory is lent until the guest's driver lends it, even if the device was preconditioned with some.
  if (config_.hmb.on()) simulation_.on_started([this] { simulation_.ssd().withhold_host_memory(); });
  simulation_.on_started(ready);
  simulation_.on_mounted(ready);
  controller_.on_failure([this](std::exception_ptr failure) { simulation_.note_failure(std::move(failure)); });
}

NvmeSystem::~NvmeSystem() = default;

HostJob NvmeSystem::job() const {
  HostJob job;
  job.name = "nvme" + std::to_string(number_);
  job.queues = config_.host.queues;
  return job;
}

std::uint32_t NvmeSystem::program_bytes() const {
  const NandGeometry& geometry = simulation_.ssd().geometry();
  return geometry.whole_units_per_program() * geometry.unit_bytes;
}

std::uint32_t NvmeSystem::atomic_bytes() const {
  return config_.host_interface.atomic_write != 0 ? config_.host_interface.atomic_write : config_.ftl.mapping_unit;
}

bool NvmeSystem::volatile_cache() const {
  return config_.buffer.mode == "write_back" && config_.buffer.location == "dram" && !config_.power.plp;
}

Picoseconds NvmeSystem::message_time() const { return simulation_.ssd().link().duration(kMessageBytes); }

NvmeHealth NvmeSystem::health() const {
  const HostTotals& done = simulation_.host().totals();
  const auto ios = [&done](IoOperation operation) { return done.ios[static_cast<std::size_t>(operation)]; };
  NvmeHealth health = before_;
  health.bytes_read += done.bytes_of(IoOperation::Read);
  health.bytes_written += done.bytes_of(IoOperation::Write) + done.bytes_of(IoOperation::ZoneAppend);
  health.reads += ios(IoOperation::Read);
  health.writes += ios(IoOperation::Write) + ios(IoOperation::ZoneAppend);
  const NandGeometry& geometry = simulation_.ssd().geometry();
  const FlashCounters& counters = simulation_.ssd().flash().counters();
  health.nand_bytes_written += bytes_of(counters, FlashOperation::Program, geometry);
  health.nand_bytes_read += bytes_of(counters, FlashOperation::Read, geometry);
  if (!simulation_.ssd().powered()) return health;
  if (ThermalControl* const thermal = simulation_.ssd().thermal()) {
    const auto kelvins = [](double celsius) { return static_cast<std::uint16_t>(std::lround(celsius + 273.15)); };
    health.kelvins = {kelvins(thermal->composite(kernel_now()))};
    for (std::size_t node = 0; node < kThermalNodes; ++node)
      health.kelvins[node + 1] = kelvins(thermal->celsius(kernel_now())[node]);
  }
  const NandMedia& media = simulation_.ssd().media();
  const Ftl& ftl = simulation_.ssd().firmware().ftl();
  health.bad_blocks = ftl.bad_blocks() - bad_at_first_;
  // Available spare: blocks beyond the logical capacity.
  const auto block_bytes = static_cast<double>(std::uint64_t{geometry.whole_units_per_block()} * geometry.unit_bytes);
  const std::uint64_t capacity = zones_.present() ? zones_.written_at_most() : simulation_.capacity_bytes();
  const double spare_blocks = static_cast<double>(geometry.raw_bytes() - capacity) / block_bytes;
  health.spare = std::clamp(1.0 - static_cast<double>(health.bad_blocks) / spare_blocks, 0.0, 1.0);
  health.read_only = ftl.read_only();
  std::uint64_t erases = 0;
  std::uint64_t blocks = 0;
  health.least_erases = ~std::uint32_t{0};
  for (std::uint32_t die = 0; die < media.geometry().dies; ++die)
    for (std::uint32_t block = 0; block < media.geometry().blocks; ++block) {
      const std::uint32_t count = media.erase_count(Die{die}, Block{block});
      erases += count;
      ++blocks;
      health.least_erases = std::min(health.least_erases, count);
      health.most_erases = std::max(health.most_erases, count);
    }
  const double cycles = media.endurance().cycles();
  if (cycles != 0) health.used = static_cast<double>(erases) / static_cast<double>(blocks) / cycles;
  return health;
}

// Available room and counts refer to the present power cycle.
NvmePlacement NvmeSystem::placement() const {
  const FdpConfig& fdp = config_.ftl.fdp;
  NvmePlacement placement{.streams = config_.ftl.streams.name == "host"};
  if (!fdp.on()) return placement;
  const NandGeometry& geometry = simulation_.ssd().geometry();
  const std::uint64_t unit = geometry.unit_bytes;
  const auto whole_seconds = [](Picoseconds time) {
    return static_cast<std::uint32_t>(std::min<Picoseconds>((time + kSecond - 1) / kSecond, UINT32_MAX));
  };
  placement.groups = fdp.groups;
  placement.group_bits = reclaim_group_bits(fdp);
  placement.unit_bytes = reclaim_unit_units(config_.ftl, geometry) * unit;
  placement.unit_seconds = whole_seconds(fdp.unit_time_limit);
  for (std::uint32_t handle = 0; handle < fdp.handles; ++handle) placement.persistent.push_back(fdp.isolates(handle));
  const ReclaimUnits* const units =
      simulation_.ssd().powered() ? simulation_.ssd().firmware().ftl().reclaim_units() : nullptr;
  for (std::uint32_t stream = 0; stream < fdp.groups * fdp.handles; ++stream) {
    const ReclaimRoom room = units == nullptr ? ReclaimRoom{} : units->room(stream);
    placement.handles.push_back(  // a full reclaim unit counts as a new, empty one
        {.identifier = placement_identifier(fdp, stream),
         .available_bytes = room.units != 0 ? room.units * unit : placement.unit_bytes,
         .seconds_left = whole_seconds(room.time)});
  }
  const FlashCounters& counters = simulation_.ssd().flash().counters();
  placement.host_bytes = simulation_.host().totals().bytes_of(IoOperation::Write);
  placement.media_bytes = bytes_of(counters, FlashOperation::Program, geometry);
  placement.erased_bytes = counters.total(FlashOperation::Erase).pages * geometry.whole_units_per_block() * unit;
  return placement;
}

void NvmeSystem::take_zone_changes(std::vector<std::uint64_t>& starts) {
  if (!zones_.present() || !simulation_.ssd().powered()) return;
  const std::vector<std::uint32_t>& changes = simulation_.ssd().firmware().ftl().zones()->table().device_changes();
  for (; zone_changes_told_ < changes.size(); ++zone_changes_told_)
    starts.push_back(changes[zone_changes_told_] * zones_.zone_bytes);
}
FdpEvents* NvmeSystem::fdp_events() const { return simulation_.ssd().fdp_events(); }

void NvmeSystem::arbitrate(const HostProtocol::Arbitration& arbitration) {
  simulation_.ssd().host_interface().arbitrate(arbitration);
}

void NvmeSystem::classify(std::uint32_t queue, std::uint32_t priority) {
  simulation_.ssd().host_interface().classify(queue, priority);
}

void NvmeSystem::state(StateArchive& archive) {
  archive.part("nvme_health");
  NvmeHealth now = health();
  archive(now.bytes_read, now.bytes_written, now.reads, now.writes, now.nand_bytes_written, now.nand_bytes_read);
  if (archive.loading()) before_ = now;
  controller_.state(archive);
}

}  // namespace flashloom
