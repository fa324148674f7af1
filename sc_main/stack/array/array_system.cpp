#include "sc_main/stack/array/array_system.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "controllers/host/instant_host.hpp"
#include "controllers/host/preconditioner.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/requirements.hpp"
#include "sc_main/assembly/config/stack_kind.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/stack/array/array_report.hpp"
#include "workloads/random.hpp"

namespace flashloom {
namespace {

ArrayShape array_shape(const DeviceConfig& config) {
  return {.sector_bytes = config.host_interface.sector_size,
          .unit_bytes = config.ftl.mapping_unit,
          .drive_bytes = capacity_bytes(config),
          .tokens = config.verify};
}

std::deque<DeviceConfig> other_drives(const DeviceConfig& config) {
  std::deque<DeviceConfig> configs;
  const std::uint32_t drives = config.array.drives + (config.array.has_spare() ? 1 : 0);
  for (std::uint32_t drive = 1; drive < drives; ++drive) {
    configs.push_back(config);
    configs.back().seed = derived_seed(config.seed, drive);
    configs.back().nand.variation.seed = derived_seed(config.nand.variation.seed, drive);
  }
  return configs;
}

void check_array(const DeviceConfig& config) {
  const ArrayConfig& array = config.array;
  require(!config.heap.present(), "array.level", "a heap swaps to one SSD; valid: none, or no heap");
  require(config.host_interface.namespaces.empty(), "array.level",
          "namespaces are of one SSD; valid: none, or host_interface.namespaces []");
  require(!config.faults.any(), "array.level", "drives that lie are single ones; valid: none, or no [faults]");
  check_config(array, config.host_interface.sector_size, config.ftl.mapping_unit, capacity_bytes(config));
  require(!array.has_redundancy() || config.dram.size == 0 || array.chunk <= config.dram.size, "array.chunk",
          MessageBytes{array.chunk},
          " is what a rebuild reads and writes with one command, whose data pass through dram.size; valid: at most ",
          MessageBytes{config.dram.size});
  require(config.power.cut_count() == 0 || config.verify || !array.has_redundancy(), "verify",
          "power cuts of an array need verify = true: whether drives agree after a cut is found by contents");
  require(!config.power.plp || config.power.plp_energy == 0, "power.plp_energy",
          "bounds the capacitors of one drive, and those of an array hold up until all have flushed; valid with "
          "array.level: 0 J");
  require(array.gc == "independent" || config.ftl.gc_background != 0, "array.gc",
          "\"" + array.gc + "\" gives turns of background collection, and ftl.gc_background = 0 has none; valid: " +
              "independent, or ftl.gc_background above ftl.gc_high");
}

constexpr StackKind kArray = {
    .name = "array",
    .check = check_array,
    .capacity_bytes =
        [](const DeviceConfig& config) { return ArrayLayout(config.array, capacity_bytes(config)).capacity(); },
    .make = [](const DeviceConfig& config, Ssd& ssd) -> std::unique_ptr<StackPart> {
      return std::make_unique<ArraySystem>(config, ssd);
    },
    .summary = array_summary};
const RegisterStackKind registered_array(kArray);

}  // namespace

std::uint32_t ArraySystem::trim_bytes() const {
  const ArrayLayout& layout = controller_.layout();
  return static_cast<std::uint32_t>(layout.parities() == 0 ? config_.ftl.mapping_unit : layout.stripe_bytes());
}

ArraySystem::ArraySystem(const DeviceConfig& config, Ssd& first)
    : StackPart(first),
      config_(config),
      configs_(other_drives(config)),
      drives_{&first},
      nvram_(config.array.journal == "none"
                 ? nullptr
                 : std::make_unique<MemoryModel>("array_nvram", config.array.nvram, "array", first.ledger())),
      controller_("array", config.array, array_shape(config), config.host.queues,
                  config.array.gc == "independent" ? nullptr : this),
      latencies_(configs_.size() + 1) {
  for (std::size_t i = 0; i < configs_.size(); ++i) {
    others_.push_back(
        std::make_unique<Ssd>(("drive" + std::to_string(i + 1)).c_str(), configs_[i], nullptr, first.keeps_versions()));
    drives_.push_back(others_.back().get());
  }
  for (Ssd* const drive : drives_)
    if (config.array.gc != "independent") drive->host_interface().use_idle_time(kNever);
  if (nvram_ != nullptr) controller_.nvram()->socket.bind(nvram_->socket);
  for (std::uint32_t drive = 0; drive < drives_.size(); ++drive) {
    BlockPort& port = controller_.drive(drive);
    for (std::uint32_t queue = 0; queue < config.host.queues; ++queue)
      port.socket(queue).bind(drives_[drive]->socket(queue));
    port.on_complete([this, drive](const IoCommand& command) {
      Latencies& latencies = latencies_[drive];
      const Picoseconds latency = command.at.complete - command.at.submit;
      if (command.operation == IoOperation::Read) latencies.reads.add(latency);
      if (command.operation == IoOperation::Write) latencies.writes.add(latency);
    });
  }
}

ArraySystem::~ArraySystem() = default;

void ArraySystem::begin(std::uint32_t drive, Picoseconds until) {
  if (drives_[drive]->powered()) drives_[drive]->host_interface().work_until(until);
}

bool ArraySystem::collects(std::uint32_t drive) const { return drives_[drive]->host_interface().works(); }

void ArraySystem::begin_window(Picoseconds at) {
  for (const auto& drive : others_) {
    drive->flash().settle(at);
    drive->flash().forget_most_watts(at);
    drive->ledger().begin(at);
    drive->reset_statistics();
  }
  reset_statistics();
}

// Data are lost without bit errors only when several drives are away, or one, and parity may be wrong.
bool ArraySystem::reads_may_fail() const {
  const ArrayStatistics& statistics = controller_.statistics();
  const Array* const array = controller_.array();
  return has_lost_ || statistics.unreadable + statistics.stripes_lost != 0 || statistics.failed_drives > 1 ||
         !controller_.media().lost.empty() || (array != nullptr && array->degraded() && array->unsynced_stripes() != 0);
}

void ArraySystem::reset_statistics() {
  has_lost_ = reads_may_fail();
  controller_.reset_statistics();
  if (nvram_ != nullptr) nvram_->reset_counters();
  for (Latencies& latencies : latencies_) latencies = {};
}

void ArraySystem::power_cut(Picoseconds off_time) {
  controller_.power_cut();
  if (nvram_ != nullptr) nvram_->drop_all(off_time);
}

IoStatus ArraySystem::read(std::uint32_t drive, std::uint64_t offset, std::uint64_t length, SectorToken* tokens) {
  InstantHost host(drives_[drive]->runtime(), drives_[drive]->firmware(), config_.host_interface.sector_size, nullptr);
  return host.read({.offset = offset, .length = length, .kind = RequestKind::Read}, tokens);
}

// Loads the rows of all columns into `tokens_`, column by column. Returns the mask of columns that no drive can give.
std::uint64_t ArraySystem::load_stripe(std::uint32_t stripe, std::uint64_t row, std::uint64_t length) {
  const ArrayLayout& layout = controller_.layout();
  const std::size_t rows = length / config_.host_interface.sector_size;
  tokens_.assign(rows * layout.columns(), 0);
  std::uint64_t missing = 0;
  for (std::uint32_t column = 0; column < layout.columns(); ++column) {
    const std::uint32_t drive = controller_.array()->drive_of(stripe, layout.slot_of(stripe, column));
    if (drive == kNoDrive ||
        read(drive, stripe * layout.chunk() + row, length, tokens_.data() + column * rows) != IoStatus::Ok)
      missing |= std::uint64_t{1} << column;
  }
  return missing;
}

// Data that a drive cannot give are computed from the others.
IoStatus ArraySystem::read_extent(const ArrayExtent& part, SectorToken* tokens) {
  const ArrayLayout& layout = controller_.layout();
  peeked_.insert(part.stripe);
  const Array& array = *controller_.array();
  for (std::uint32_t mirror = 0; mirror < layout.mirrors(); ++mirror) {
    const std::uint32_t drive = array.drive_of(part.stripe, layout.slot_of(part.stripe, part.column, mirror));
    if (drive != kNoDrive && read(drive, layout.place(part), part.length, tokens) == IoStatus::Ok) return IoStatus::Ok;
  }
  if (layout.parities() == 0 || !array.in_step(part.stripe)) return IoStatus::MediaError;
  const std::uint64_t missing = load_stripe(part.stripe, part.row, part.length);
  const std::size_t rows = part.length / config_.host_interface.sector_size;
  if (static_cast<std::uint32_t>(std::popcount(missing)) > layout.parities()) return IoStatus::MediaError;
  const ParityRows stripe(tokens_.data(), rows, layout.data_columns(), layout.parities());
  stripe.solve(missing, 0, rows);
  std::copy_n(stripe.column(part.column), rows, tokens);
  return IoStatus::Ok;
}

// Checks a stripe whose redundancy is in step and whose drives are all present.
void ArraySystem::check_stripe(std::uint32_t stripe) {
  const ArrayLayout& layout = controller_.layout();
  if (!controller_.array()->in_step(stripe)) return;
  const std::size_t rows = layout.chunk() / config_.host_interface.sector_size;
  bool same = true;
  if (layout.parities() != 0) {
    if (load_stripe(stripe, 0, layout.chunk()) != 0) return;
    const ParityRows columns(tokens_.data(), rows, layout.data_columns(), layout.parities());
    const std::vector<SectorToken> stored(columns.column(layout.data_columns()), columns.column(layout.columns()));
    columns.encode(0, rows);
    same = std::equal(stored.begin(), stored.end(), columns.column(layout.data_columns()));
  }
  for (std::uint32_t column = 0; column < layout.data_columns() && layout.mirrors() > 1; ++column) {
    std::vector<SectorToken> first;
    tokens_.assign(rows, 0);
    for (std::uint32_t mirror = 0; mirror < layout.mirrors(); ++mirror) {
      const std::uint32_t drive = controller_.array()->drive_of(stripe, layout.slot_of(stripe, column, mirror));
      if (drive == kNoDrive || read(drive, stripe * layout.chunk(), layout.chunk(), tokens_.data()) != IoStatus::Ok)
        continue;
      if (first.empty()) first = tokens_;
      same = same && first == tokens_;
    }
  }
  if (!same)
    throw std::runtime_error("the drives of the array do not agree about stripe " + std::to_string(stripe) +
                             ", which should be in step");
}

void ArraySystem::precondition(const std::function<void(const char*, double)>& progress) {
  for (std::uint32_t drive = 1; drive < config_.array.drives; ++drive) {
    Ssd& other = *drives_[drive];
    InstantHost its(other.runtime(), other.firmware(), config_.host_interface.sector_size, nullptr);
    Preconditioner(config_.precondition, other.config().seed, its, other.firmware()).run(progress);
  }
}

void ArraySystem::state(StateArchive& archive) {
  for (std::uint32_t drive = 1; drive < config_.array.drives; ++drive) drives_[drive]->state(archive);
}

void ArraySystem::report(const DeviceConfig& config, nlohmann::ordered_json& result) {
  result["array"] = array_json(*this, config);
}

std::uint64_t ArraySystem::audit(Simulation& simulation) {
  Oracle& oracle = *simulation.oracle();
  constexpr std::uint64_t kReadLength = 128 << 10;
  const ArrayLayout& layout = controller_.layout();
  const std::uint32_t sector = config_.host_interface.sector_size;
  std::vector<SectorToken> tokens;
  std::uint64_t sectors = 0;
  for (const auto& [offset, length] : oracle.touched_ranges(kReadLength)) {
    for (std::uint64_t at = offset; at < offset + length;) {
      const ArrayExtent part = layout.extent(at, offset + length - at);
      tokens.resize(part.length / sector);
      IoCommand command;
      command.offset = at;
      command.length = part.length;
      command.tokens = tokens.data();
      oracle.submitted(command);
      command.status = read_extent(part, tokens.data());
      oracle.completed(command);
      if (command.status != IoStatus::Ok) simulation.note_unreadable(part.length / sector);
      at += part.length;
    }
    sectors += length / sector;
  }
  check_peeked();
  return sectors;
}

IoStatus ArraySystem::peek(std::uint64_t offset, std::uint64_t length, SectorToken* tokens) {
  IoStatus status = IoStatus::Ok;
  controller_.layout().each_extent(offset, length, [&](const ArrayExtent& part) {
    if (read_extent(part, tokens + part.at / config_.host_interface.sector_size) != IoStatus::Ok)
      status = IoStatus::MediaError;
  });
  return status;
}

void ArraySystem::check_peeked() {
  if (controller_.layout().redundant())
    for (const std::uint32_t stripe : peeked_) check_stripe(stripe);
  peeked_.clear();
}

void ArraySystem::on_step(std::function<void(std::size_t, const char*)> observer) {
  controller_.on_step(
      [observer = std::move(observer)](ArrayStep step) { observer(static_cast<std::size_t>(step), to_string(step)); });
}

EnergyReport ArraySystem::books() const {
  EnergyReport sum;
  for (std::uint32_t drive = 0; drive < drives_.size(); ++drive) {
    EnergyReport books = drives_[drive]->ledger().report();
    const std::string prefix = "drive" + std::to_string(drive) + ".";
    for (ComponentEnergy& component : books.components) {
      if (of_drive(component)) component.name = prefix + component.name;
      sum.components.push_back(std::move(component));
    }
    for (const auto& [row, operation] : books.operations) {
      OperationEnergy& into = sum.operations[row];
      into.joules += operation.joules;
      into.count += operation.count;
      into.intervals += operation.intervals;
    }
    sum.total_j += books.total_j;
    sum.background_j += books.background_j;
    sum.regulated_j += books.regulated_j;
    sum.average_w += books.average_w;
    sum.peak_w += books.peak_w;
    sum.peak_window = books.peak_window;
    sum.begin = books.begin;
    sum.end = books.end;
    // Bin widths are powers of two: narrower bins are summed into wider ones.
    if (sum.power.watts.empty() || books.power.bins.width > sum.power.bins.width) std::swap(sum.power, books.power);
    const std::size_t bins = books.power.watts.size();
    for (std::size_t bin = 0; bin < bins && sum.power.bins.count != 0; ++bin) {
      const std::size_t into = sum.power.bins.bin_of(books.power.bins.begin_of(bin) / sum.power.bins.width);
      sum.power.watts[into] += books.power.watts[bin] * static_cast<double>(books.power.bins.width_of(bin)) /
                               static_cast<double>(sum.power.bins.width_of(into));
    }
  }
  return sum;
}

}  // namespace flashloom
