// Choice of the arm's next task, and completion of tasks.
#include <algorithm>
#include <utility>

#include "models/hdd/hdd.hpp"

namespace flashloom {

void Hdd::dispatch() {
  while (serving_ && task_.kind == Task::kNothing) {
    // Read-ahead for a command that is still in the controller may have advanced the arm beyond now.
    const Picoseconds at = std::max(collect(kernel_now()), stream_.booked);
    if (tasks_.empty()) return;
    read_ahead_until(at);
    const DiskTask task = tasks_[choose(at)];
    if (task.write) return start_write(task.sector, at);
    Slot& slot = slots_[task.number];
    reads_.erase(std::find(reads_.begin(), reads_.end(), &slot));
    if (!held(slot)) return start_read(slot, at);
    timers_.schedule(slot, at);  // another command's task covered it
    go_on_reading(slot);
  }
}

// Collects the arm's possible next tasks, and when the next one could begin. Host requests go before destaging.
Picoseconds Hdd::collect(Picoseconds now) {
  tasks_.clear();
  const auto add_read = [this](const Slot& slot) {
    tasks_.push_back({.sector = slot.come, .write = false, .order = slot.order, .number = slot.number});
  };
  for (const Slot* slot : reads_)
    if (slot->ready <= now) add_read(*slot);
  bool all = !writes_.empty() && write_buffer_.room() == 0;
  const WriteBuffer::Ticket* flush = nullptr;  // the oldest flush
  for (const WriteBuffer::Ticket& ticket : write_buffer_.tickets()) {
    const Slot& slot = slots_[ticket.number];
    if (slot.command->operation == IoOperation::Flush) {
      all = true;
      if (flush == nullptr) flush = &ticket;
      continue;
    }
    const DiskSector sector = write_buffer_.first_in(ticket.first, ticket.end);
    tasks_.push_back({.sector = sector, .write = true, .order = slot.order, .number = slot.number});
  }
  if (tasks_.empty() && !all) {
    if (!reads_.empty()) {  // still in the controller; the first one that will leave it
      add_read(*reads_.front());
      return reads_.front()->ready;
    }
    all = true;
  }
  if (!all || write_buffer_.dirty() == 0) return now;
  write_buffer_.runs_around(position_, config_.destage_window, tasks_);
  const WriteBuffer::Sector& oldest =
      flush == nullptr ? *write_buffer_.oldest() : *write_buffer_.oldest_until(flush->stamp);
  tasks_.push_back({.sector = oldest.number, .write = true, .order = oldest.oldest});
  if (flush == nullptr) return now;
  for (DiskTask& task : tasks_)
    if (task.number == DiskTask::kNobody && task.order <= flush->stamp) task.number = flush->number;
  return now;
}

// Once a command has waited too long, only its own tasks remain: one or, for a flush, several.
std::size_t Hdd::choose(Picoseconds at) {
  if (config_.max_wait != 0) {
    const Slot* overdue = nullptr;
    for (const DiskTask& task : tasks_) {
      if (task.number == DiskTask::kNobody) continue;
      const Slot& slot = slots_[task.number];
      if (at >= slot.ready + config_.max_wait && (overdue == nullptr || slot.order < overdue->order)) overdue = &slot;
    }
    if (overdue != nullptr)
      std::erase_if(tasks_, [overdue](const DiskTask& task) { return task.number != overdue->number; });
  }
  return order_.choose(tasks_, {.geometry = geometry_, .arm = arm_, .now = at, .position = position_});
}

void Hdd::start_read(Slot& slot, Picoseconds at) {
  const bool continues = stream_.active && slot.come >= stream_.next && slot.come <= stream_.limit;
  const Picoseconds begin = spin_up(at);
  task_.kind = Task::kRead;
  task_.slot = &slot;
  task_.first = continues ? stream_.next : slot.come;
  task_.count = static_cast<std::uint32_t>(slot.end - task_.first);
  task_.spun_up = begin - at;
  task_.access = arm_.access(task_.first, task_.count, false, continues ? stream_.at : begin);
  if (continues) {  // the sector may be under the head already
    ++statistics_.reads_continued;
    task_.access.begin = task_.access.on_track = at;
    task_.access.first = std::max(task_.access.first, at);
  }
  start();
}

void Hdd::start_write(DiskSector first, Picoseconds at) {
  const Picoseconds begin = spin_up(at);
  const DiskPlace place = geometry_.place(first);
  task_.kind = Task::kWrite;
  task_.first = first;
  task_.count = write_buffer_.run_length(first, place.sectors - place.sector);
  task_.spun_up = begin - at;
  task_.rewrite = 0;
  task_parts_.clear();
  task_tokens_.clear();
  const auto whole = static_cast<WriteBuffer::Parts>((1U << parts_) - 1U);
  for (std::uint32_t i = 0; i < task_.count; ++i) {
    const WriteBuffer::Sector& sector = write_buffer_.take(first + i);
    if (sector.parts != whole) task_.rewrite = geometry_.revolution();
    task_parts_.push_back(sector.parts);
    if (tokens_) task_tokens_.insert(task_tokens_.end(), sector.tokens.begin(), sector.tokens.begin() + parts_);
  }
  task_.access = arm_.access(first, task_.count, true, begin);
  task_.access.end += task_.rewrite;
  start();
}

// Starts the task, whose access times are known.
void Hdd::start() {
  const DiskAccess& access = task_.access;
  stream_ = {};
  idle_since_ = kNever;
  const std::uint32_t from = arm_.track().cylinder;
  const std::uint32_t to = geometry_.place(task_.first).track.cylinder;
  task_.cylinders = std::max(from, to) - std::min(from, to);
  arm_.place_over(task_.first + task_.count - 1);
  if (access.on_track != access.begin) meter_.busy(kSeek, access.begin, access.on_track);
  meter_.busy(kTransfer, access.on_track, access.end);
  timers_.schedule(arm_timer_, access.end);
}

// When the platters are up to speed, from `at` on.
Picoseconds Hdd::spin_up(Picoseconds at) {
  if (config_.standby_after == 0 || idle_since_ == kNever || at - idle_since_ < config_.standby_after) return at;
  const Picoseconds stopped = idle_since_ + config_.standby_after;
  if (at != stopped) meter_.busy(kStandby, stopped, at);
  meter_.busy(kSpinUp, at, at + config_.spin_up_time);
  return at + config_.spin_up_time;
}

void Hdd::arm_done() {
  switch (std::exchange(task_.kind, Task::kNothing)) {
    case Task::kRead:
      read_done();
      break;
    case Task::kWrite:
      write_done();
      break;
    default: {
      serving_ = true;
      idle_since_ = kernel_now();
      std::vector<Slot*> asleep;
      asleep.swap(asleep_);
      if (ready_) std::exchange(ready_, nullptr)();
      for (Slot* slot : asleep) begin(*slot);
    }
  }
  admit();
  dispatch();
}

void Hdd::count_task() {
  const DiskAccess& access = task_.access;
  if (task_.cylinders != 0) ++statistics_.seeks;
  statistics_.seek_cylinders += task_.cylinders;
  statistics_.seek_time += access.on_track - access.begin;
  statistics_.rotation_time += access.first - access.on_track;
  statistics_.transfer_time += access.end - access.first;
  if (task_.spun_up != 0) ++statistics_.spin_ups;
  statistics_.spin_up_time += task_.spun_up;
  position_ = task_.first + task_.count;
}

void Hdd::read_done() {
  count_task();
  ++statistics_.media.reads;
  statistics_.media.read_bytes += (task_.slot->end - task_.slot->come) * config_.physical_sector;
  statistics_.media.read_ahead_bytes += (task_.slot->come - task_.first) * config_.physical_sector;
  const Picoseconds now = kernel_now();
  read_buffer_.add(task_.first, position_);
  stream_ = {.active = true,
             .begin = task_.first,
             .next = position_,
             .limit = std::min(position_ + ahead_, geometry_.sectors()),
             .at = now,
             .booked = now};
  read_ahead_until(now);
  charge(*task_.slot->command);
  finish_read(*task_.slot, task_.access.first + geometry_.pass(geometry_.place(task_.first), 1), now);
}

void Hdd::write_done() {
  count_task();
  ++statistics_.media.writes;
  statistics_.media.write_bytes += std::uint64_t{task_.count} * config_.physical_sector;
  if (task_.rewrite != 0) ++statistics_.media.read_modify_writes;
  put_on_platter(task_.count);
  durable_.clear();
  for (std::uint32_t i = 0; i < task_.count; ++i) write_buffer_.retire(task_.first + i, durable_);
  idle_since_ = kernel_now();
  for (const std::uint32_t number : durable_) charge(*slots_[number].command);
  for (const std::uint32_t number : durable_) complete(slots_[number], kernel_now());  // may begin the next task
}

void Hdd::charge(IoCommand& command) const {
  command.breakdown.attribute(LatencyPart::DiskWait, task_.access.begin - task_.spun_up);
  command.breakdown.attribute(LatencyPart::Power, task_.access.begin);
  command.breakdown.attribute(LatencyPart::Disk, task_.access.end);
}

void Hdd::put_on_platter(std::uint32_t sectors) {
  if (!tokens_) return;
  for (std::uint32_t i = 0; i < sectors * parts_; ++i)
    if ((task_parts_[i / parts_] >> (i % parts_) & 1U) != 0) platter_.set(task_.first * parts_ + i, task_tokens_[i]);
}

// A read was served from memory: keeps the read-ahead of its stream going.
void Hdd::go_on_reading(const Slot& slot) {
  if (slot.first < stream_.begin || slot.end > stream_.next || task_.kind != Task::kNothing) return;
  const DiskSector limit = std::min(slot.end + ahead_, geometry_.sectors());
  if (limit <= stream_.limit) return;
  if (stream_.active) {
    stream_.limit = limit;
    return;
  }
  const Picoseconds now = std::max(kernel_now(), stream_.booked);
  const bool stands = config_.standby_after != 0 && now - idle_since_ >= config_.standby_after;
  if (stands || write_buffer_.dirty() != 0 || limit - stream_.next < ahead_ / 2) return;
  stream_.active = true;
  stream_.limit = limit;
  stream_.at = now + arm_.reach(stream_.next, false, now);
  stream_.booked = now;
  idle_since_ = kNever;
}

void Hdd::read_ahead_until(Picoseconds at) {
  if (!stream_.active) return;
  const DiskProgress done = arm_.progress(stream_.next, stream_.limit - stream_.next, false, stream_.at, at);
  if (done.sectors != 0) {
    arm_.place_over(stream_.next + done.sectors - 1);
    statistics_.media.read_ahead_bytes += done.sectors * config_.physical_sector;
    read_buffer_.add(stream_.next, stream_.next + done.sectors);
    stream_.next += done.sectors;
    stream_.at = done.at;
  }
  stream_.active = stream_.next != stream_.limit;
  const Picoseconds until = stream_.active ? at : stream_.at;
  if (until > stream_.booked) meter_.busy(kTransfer, stream_.booked, until);
  stream_.booked = std::max(stream_.booked, until);
  if (!stream_.active) idle_since_ = stream_.at;
}

// Reports everything up to `at` that had no event.
void Hdd::settle(Picoseconds at) {
  read_ahead_until(at);
  if (config_.standby_after != 0 && idle_since_ != kNever && at > idle_since_ + config_.standby_after)
    meter_.busy(kStandby, idle_since_ + config_.standby_after, at);
}

}  // namespace flashloom
