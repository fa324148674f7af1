#include "models/cpu/governed_core.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace flashloom {

std::vector<OperatingPoint> operating_points(const CpuConfig& config) {
  if (config.points.empty())
    return {{.clock = config.clock,
             .voltage = config.voltage,
             .active_power = config.active_power,
             .idle_power = config.idle_power}};
  std::vector<OperatingPoint> points = config.points;
  for (OperatingPoint& point : points) {
    if (point.clock == 0) throw std::invalid_argument("cpu.points: clock must be above 0 Hz");
    if (config.voltage == 0 || point.voltage == 0) continue;
    const double squared = point.voltage / config.voltage * (point.voltage / config.voltage);
    if (point.active_power == 0)
      point.active_power =
          config.active_power * (static_cast<double>(point.clock) / static_cast<double>(config.clock)) * squared;
    if (point.idle_power == 0) point.idle_power = config.idle_power * squared;
  }
  return points;
}

PowerFigures GovernedCore::power_figures(const CpuConfig& config, const std::vector<OperatingPoint>& points) {
  PowerFigures figures;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::string prefix;
    if (points.size() > 1) prefix.append("p").append(std::to_string(i)).append("_");
    figures.states.push_back({prefix + "idle", points[i].idle_power, kBackground});
    figures.states.push_back({prefix + "busy", points[i].active_power, "cpu"});
  }
  figures.states.push_back({"sleep", config.sleep_power, kBackground});
  return figures;
}

GovernedCore::GovernedCore(const CpuConfig& config, const std::vector<OperatingPoint>& points, EnergyMeter& meter,
                           const ServiceReport& report)
    : config_(config),
      points_(points),
      meter_(meter),
      report_(report),
      up_(static_cast<Picoseconds>(std::ceil(config.up_threshold * static_cast<double>(config.sampling_interval)))),
      down_(
          static_cast<Picoseconds>(std::floor(config.down_threshold * static_cast<double>(config.sampling_interval)))),
      point_(config.points.empty() ? 0 : config.point),
      next_sample_(config.ondemand && points.size() > 1 ? config.sampling_interval : kNever) {
  if (point_ >= points.size()) throw std::invalid_argument("cpu: point is beyond cpu.points");
}

Picoseconds GovernedCore::announce(Job& job, Picoseconds now) {
  assert(job.arrival >= now);
  settle(now);
  job.next = nullptr;
  if (job.arrival == now) return job.end = serve(now, job.duration, job.tag);
  Job** link = &head_;
  while (*link != nullptr && (*link)->arrival <= job.arrival) link = &(*link)->next;
  job.next = *link;
  *link = &job;
  job.end = std::max(job.arrival, free_) + transfer_time(job.duration, points_.back().clock);
  return job.end;
}

Picoseconds GovernedCore::reserve(Picoseconds now, std::uint64_t cycles, std::uint32_t tag) {
  settle(now);
  return serve(now, cycles, tag);
}

bool GovernedCore::finished(const Job& job, Picoseconds now) {
  settle(now);
  return job.end <= now;
}

Picoseconds GovernedCore::done_at() const {
  Picoseconds done = free_;
  for (const Job* job = head_; job != nullptr; job = job->next)
    done = std::max(done, job->arrival) + transfer_time(job->duration, points_[point_].clock);
  return done;
}

void GovernedCore::settle(Picoseconds now) {
  while (head_ != nullptr && head_->arrival <= now) {
    Job* const job = std::exchange(head_, head_->next);
    job->next = nullptr;
    job->end = serve(job->arrival, job->duration, job->tag);
  }
}

Picoseconds GovernedCore::serve(Picoseconds arrival, std::uint64_t cycles, std::uint32_t tag) {
  Picoseconds start = std::max(arrival, free_);
  if (arrival > free_) {
    begin_gap(arrival);
    if (sleep_to_ != kNever) start = arrival + config_.wake_latency;
  }
  start = govern(start);
  idle_until(start);
  sleep_from_ = sleep_to_ = kNever;
  const Picoseconds duration = transfer_time(cycles, points_[point_].clock);
  free_ = accounted_ = start + duration;
  busy_ += duration;
  if (duration != 0) {
    meter_.busy(2 * point_ + 1, start, free_);
    report_(tag, 0, start, free_);
  }
  return free_;
}

// Starts the idle interval from free_ to `arrival`.
void GovernedCore::begin_gap(Picoseconds arrival) {
  if (config_.sleep_time == 0 || arrival - free_ <= config_.sleep_time) return;
  sleep_from_ = free_ + config_.sleep_time;
  sleep_to_ = arrival;
  ++sleeps_;
}

// Applies the governor's decisions until work begins at `start`; returns when it can begin.
Picoseconds GovernedCore::govern(Picoseconds start) {
  while (next_sample_ <= start) {
    const Picoseconds sample = next_sample_;
    const Picoseconds busy = busy_before(sample);
    const Picoseconds load = busy - busy_at_sample_;
    busy_at_sample_ = busy;
    next_sample_ += config_.sampling_interval;
    std::uint32_t target = point_;
    if (load >= up_)
      target = static_cast<std::uint32_t>(points_.size()) - 1;
    else if (load <= down_ && point_ != 0)
      target = point_ - 1;
    if (target != point_) {
      const Picoseconds at = std::max(sample, free_);
      idle_until(at);
      point_ = target;
      ++transitions_;
      start = std::max(start, at + config_.transition_latency);
    } else if (point_ == 0 && busy == busy_ && next_sample_ <= start) {
      // Further idle samples change nothing: skips them.
      next_sample_ += ((start - next_sample_) / config_.sampling_interval + 1) * config_.sampling_interval;
    }
  }
  return start;
}

void GovernedCore::book(std::uint32_t state, Picoseconds from, Picoseconds to) {
  if (state != 0 && from < to) meter_.busy(state, from, to);  // unbooked time is state 0
}

void GovernedCore::idle_until(Picoseconds to) {
  if (to <= accounted_) return;
  const Picoseconds sleep_from = std::clamp(sleep_from_, accounted_, to);
  const Picoseconds sleep_to = std::clamp(sleep_to_, sleep_from, to);
  book(2 * point_, accounted_, sleep_from);
  book(2 * static_cast<std::uint32_t>(points_.size()), sleep_from, sleep_to);
  book(2 * point_, sleep_to, to);
  accounted_ = to;
}

void GovernedCore::close(Picoseconds end) {
  settle(end);
  if (end <= free_) return;
  begin_gap(end);
  govern(end);
  idle_until(end);
  sleep_from_ = sleep_to_ = kNever;
}

void GovernedCore::power_off(Picoseconds from, Picoseconds to) {
  close(from);
  accounted_ = std::max(accounted_, to);
  free_ = std::max(free_, to);
}

void GovernedCore::drop_all(Picoseconds now) {
  settle(now);
  while (head_ != nullptr) {
    Job* const job = std::exchange(head_, head_->next);
    job->next = nullptr;
    job->end = kNever;
  }
  if (free_ > now) busy_ -= std::min(busy_, free_ - now);
  busy_at_sample_ = std::min(busy_at_sample_, busy_);
  free_ = std::min(free_, now);
  accounted_ = std::min(accounted_, now);
}

}  // namespace flashloom
