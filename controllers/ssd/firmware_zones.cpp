// Commands of a zoned device. A command is accepted or refused when its entry is fetched, in that order, so that write
// pointers and addresses of appends do not depend on data transfer times. Its effect on a zone follows in the same
// order.
#include <algorithm>

#include "controllers/runtime/runtime.hpp"
#include "controllers/ssd/firmware.hpp"

namespace flashloom {

Task<void> Firmware::execute_on_zones(IoCommand& command, Picoseconds fetched) {
  command.status = accept(command);
  if (command.status != IoStatus::Ok) return other(command, fetched, false);
  switch (command.operation) {
    case IoOperation::Read:
      return command.use != ReadUse::Host ? read_inside(command, fetched) : read(command, fetched);
    case IoOperation::Write:
    case IoOperation::ZoneAppend:
      return write_zone(command, fetched);
    case IoOperation::Flush:
      return other(command, fetched);
    case IoOperation::ZoneReport:
      return report_zones(command, fetched);
    default:
      return manage_zones(command, fetched);
  }
}

IoStatus Firmware::accept(IoCommand& command) {
  ZoneTable& table = zones_->table();
  const std::uint64_t first = command.offset / unit_bytes_;
  const std::uint64_t count = command.length / unit_bytes_;
  const std::uint64_t start = command.all_zones ? ZoneTable::kAll : first;
  const bool whole = command.length % unit_bytes_ == 0 || command.operation == IoOperation::ZoneReport;
  if (command.operation != IoOperation::Flush && (command.offset % unit_bytes_ != 0 || !whole))
    return IoStatus::InvalidField;
  switch (command.operation) {
    case IoOperation::Read:
      return table.read(first, count);
    case IoOperation::Write: {
      const IoStatus status = table.write(first, count);
      command.placed = status == IoStatus::Ok ? command.offset : kNowhere;
      return status;
    }
    case IoOperation::ZoneAppend: {
      std::uint64_t placed = 0;
      const IoStatus status = table.append(first, count, placed);
      command.placed = status == IoStatus::Ok ? placed * unit_bytes_ : kNowhere;
      return status;
    }
    case IoOperation::Flush:
      return IoStatus::Ok;
    case IoOperation::ZoneOpen:
      return table.open(start, command.random_write_area);
    case IoOperation::ZoneClose:
      return table.close(start);
    case IoOperation::ZoneFinish:
      return table.finish(start);
    case IoOperation::ZoneReset:
      return table.reset(start);
    case IoOperation::ZoneOffline:
      return table.offline(start);
    case IoOperation::ZoneCommit:
      return table.commit(first);
    case IoOperation::ZoneReport:
      return first < capacity_bytes_ / unit_bytes_ ? IoStatus::Ok : IoStatus::OutOfRange;
    default:
      return IoStatus::InvalidField;  // trims and write zeroes: a zone is reset
  }
}

void Firmware::end_turn(std::uint32_t zone) {
  if (++turns_[zone].over == turns_[zone].given) zones_->table().settle(zone);
  turn_.wake_all();
}

// Runs after all commands that were accepted for the zone; the table accepts no more.
void Firmware::on_read_only(std::uint32_t zone) {
  Runtime::current().spawn([this, zone, turn = turns_[zone].given++] { return wind_up(zone, turn); });
}

Task<void> Firmware::wind_up(std::uint32_t zone, std::uint64_t turn) {
  while (turns_[zone].over != turn) co_await turn_.wait();
  IoCommand nobodys;
  co_await tell_zone(nobodys, {.zone = zone, .kind = ZoneOrder::Kind::Finish});
  end_turn(zone);
}

Task<void> Firmware::write_zone(IoCommand& command, Picoseconds fetched) {
  const std::uint32_t zone = zones_->table().zone_of(command.placed / unit_bytes_);
  // A random write area whose write pointer moved: the table says so now, and for this command alone.
  const bool commits = zones_->table()[zone].unordered && !zones_->table().changed().empty();
  const ZoneOrder commit{.zone = zone, .kind = ZoneOrder::Kind::Commit, .end = zones_->table()[zone].written};
  const std::uint64_t turn = turns_[zone].given++;
  if (hardware_.timed()) co_await write(command, fetched, false);
  while (turns_[zone].over != turn) co_await turn_.wait();
  // The buffer sees a plain write at the assigned place; this coroutine does the rest.
  IoCommand placed = command;
  placed.operation = IoOperation::Write;
  placed.offset = command.placed;
  placed.fua = false;
  const bool durable = buffer_->waits_for_flash(command);
  co_await hardware_.cpu(FirmwareStep::BufferLookup, buffer_->pieces().count(placed), 0, command.queue);
  placed.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  co_await buffer_->write(placed);
  if (commits) co_await tell_zone(placed, commit);
  end_turn(zone);
  // All earlier data of the zone must be on flash too: else a power cut would leave a gap.
  if (durable && placed.status == IoStatus::Ok) co_await buffer_->drain(placed);
  command.status = placed.status;
  command.breakdown = placed.breakdown;
  command.ready = std::max(command.ready, placed.ready);
}

// Runs after all data written to the order's zone.
Task<void> Firmware::tell_zone(IoCommand& command, ZoneOrder order) {
  const bool commit = order.kind == ZoneOrder::Kind::Commit;
  return buffer_->carry_out(command, order, first_unit(order.zone),
                            commit ? order.end : zones_->table().shape().capacity);
}

// Pads the rest of a finished zone, behind host writes. A reset ends it.
Task<void> Firmware::pad_zone(std::uint32_t zone) {
  const std::uint32_t members = zones_->padding_members();
  std::uint32_t padding = members;
  for (std::uint32_t member = members; member-- > 0;)
    Runtime::current().spawn([this, zone, member, &padding] { return pad_member(zone, member, padding); });
  while (padding != 0) co_await padded_.wait();
}

Task<void> Firmware::pad_member(std::uint32_t zone, std::uint32_t member, std::uint32_t& padding) {
  for (;;) {
    const bool more = co_await zones_->before_padding(zone, member);
    if (!more) break;
    co_await buffer_->pad(zone, member);
  }
  if (--padding == 0) padded_.wake_all();
}

// Begins the work on all zones that the table has just changed, one after the other; then waits for its long parts
// (erases, programs).
Task<void> Firmware::manage_zones(IoCommand& command, Picoseconds fetched) {
  struct Turn {
    std::uint32_t zone;
    std::uint64_t number;
    std::uint32_t written;
  };
  std::vector<Turn> turns;
  for (const std::uint32_t zone : zones_->table().changed())
    turns.push_back({zone, turns_[zone].given++, zones_->table()[zone].written});
  // Zones that are empty by a reset that is still under way: this command must not complete before that reset.
  std::vector<Turn> before;
  if (command.operation == IoOperation::ZoneReset) {
    const std::uint32_t only = zones_->table().zone_of(command.offset / unit_bytes_);
    for (std::uint32_t zone = 0; zone < turns_.size(); ++zone)
      if ((command.all_zones || zone == only) && turns_[zone].over != turns_[zone].given)
        before.push_back({zone, turns_[zone].given, 0});
  }
  co_await hardware_.cpu(FirmwareStep::CommandParse, 1, fetched, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  for (const Turn& turn : turns) {
    while (turns_[turn.zone].over != turn.number) co_await turn_.wait();
    if (command.operation == IoOperation::ZoneFinish)
      co_await tell_zone(command, {.zone = turn.zone, .kind = ZoneOrder::Kind::Finish});
    else if (command.operation == IoOperation::ZoneCommit)
      co_await tell_zone(command, {.zone = turn.zone, .kind = ZoneOrder::Kind::Commit, .end = turn.written});
    else if (command.operation == IoOperation::ZoneOpen)
      co_await tell_zone(command, {.zone = turn.zone, .kind = ZoneOrder::Kind::GiveArea});
    else
      co_await buffer_->reset_zone(command, first_unit(turn.zone), zones_->table().shape().capacity);
    end_turn(turn.zone);
  }
  for (const Turn& turn : before)
    while (turns_[turn.zone].over < turn.number) co_await turn_.wait();
  if (command.operation == IoOperation::ZoneFinish)
    for (const Turn& turn : turns) co_await pad_zone(turn.zone);
  const bool waits = command.operation != IoOperation::ZoneCommit && command.operation != IoOperation::ZoneOpen;
  for (const Turn& turn : turns)
    if (waits) co_await zones_->settled(turn.zone);
  command.breakdown.attribute(LatencyPart::Buffer, hardware_.now());
  co_await hardware_.cpu(FirmwareStep::CommandComplete, 1, 0, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
}

Task<void> Firmware::report_zones(IoCommand& command, Picoseconds fetched) {
  const ZoneTable& table = zones_->table();
  const std::uint32_t first = table.zone_of(command.offset / unit_bytes_);
  if (ZoneReportBuffer* const report = command.report) {
    report->count = std::min(report->room, table.shape().zones - first);
    for (std::uint32_t i = 0; i < report->count; ++i) report->descriptors[i] = table.describe(first + i, unit_bytes_);
  }
  co_await hardware_.cpu(FirmwareStep::CommandParse, 1, fetched, command.queue);
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  if (command.length != 0) command.data_done = co_await hardware_.to_host(command.length);
  command.ready = std::max(command.data_done, hardware_.charge(FirmwareStep::CommandComplete, 1, command.queue));
}

}  // namespace flashloom
