#include "controllers/ssd/firmware.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "controllers/ftl/features/fdp/reclaim_units.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/hardware/drive_faults.hpp"
#include "controllers/ssd/plain_reads.hpp"
#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"
#include "policies/write_buffer/write_buffer.hpp"

namespace flashloom {
namespace {

// `waiting`: units that may wait in the FTL for their program units to fill. Buffer and destage table are larger by
// these, which would otherwise block the units that fill the program units.
BufferShape buffer_shape(const FirmwareConfig& config, const NandGeometry& geometry, std::uint32_t waiting) {
  // Four program units a die keep every die busy while the next data gather.
  const std::uint32_t destage =
      config.buffer.destage_units != 0 ? config.buffer.destage_units : 4 * geometry.dies * geometry.units_per_program();
  const auto units = static_cast<std::uint32_t>(config.buffer.size / geometry.unit_bytes);
  const std::uint32_t slots = buffer_slots(config.buffer, geometry.unit_bytes, geometry.units_per_program(), waiting);
  const std::uint32_t table = std::clamp(destage, waiting, std::max(units / 2, waiting));
  const bool padding =
      config.buffer.evict == "blocks" &&
      Family<WriteBufferPolicy>::make(config.buffer.write_buffer, {.capacity = 1, .pages_per_block = 1})
          ->traits()
          .padding;
  return {.units = slots,
          .destage_units = table,
          .read_cache = config.buffer.read_cache != 0,
          .read_ahead_units = static_cast<std::uint32_t>(config.buffer.read_ahead / geometry.unit_bytes),
          .read_ahead_piece =
              geometry.reads_together() ? geometry.whole_units_per_program() : geometry.whole_units_per_page,
          .logical_units = static_cast<std::uint32_t>(logical_units(config.ftl, geometry)),
          .program_units = config.buffer.coalesce ? geometry.units_per_program() : 1,
          .unit_bytes = geometry.unit_bytes,
          .sector_bytes = config.sector_bytes,
          .write_through = config.buffer.mode == "write_through",
          .nvram = config.buffer.location == "nvram",
          .held_up = config.buffer_held_up,
          .verify = config.verify,
          .padding_units = padding ? waiting + geometry.units_per_program() : 0,
          .units_per_block = geometry.whole_units_per_block(),
          .whole_blocks = config.buffer.evict == "blocks" && !padding,
          .room_waits = config.buffer.room_waits};
}

// Equal parts of the room for resident units; the first parts get the remainder.
std::vector<BufferPart> buffer_parts(const BufferConfig& config, const BufferShape& shape,
                                     std::uint32_t units_per_block, const CostOracle& costs) {
  const std::uint32_t room = shape.units - shape.destage_units;
  std::vector<BufferPart> parts;
  for (std::uint32_t number = 0; number < config.split; ++number) {
    const std::uint32_t mine = room / config.split + (number < room % config.split ? 1 : 0);
    const auto share = [mine](double of) { return static_cast<std::uint32_t>(std::floor(of * mine)); };
    const auto pages = [&](std::uint32_t capacity) {
      return Family<ReplacementPolicy>::make(
          config.replacement,
          {.capacity = capacity, .slots = shape.units, .pages_per_block = units_per_block, .oracle = &costs});
    };
    BufferPart part{.room = mine,
                    .clean_units = share(config.read_cache),
                    .high_units = share(config.high_watermark),
                    .low_units = share(std::min(config.low_watermark, config.high_watermark)),
                    .victims = nullptr,
                    .clean_victims = nullptr};
    if (config.evict == "blocks") {
      part.victims = Family<WriteBufferPolicy>::make(config.write_buffer, {shape.units, units_per_block});
      if (part.clean_units != 0) part.clean_victims = pages(part.clean_units);
    } else {
      part.victims = pages(mine);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::unique_ptr<CorrelatedSets> buffer_sets(const BufferConfig& config, std::uint32_t slots,
                                            std::uint32_t units_per_block) {
  auto detector = Family<CorrelationDetector>::make(config.correlation, {slots, units_per_block});
  return detector->active() ? std::make_unique<CorrelatedSets>(std::move(detector), slots) : nullptr;
}

}  // namespace

Firmware::Firmware(const FirmwareConfig& config, const NandGeometry& geometry, NandMedia& media, NvramContents& nvram,
                   Hardware& hardware)
    : hardware_(hardware),
      faults_(hardware.faults()),
      namespaces_(config.namespaces),
      capacity_bytes_(logical_units(config.ftl, geometry) * geometry.unit_bytes),
      unit_bytes_(geometry.unit_bytes),
      units_per_program_(geometry.units_per_program()),
      verify_(config.verify) {
  const FtlContext context{.config = config.ftl,
                           .geometry = geometry,
                           .media = media,
                           .hardware = hardware,
                           .logical_units = logical_units(config.ftl, geometry),
                           .host_units = logical_units(config.ftl, geometry),
                           .sectors_per_unit = geometry.unit_bytes / config.sector_bytes,
                           .verify = config.verify,
                           .seed = config.seed,
                           .nvram = &nvram,
                           .nvram_first = 0};
  // NVRAM holds what the FTL keeps there, then what the buffer does.
  const std::size_t of_ftl = ftl_nvram_words(config.ftl, geometry);
  ftl_ = Family<Ftl>::make(config.ftl.kind, context);
  BufferShape shape = buffer_shape(config, geometry, ftl_->waiting_units());
  shape.nvram_first = of_ftl;
  if (shape.held_up && !shape.nvram) ftl_->hold_up(shape.units);
  const std::uint32_t tokens = config.verify ? context.sectors_per_unit : 0;
  nvram.fit(of_ftl + (shape.nvram ? NvramRecords::words(shape.units, tokens) : 0));
  const std::uint32_t units_per_block = geometry.whole_units_per_block();
  buffer_ =
      std::make_unique<DataBuffer>(shape, buffer_parts(config.buffer, shape, units_per_block, costs_),
                                   buffer_sets(config.buffer, shape.units, units_per_block), *ftl_, hardware, nvram);
  zones_ = ftl_->zones();
  MappedFtl* const reader = ftl_->plain_reader();
  if (reader != nullptr && zones_ == nullptr && plain_ && !buffer_->reads().remembers())
    plain_reads_ = std::make_unique<PlainReads>(*buffer_, *reader, hardware);
  if (zones_ == nullptr) return;
  plain_ = false;
  turns_.resize(zones_->table().shape().zones);
  zones_->tell(*this);
}

Firmware::~Firmware() = default;

std::vector<CacheTurnover> Firmware::caches_of_reads() const {
  std::vector<CacheTurnover> caches;
  if (verify_) return caches;
  if (buffer_->reads().remembers()) caches.push_back(buffer_->reads().turnover());
  if (ftl_->reads_leave_traces()) caches.push_back(ftl_->map_turnover());
  if (std::any_of(caches.begin(), caches.end(), [](const CacheTurnover& cache) { return cache.room == 0; }))
    caches.clear();
  return caches;
}

std::uint32_t Firmware::debug(const IoCommand& command) const {
  if (command.operation != IoOperation::Write || command.length == 0 || command.offset > capacity_bytes_ ||
      command.length > capacity_bytes_ - command.offset)
    return 0;
  const std::uint64_t first = command.offset / unit_bytes_;
  const std::uint64_t last = (command.offset + command.length - 1) / unit_bytes_;
  const bool merges =
      ftl_->write_merges(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first + 1));
  return merges ? 0 : static_cast<std::uint32_t>(std::min<std::uint64_t>(command.length, UINT32_MAX));
}

Task<void> Firmware::boot() {
  co_await ftl_->recover();
  buffer_->continue_after(ftl_->newest_version());
  co_await buffer_->recover();
}

// The status is kept beside the command, too: to read it back at once, with the operation beside it, would stall the CPU.
Task<void> Firmware::execute(IoCommand& command, Picoseconds fetched) {
  IoStatus status = IoStatus::Ok;
  command.status = status;
  command.ready = 0;
  command.data_done = 0;
  const bool plain = command.ranges == nullptr && plain_;
  if (!plain && zones_ != nullptr) [[unlikely]]
    return execute_on_zones(command, fetched);
  const bool fits_in =
      plain ? command.length <= capacity_bytes_ && command.offset <= capacity_bytes_ - command.length : fits(command);
  if (!fits_in) [[unlikely]]
    command.status = status = IoStatus::OutOfRange;
  else if (command.operation == IoOperation::Read)
    return command.use != ReadUse::Host ? read_inside(command, fetched) : read(command, fetched);  // no frame around it
  else if (ftl_->read_only() && command.operation != IoOperation::Flush) [[unlikely]]
    command.status = status = IoStatus::WriteProtected;
  else if (command.placement.directive == Directive::DataPlacement) [[unlikely]]
    look_at_placement(command);
  if (faults_ != nullptr && status == IoStatus::Ok) [[unlikely]]
    return carry_out_with_faults(command, fetched);
  return carry_out(command, status, fetched);
}

void Firmware::begin_plain_read(IoCommand& command, Picoseconds fetched, ReadEnd& end) {
  command.status = IoStatus::Ok;
  command.ready = 0;
  command.data_done = 0;
  plain_reads_->begin(command, fetched, end);
}

// An invalid placement identifier is ignored.
void Firmware::look_at_placement(IoCommand& command) {
  ReclaimUnits* const units = ftl_->reclaim_units();
  if (units != nullptr && units->has_handle(command.placement)) return;
  if (units != nullptr && command.operation == IoOperation::Write)
    units->note_invalid(command.placement, static_cast<std::uint32_t>(command.offset / unit_bytes_));
  command.placement = {};
}

inline Task<void> Firmware::carry_out(IoCommand& command, IoStatus status, Picoseconds fetched) {
  if (command.operation != IoOperation::Write || status != IoStatus::Ok) return other(command, fetched);
  if (hardware_.timed()) return write(command, fetched);
  return buffer_->waits_for_flash(command) ? put(command, 0) : buffer_->write(command);
}

// Works on a copy: the host's command stays unchanged for those who check the drive.
Task<void> Firmware::carry_out_with_faults(IoCommand& command, Picoseconds fetched) {
  const bool write = command.operation == IoOperation::Write;
  if ((command.operation == IoOperation::Flush && faults_->ignores_flush()) || (write && faults_->loses_write())) {
    co_await acknowledge_alone(command, fetched);
    co_return;
  }
  IoCommand done = command;
  if (write && faults_->misdirects_write())
    done.offset = faults_->other_place(command.offset, command.length, capacity_bytes_, unit_bytes_);
  if (write && command.fua && buffer_->waits_for_flash(command)) {
    done.fua = false;
    done.fua = buffer_->waits_for_flash(done) || !faults_->ignores_fua();
  }
  co_await carry_out(done, done.status, fetched);
  command.status = done.status;
  command.breakdown = done.breakdown;
  command.ready = done.ready;
  command.data_done = done.data_done;
}

Task<void> Firmware::acknowledge_alone(IoCommand& command, Picoseconds fetched) {
  if (command.operation == IoOperation::Write && hardware_.timed()) return write(command, fetched, false);
  return other(command, fetched, false);
}

// Whether the whole range lies in the device, and in the command's namespace.
bool Firmware::fits(const IoCommand& command) const {
  if (command.operation == IoOperation::Flush) return true;
  std::uint64_t begin = 0;
  std::uint64_t end = capacity_bytes_;
  if (command.name_space != 0 && has_namespaces_) {
    if (command.name_space > namespaces_.size()) return false;
    begin = namespace_begin(namespaces_, command.name_space);
    end = begin + namespaces_[command.name_space - 1];
  }
  if (command.ranges != nullptr && command.range_count > kMostRanges) return false;
  bool inside = true;
  for_each_range(command, [&](std::uint64_t offset, std::uint64_t length) {
    inside = inside && offset >= begin && offset <= end && length <= end - offset;
  });
  return inside;
}

Task<void> Firmware::read(IoCommand& command, Picoseconds fetched) {
  ReadCache& cache = buffer_->reads();
  ftl_->prefetch(buffer_->pieces().first(command));
  // Parse and look-up are one piece of work for the core.
  co_await hardware_.cpu(FirmwareStep::CommandParse, 1, FirmwareStep::BufferLookup, buffer_->pieces().count(command),
                         fetched, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  const bool follows = cache.reads_ahead() && command.length != 0;
  const bool waits = follows && cache.being_read(command);
  if (waits) [[unlikely]] {
    cache.read_ahead(command);
    do co_await cache.arrived().wait();
    while (cache.being_read(command));
    command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
  }
  BufferRead& request = cache.look_up(command);
  if (follows && !waits) [[unlikely]]
    cache.read_ahead(command);
  if (request.served != 0) {
    const Picoseconds in_hand =
        co_await hardware_.buffer_read(request.served, 0, hardware_.buffer_address(command.offset, request.served));
    // Hidden behind the flash reads, if there are any.
    if (request.units.empty()) command.breakdown.attribute(LatencyPart::Dram, in_hand);
    if (request.setup != 0) [[unlikely]]
      co_await hardware_.to_host(std::exchange(request.setup, 0), in_hand);
    request.data_done = co_await hardware_.data_to_host(request.served, in_hand);
  }
  if (!request.units.empty()) {
    co_await ftl_->read(request);
    if (!request.fills.empty()) [[unlikely]] {
      const std::uint64_t kept = cache.keep(request);
      if (buffer_->in_nvram()) co_await hardware_.nvram_write(kept);  // on the side
    }
    // Data that did not come from flash are sent too: zeroes of unmapped units, and buffered sectors.
    if (const std::uint64_t rest = command.length - request.served - request.sent; rest != 0) [[unlikely]] {
      if (request.setup != 0) co_await hardware_.to_host(std::exchange(request.setup, 0), request.ready);
      request.data_done = std::max(request.data_done, co_await hardware_.data_to_host(rest, request.ready));
    }
  }
  command.data_done = request.data_done;
  if (request.failed) command.status = IoStatus::MediaError;
  // The completion entry follows the data on the link; the core prepares it meanwhile.
  command.ready = std::max(request.ready, hardware_.charge(FirmwareStep::CommandComplete, 1, command.queue));
  cache.release(request);
}

// As read(), but without transfer to the host and without read-ahead. Meanwhile the data of a Compare come from the
// host, and pass through the DRAM as those of a write do.
Task<void> Firmware::read_inside(IoCommand& command, Picoseconds fetched) {
  co_await hardware_.cpu(FirmwareStep::CommandParse, 1, FirmwareStep::BufferLookup, buffer_->pieces().count(command),
                         fetched, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  Picoseconds compared = 0;
  if (command.use == ReadUse::Compare) {
    const Picoseconds received = co_await hardware_.from_host(command.length);
    command.breakdown.attribute(LatencyPart::Link, received);
    compared = co_await hardware_.dram_write(command.length, received);
    command.breakdown.attribute(LatencyPart::Dram, compared);
  }
  BufferRead& request = buffer_->reads().look_up(command);
  request.to_host = false;
  if (!request.units.empty()) co_await ftl_->read(request);
  if (!request.fills.empty()) buffer_->reads().keep(request);
  if (request.failed) command.status = IoStatus::MediaError;
  const Picoseconds charged = hardware_.charge(FirmwareStep::CommandComplete, 1, command.queue);
  command.ready = std::max({request.ready, compared, charged});
  buffer_->reads().release(request);
}

// Frame by frame: the device asks for each frame but the first when the one before has come.
Task<Picoseconds> Firmware::receive_in_frames(const IoCommand& command) {
  const DataFrames& frames = *command.frames;
  Picoseconds at = 0;
  if (frames.setup != 0) at = co_await hardware_.to_host(frames.setup);
  for (std::uint64_t left = command.length; left != 0;) {
    const std::uint64_t bytes = std::min<std::uint64_t>(left, frames.data);
    at = co_await hardware_.data_from_host(bytes, at);
    left -= bytes;
    if (left == 0) break;
    at = co_await hardware_.to_host(frames.activate, at);
    // Waits after each frame, so that others can use the link in between and it is not reserved far ahead.
    co_await hardware_.until(at);
  }
  co_return at;
}

Task<void> Firmware::write(IoCommand& command, Picoseconds fetched, bool keep) {
  co_await hardware_.cpu(FirmwareStep::CommandParse, 1, FirmwareStep::WriteCommand, 1, fetched, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  Picoseconds received = 0;
  if (command.frames == nullptr) [[likely]]
    received = co_await hardware_.data_from_host(command.length);
  else
    received = co_await receive_in_frames(command);
  command.breakdown.attribute(LatencyPart::Link, received);
  const Picoseconds stored = co_await hardware_.buffer_write(command.length, received,
                                                             hardware_.buffer_address(command.offset, command.length));
  command.breakdown.attribute(LatencyPart::Dram, stored);
  if (keep) [[likely]] {
    co_await put(command, stored);
    co_return;
  }
  co_await hardware_.cpu(FirmwareStep::CommandComplete, 1, stored, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
}

// A write that need not wait for flash is looked up, taken and completed in one go.
Task<void> Firmware::put(IoCommand& command, Picoseconds stored) {
  const bool durable = buffer_->waits_for_flash(command);
  DataBuffer::ToFlash sent = buffer_->to_flash(command);
  co_await hardware_.cpu(FirmwareStep::BufferLookup, buffer_->pieces().count(command), FirmwareStep::CommandComplete,
                         durable ? 0 : 1, stored, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  co_await buffer_->write(command);
  if (!durable) co_return;
  while (WaitList* const room = buffer_->send(command, sent)) co_await room->wait(sent.turn);
  co_await buffer_->until_on_flash(sent, command.breakdown);
  while (WaitList* const trims = buffer_->until_trims_survive(sent)) co_await trims->wait();
  if (ftl_->out_of_room()) command.status = IoStatus::WriteProtected;
  co_await hardware_.cpu(FirmwareStep::CommandComplete, 1, 0, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
}

Task<void> Firmware::other(IoCommand& command, Picoseconds fetched, bool act) {
  co_await hardware_.cpu(FirmwareStep::CommandParse, 1, fetched, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  if (act && command.status == IoStatus::Ok) {
    if (is_zone_operation(command.operation)) [[unlikely]]
      command.status = IoStatus::InvalidField;  // there are no zones
    else if (command.operation == IoOperation::Trim)
      co_await trim(command);
    else if (command.operation == IoOperation::WriteZeroes)
      co_await write_zeroes(command);
    else if (command.placement.directive == Directive::DataPlacement)
      co_await buffer_->update_handle(command);
    else
      co_await buffer_->flush(command);
  }
  co_await hardware_.cpu(FirmwareStep::CommandComplete, 1, 0, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
}

Task<void> Firmware::trim(IoCommand& command) {
  if (command.ranges == nullptr) [[likely]] {
    co_await buffer_->trim(command, command.offset, command.length);
    co_return;
  }
  for (std::uint32_t i = 0; i < command.range_count; ++i)
    co_await buffer_->trim(command, command.ranges[i].offset, command.ranges[i].length);
}

// Unmaps whole units. Sectors that do not fill a unit are overwritten with zeroes in the buffer.
Task<void> Firmware::write_zeroes(IoCommand& command) {
  static std::array<SectorToken, 64> zeroes{};  // as many sectors as a unit has at most
  const std::uint64_t end = command.offset + command.length;
  const std::uint64_t first = std::min((command.offset + unit_bytes_ - 1) / unit_bytes_ * unit_bytes_, end);
  const std::uint64_t last = std::max(end / unit_bytes_ * unit_bytes_, first);
  const std::array<IoRange, 2> parts = {IoRange{command.offset, first - command.offset}, IoRange{last, end - last}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].length == 0) continue;
    IoCommand part = command;
    part.operation = IoOperation::Write;
    part.offset = parts[i].offset;
    part.length = parts[i].length;
    part.tokens = verify_ ? zeroes.data() : nullptr;
    const Picoseconds stored =
        co_await hardware_.buffer_write(part.length, 0, hardware_.buffer_address(part.offset, part.length));
    part.breakdown.attribute(LatencyPart::Dram, stored);
    co_await put(part, stored);
    command.breakdown = part.breakdown;
    command.status = part.status;
    if (command.status != IoStatus::Ok) co_return;
  }
  co_await buffer_->trim(command, first, last - first);
}

}  // namespace flashloom
