#include "sc_main/attach/serve/served_front.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

namespace flashloom {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

}  // namespace

void ServedFront::listen(std::vector<int> interrupts, std::function<bool(int)> interrupted) {
  interrupts_ = std::move(interrupts);
  interrupted_ = std::move(interrupted);
  if (pace_) pace_->begin(kernel_now());
  notify_at(kernel_now());
}

void ServedFront::complete() {
  if (!finished_) notify_at(kernel_now());
}

void ServedFront::wake() {
  if (finished_) return;
  // Runs after all other events of this instant.
  if (!TimeLoop::instance().quiet()) return notify_at(kernel_now());
  try {
    pace_ ? serve_paced() : serve();
  } catch (...) {
    finished_ = true;
    failed_(std::current_exception());
  }
}

// Serves clients without a pace; returns when the simulation is to go on.
void ServedFront::serve() {
  for (;;) {
    answer();
    while (receive()) {
    }
    if (over()) return end();
    const Work now = work();
    if (now.any && (closing_ || !open() || now.certain || now.in_flight >= depth_)) {
      depth_ = now.certain ? std::max(depth_, now.in_flight) : now.in_flight;
    } else if (wait(now.any ? wall_now() + gather_ns_ : kForever) == Heard::Nothing && now.any) {
      depth_ = now.in_flight;
    } else {
      continue;
    }
    if (now.again != kNever) notify_at(now.again);
    return;
  }
}

void ServedFront::serve_paced() {
  while (open() && wall_now() < pace_->due(kernel_now())) wait(pace_->due(kernel_now()));
  for (;;) {
    answer();
    while (receive()) {
    }
    if (over()) return end();
    const Picoseconds next = TimeLoop::instance().next();
    const std::int64_t due = next == kNever ? kForever : pace_->due(next);
    if (!open() && next == kNever) return;  // requests in flight are lost: the run reports that
    if (due <= wall_now() || !open()) return notify_at(next);
    if (wait(due) == Heard::Nothing) {
      if (next != kNever) return notify_at(next);
      continue;
    }
    // The request arrives at the present instant of the pace, if the simulation has not passed that.
    const Picoseconds instant = std::min(next, std::max(kernel_now(), pace_->instant()));
    if (instant != kernel_now()) return notify_at(instant);
  }
}

void ServedFront::end() {
  finish();
  finished_ = true;
}

ServedFront::Heard ServedFront::wait(std::int64_t until_ns) {
  std::vector<pollfd> waits;
  const bool listens = open();
  if (listens) waits.push_back(channel());
  for (const int descriptor : interrupts_) waits.push_back({descriptor, POLLIN, 0});
  timespec left{};
  if (until_ns != kForever) {
    const std::int64_t ns = std::max<std::int64_t>(0, until_ns - wall_now());
    left = {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  }
  const int ready = ::ppoll(waits.data(), waits.size(), until_ns == kForever ? nullptr : &left, nullptr);
  if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
  if (ready <= 0) return Heard::Nothing;
  for (std::size_t i = listens ? 1 : 0; i < waits.size(); ++i)
    if (waits[i].revents != 0 && !interrupted_(waits[i].fd)) std::erase(interrupts_, waits[i].fd);
  return listens && open() ? heard(waits.front().revents) : Heard::Nothing;
}

}  // namespace flashloom
