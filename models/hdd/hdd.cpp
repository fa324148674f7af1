#include "models/hdd/hdd.hpp"

#include <algorithm>
#include <utility>

#include "models/common/config_problem.hpp"

namespace flashloom {
namespace {

constexpr DiskSector kEverywhere = ~DiskSector{0};

const DiskOrder& order_of(const HddConfig& config) {
  const DiskOrder* const order = find_disk_order(config.order);
  require(order != nullptr, "hdd.order", "there is none of the name \"", config.order, "\"");
  return *order;
}

}  // namespace

Hdd::Hdd(const sc_core::sc_module_name& name, const HddConfig& config, std::uint32_t sector_bytes, bool tokens,
         EnergyLedger& ledger)
    : sc_module(name),
      config_(config),
      parts_(sector_bytes == 0 ? 0 : config.physical_sector / sector_bytes),
      sector_bytes_(sector_bytes),
      tokens_(tokens),
      geometry_(config),
      arm_(config, geometry_),
      order_(order_of(config)),
      socket_("socket"),
      timers_("timers"),
      meter_(ledger.add(this->name(), "hdd", hdd_power_figures(config))),
      read_buffer_(config.read_segments,
                   config.read_segments == 0 ? 0 : config.read_buffer / config.read_segments / config.physical_sector),
      write_buffer_(config.write_buffer / config.physical_sector),
      ahead_(std::min(config.read_ahead / config.physical_sector, read_buffer_.capacity())) {
  require(parts_ != 0 && parts_ <= WriteBuffer::kMostParts && config.physical_sector % sector_bytes == 0,
          "hdd.physical_sector", "holds 1 to ", WriteBuffer::kMostParts, " sectors of the host");
  require(config.write_buffer >= config.physical_sector, "hdd.write_buffer", "holds no physical sector");
  require(config.queue_depth != 0, "hdd.queue_depth", "a disk takes one command at least");
  require(config.link_rate != 0, "hdd.link_rate", "must be above 0");
  socket_.bind(*this);
  for (std::uint32_t number = 0; number < config.queue_depth; ++number) slots_.emplace_back(*this, number);
  for (auto slot = slots_.rbegin(); slot != slots_.rend(); ++slot) free_slots_.push_back(&*slot);
  reads_.reserve(config.queue_depth);
  writes_.reserve(config.queue_depth);
  ledger.before_finish([this](Picoseconds end) { settle(end); });
}

tlm::tlm_sync_enum Hdd::nb_transport_fw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;  // END_RESP: nothing to do
  command.next = nullptr;
  if (free_slots_.empty()) {
    *waiting_tail_ = &command;
    waiting_tail_ = &command.next;
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_REQ;
  accept(command);
  return tlm::TLM_UPDATED;
}

void Hdd::b_transport(IoCommand&, sc_core::sc_time&) {
  SC_REPORT_FATAL("block socket", "blocking transport is not offered: use nb_transport_fw");
}

void Hdd::accept(IoCommand& command) {
  Slot& slot = *free_slots_.back();
  free_slots_.pop_back();
  slot.command = &command;
  command.status = IoStatus::Ok;
  command.slot = slot.number;
  slot.order = ++orders_;
  slot.throttled = false;
  if (serving_)
    begin(slot);
  else
    asleep_.push_back(&slot);
}

void Hdd::begin(Slot& slot) {
  IoCommand& command = *slot.command;
  const Picoseconds now = kernel_now();
  controller_free_ = std::max(controller_free_, now) + config_.command_overhead;
  slot.ready = controller_free_;
  command.breakdown.attribute(LatencyPart::Power, now);  // it waited for the disk to spin up
  command.breakdown.attribute(LatencyPart::Cpu, slot.ready);
  if (command.operation != IoOperation::Flush &&
      (command.offset > config_.capacity || command.length > config_.capacity - command.offset)) {
    command.status = IoStatus::OutOfRange;
  } else if (command.operation == IoOperation::Read || command.operation == IoOperation::Write) {
    slot.first = slot.come = slot.coming = command.offset / config_.physical_sector;
    slot.end = (command.offset + command.length + config_.physical_sector - 1) / config_.physical_sector;
    if (command.operation == IoOperation::Write) {
      writes_.push_back(&slot);
      return admit();
    }
    read_ahead_until(now);
    if (!held(slot)) {
      reads_.push_back(&slot);
      return dispatch();
    }
    go_on_reading(slot);
  }
  timers_.schedule(slot, slot.ready);
}

void Hdd::proceed(Slot& slot) {
  IoCommand& command = *slot.command;
  if (command.status == IoStatus::Ok) {
    switch (command.operation) {
      case IoOperation::Read:
        ++statistics_.read_hits;
        return finish_read(slot, kernel_now(), kernel_now());
      case IoOperation::Write:
        return take_in(slot);
      case IoOperation::Flush:
        slot.first = 0;
        slot.end = kEverywhere;
        return await_platter(slot);
      case IoOperation::Trim:
      default:  // write zeroes and zone commands are for SSDs only, never sent here
        break;
    }
  }
  complete(slot, kernel_now());
}

// Whether all of a read is buffered; if not, sets the first sector that is not.
bool Hdd::held(Slot& slot) {
  DiskSector next = slot.first;
  while (next < slot.end) {
    const DiskSector until = read_buffer_.held_until(next);
    if (until != next) {
      next = until;
      continue;
    }
    const WriteBuffer::Sector* const dirty = write_buffer_.find(next);
    const WriteBuffer::Parts parts = parts_of(*slot.command, next);
    if (dirty == nullptr || (dirty->parts & parts) != parts) break;
    ++next;
  }
  slot.come = std::min(next, slot.end);
  return slot.come == slot.end;
}

WriteBuffer::Parts Hdd::parts_of(const IoCommand& command, DiskSector sector) const {
  const std::uint64_t begin = sector * config_.physical_sector;
  const std::uint64_t from = std::max(begin, command.offset) - begin;
  const std::uint64_t to = std::min(begin + config_.physical_sector, command.offset + command.length) - begin;
  const auto count = static_cast<std::uint32_t>((to - from) / sector_bytes_);
  return static_cast<WriteBuffer::Parts>(((1U << count) - 1U) << (from / sector_bytes_));
}

// Fetches write data over the link as far as the write buffer has space.
void Hdd::admit() {
  while (!writes_.empty()) {
    Slot& slot = *writes_.front();
    if (slot.come != slot.coming) return;  // continues when these data have arrived
    IoCommand& command = *slot.command;
    const std::uint64_t sectors = std::min(write_buffer_.room(), slot.end - slot.coming);
    if (sectors == 0) {
      if (!slot.throttled) ++statistics_.throttled_writes;
      slot.throttled = true;
      return dispatch();
    }
    write_buffer_.reserve(sectors);
    const std::uint64_t begin = std::max(slot.coming * config_.physical_sector, command.offset);
    slot.coming += sectors;
    const std::uint64_t end = std::min(slot.coming * config_.physical_sector, command.offset + command.length);
    const Picoseconds from = std::max(kernel_now(), slot.ready);
    command.breakdown.attribute(LatencyPart::Buffer, from);
    const Picoseconds come = move_data(end - begin, from);
    command.breakdown.attribute(LatencyPart::Link, come);
    timers_.schedule(slot, come);
    if (slot.coming != slot.end) return;
    writes_.erase(writes_.begin());
  }
}

void Hdd::take_in(Slot& slot) {
  const IoCommand& command = *slot.command;
  write_buffer_.begin_write(++orders_);
  for (; slot.come != slot.coming; ++slot.come) {
    const WriteBuffer::Parts parts = parts_of(command, slot.come);
    std::array<SectorToken, WriteBuffer::kMostParts> tokens{};
    for (std::uint32_t part = 0; tokens_ && command.tokens != nullptr && part < parts_; ++part)
      if ((parts >> part & 1U) != 0)
        tokens[part] = command.tokens[slot.come * parts_ + part - command.offset / sector_bytes_];
    write_buffer_.put(slot.come, parts, tokens);
  }
  if (slot.come == slot.end) {
    if (config_.write_cache && !command.fua) {
      ++statistics_.cached_writes;
      complete(slot, kernel_now());
    } else {
      await_platter(slot);
    }
  }
  admit();
  dispatch();
}

void Hdd::await_platter(Slot& slot) {
  if (write_buffer_.await(slot.number, slot.first, slot.end))
    dispatch();
  else
    complete(slot, kernel_now());
}

// Data go out while the head reads: the first sector is available at `first_at`, the last one at `read_at`; both are
// now for a read served from memory.
void Hdd::finish_read(Slot& slot, Picoseconds first_at, Picoseconds read_at) {
  IoCommand& command = *slot.command;
  if (tokens_ && command.tokens != nullptr) peek(command.offset, command.length, command.tokens);
  const Picoseconds whole = link_time(command.length);
  const Picoseconds sent = move_data(command.length, std::max(first_at, read_at - std::min(read_at, whole)));
  const Picoseconds last = read_at + link_time(std::min<std::uint64_t>(command.length, config_.physical_sector));
  link_free_ = std::max(sent, last);
  command.breakdown.attribute(LatencyPart::Link, link_free_);
  complete(slot, link_free_);
}

Picoseconds Hdd::link_time(std::uint64_t bytes) const {
  constexpr std::uint64_t kLineBits = 10;  // bits a byte on the line: 8b/10b
  return transfer_time(bytes * kLineBits, config_.link_rate);
}

Picoseconds Hdd::move_data(std::uint64_t bytes, Picoseconds from) {
  return link_free_ = std::max(link_free_, from) + link_time(bytes);
}

void Hdd::complete(Slot& slot, Picoseconds at) {
  IoCommand& command = *std::exchange(slot.command, nullptr);
  if (command.status == IoStatus::Ok) {
    HddStatistics::Operation& operation = statistics_.operations[static_cast<std::size_t>(command.operation)];
    ++operation.ios;
    operation.bytes += command.length;
  }
  free_slots_.push_back(&slot);
  respond(command, at - kernel_now());
  if (waiting_ == nullptr || free_slots_.empty()) return;
  IoCommand& next = *waiting_;
  waiting_ = next.next;
  if (waiting_ == nullptr) waiting_tail_ = &waiting_;
  next.next = nullptr;
  next.breakdown.attribute(LatencyPart::Backlog, kernel_now());
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket_->nb_transport_bw(next, phase, delay);
  accept(next);
}

void Hdd::respond(IoCommand& command, Picoseconds delay_ps) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = kernel_time(delay_ps);
  socket_->nb_transport_bw(command, phase, delay);
}

