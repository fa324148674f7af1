// Of the host's driver: the commands of front ends, and real bytes.
#include <algorithm>
#include <utility>

#include "controllers/host/host_driver_parts.hpp"

namespace flashloom {

void HostDriver::end_front(std::uint32_t number) {
  Job& job = jobs_[number];
  job.exhausted = true;
  if (job.in_flight == 0) end_slot(job);
}

void HostDriver::submit(std::uint32_t number, FrontCommand& command) {
  Job& job = jobs_[number];
  const Picoseconds now = kernel_now();
  ++job.in_flight;
  command.driver_ = this;
  command.job_ = number;
  command.status = IoStatus::Ok;
  command.at = {};
  command.at.arrival = now;
  command.breakdown.begin(now);
  const bool zeroes = command.operation == IoOperation::WriteZeroes && !writes_zeroes_;
  if (zeroes) {
    command.operation = IoOperation::Write;
    command.data = nullptr;
  }
  if (oracle_ != nullptr && moves_data(command.operation)) {
    const std::size_t sectors = command.length / sector_bytes_;
    if (command.contents_.size() < sectors) command.contents_.resize(sectors);
    command.tokens = command.contents_.data();
  }
  note_submission(job, command, now >= job.statistics.begin.value, 0);
  if (payloads_ != nullptr && command.operation == IoOperation::Write && (command.data != nullptr || zeroes))
    payloads_->put(command.tokens[0], command.offset / sector_bytes_, command.length / sector_bytes_, command.data);
  if (payloads_ != nullptr && command.operation == IoOperation::ZoneAppend && command.data != nullptr) {
    command.kept_ = false;
    appends_.push_back(&command);
  }
  send(command);
}

// The device has given the place of an append when it accepted it; from then on reads may return its bytes.
void HostDriver::keep_appended(FrontCommand& command) {
  if (command.placed == kNowhere || std::exchange(command.kept_, true)) return;
  payloads_->put(command.tokens[0], command.placed / sector_bytes_, command.length / sector_bytes_, command.data);
}

void FrontCommand::on_timer() { driver_->completed(*this); }

void HostDriver::completed(FrontCommand& command) {
  command.at.complete = kernel_now();
  if (const auto append = std::ranges::find(appends_, &command); append != appends_.end()) {
    keep_appended(command);
    appends_.erase(append);
  }
  if (oracle_ != nullptr) oracle_->completed(command);
  const bool reads = command.operation == IoOperation::Read && command.status == IoStatus::Ok;
  if (payloads_ != nullptr && reads && command.data != nullptr) {
    for (FrontCommand* const append : appends_) keep_appended(*append);
    payloads_->get(command.tokens, command.offset / sector_bytes_, command.length / sector_bytes_, command.data);
  }
  if (payloads_ != nullptr && command.operation == IoOperation::Write && is_zone_error(command.status))
    for (std::uint64_t at = 0; at < command.length; at += sector_bytes_)  // it was refused: nobody will read its bytes
      payloads_->gone(command.tokens[0], (command.offset + at) / sector_bytes_);
  Job& job = jobs_[command.job_];
  record(job, command, command.at.arrival >= job.statistics.begin.value);
  runtime_.run([&command] { command.completed(); });
  if (--job.in_flight == 0 && job.exhausted) end_slot(job);
}

void HostDriver::put_bytes(Job& job, Io& io) {
  if (!moves_data(io.operation)) return;
  bytes_.resize(std::max(bytes_.size(), io.length));
  io.looked_at = job.job.bytes->begin(io, bytes_.data());
  if (io.looked_at && io.operation == IoOperation::Write)
    payloads_->put(io.tokens[0], io.offset / sector_bytes_, io.length / sector_bytes_, bytes_.data());
}

void HostDriver::get_bytes(Job& job, Io& io) {
  if (io.operation != IoOperation::Read || io.status != IoStatus::Ok || !io.looked_at) return;
  bytes_.resize(std::max(bytes_.size(), io.length));
  payloads_->get(io.tokens, io.offset / sector_bytes_, io.length / sector_bytes_, bytes_.data());
  job.job.bytes->read(io, bytes_.data());
}

}  // namespace flashloom