void Hdd::peek(std::uint64_t offset, std::uint64_t length, SectorToken* tokens) const {
  const WriteBuffer::Sector* dirty = nullptr;
  DiskSector sector = kEverywhere;
  for (std::uint64_t index = offset / sector_bytes_; index != (offset + length) / sector_bytes_; ++index) {
    if (index / parts_ != sector) dirty = write_buffer_.find(sector = index / parts_);
    const auto part = static_cast<std::uint32_t>(index % parts_);
    *tokens++ = dirty != nullptr && (dirty->parts >> part & 1U) != 0 ? dirty->tokens[part] : platter_.at(index);
  }
}

void Hdd::power_cut(Picoseconds off_time) {
  const Picoseconds now = kernel_now();
  settle(now);
  if (task_.kind == Task::kWrite && now > task_.access.first + task_.rewrite)
    put_on_platter(static_cast<std::uint32_t>(
        arm_.progress(task_.first, task_.count, true, task_.access.first + task_.rewrite, now).sectors));
  meter_.off(now, now + off_time);
  timers_.cancel_all();
  task_ = {};
  stream_ = {};
  serving_ = false;
  ready_ = nullptr;
  idle_since_ = kNever;
  read_buffer_.clear();
  write_buffer_.clear();
  reads_.clear();
  writes_.clear();
  asleep_.clear();
  controller_free_ = link_free_ = now;
  std::vector<IoCommand*> lost;
  for (Slot& slot : slots_) {
    if (slot.command == nullptr) continue;
    lost.push_back(std::exchange(slot.command, nullptr));
    free_slots_.push_back(&slot);
  }
  for (IoCommand* command = waiting_; command != nullptr; command = command->next) lost.push_back(command);
  waiting_ = nullptr;
  waiting_tail_ = &waiting_;
  statistics_.power_lost += lost.size();
  for (IoCommand* command : lost) {
    command->status = IoStatus::PowerLost;
    command->breakdown.forget();
    respond(*command, 0);
  }
}

void Hdd::power_on(std::function<void()> ready) {
  ready_ = std::move(ready);
  const Picoseconds now = kernel_now();
  task_ = {};
  task_.kind = Task::kStart;
  meter_.busy(kSpinUp, now, now + config_.spin_up_time);
  timers_.schedule(arm_timer_, now + config_.spin_up_time);
}

}  // namespace flashloom
