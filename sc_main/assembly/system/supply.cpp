#include "sc_main/assembly/system/supply.hpp"

#include <algorithm>

namespace flashloom {
namespace {

// Shortest interval between two checks of the capacitors' energy.
constexpr Picoseconds kStep = 100 * kNanosecond;

}  // namespace

Simulation::Supply::Supply(const sc_core::sc_module_name& name, Simulation& simulation)
    : sc_module(name),
      simulation_(simulation),
      part_(simulation.part()),
      power_(simulation.config_.power),
      random_(power_.cut_seed != 0 ? power_.cut_seed : simulation.config_.seed),
      timers_("timers"),
      orderly_(simulation.config_.tier.shutdown) {
  next(power_.cut_at != 0 ? power_.cut_at : spacing());
}

void Simulation::Supply::on_timer() {
  switch (phase_) {
    case Phase::On:
      return fail();
    case Phase::HoldUp:
      return look();
    case Phase::Off:
      return restore();
  }
}

void Simulation::Supply::next(Picoseconds at) {
  timers_.cancel_all();
  timers_.schedule(*this, at);
}

void Simulation::Supply::cut_at(Picoseconds at, bool orderly) {
  if (phase_ != Phase::On || stopping_) return;
  orderly_ = orderly;
  timers_.cancel_all();
  if (at != kNever) timers_.schedule(*this, at);
}

void Simulation::Supply::fail() {
  if (stopping_) return lose_power();
  if (simulation_.finished()) return;
  PowerCut& cut = simulation_.cuts_.emplace_back();
  cut.at = kernel_now();
  if (!mounting_) {
    call(simulation_.on_power_lost_);
    simulation_.host_.power_lost();
    if (simulation_.page_cache_ != nullptr) simulation_.page_cache_->power_lost();
    if (part_ != nullptr) part_->power_lost();
    if (part_ != nullptr && part_->stops() && orderly_) return shut_down();
  }
  lose_power();
}

void Simulation::Supply::shut_down() {
  stopping_ = true;
  part_->stop([this] { next(kernel_now()); });  // a coroutine cannot cut its own power: use a timer
}

void Simulation::Supply::lose_power() {
  if (!mounting_) stopped_ = stopping_;
  stopping_ = false;
  simulation_.cuts_.back().off_at = kernel_now();
  if (part_ != nullptr) part_->power_cut(power_.off_time);
  if (!power_.plp || mounting_) return cut_off();
  phase_ = Phase::HoldUp;
  flushed_ = false;
  held_ = static_cast<std::uint32_t>(simulation_.drives_.size());
  simulation_.each_drive([this](Ssd& drive) {
    drive.hold_up([this] {
      flushed_ = --held_ == 0;
      if (flushed_) next(kernel_now());  // a coroutine of the firmware cannot cut its own power: use a timer
    });
  });
  if (!flushed_) look();
}

void Simulation::Supply::look() {
  PowerCut& cut = simulation_.cuts_.back();
  cut.capacitor_j = 0;
  simulation_.each_drive([&cut](Ssd& drive) { cut.capacitor_j += drive.drawn_on_capacitors(); });
  if (flushed_) return cut_off();
  if (power_.plp_energy == 0) return;
  const double left = power_.plp_energy - cut.capacitor_j;
  cut.exhausted = left <= 0;
  if (cut.exhausted) return cut_off();
  const auto step = static_cast<Picoseconds>(left / simulation_.ssd_.ledger().most_watts() * 1e12);
  next(kernel_now() + std::max(step, kStep));
}

void Simulation::Supply::cut_off() {
  PowerCut& cut = simulation_.cuts_.back();
  cut.off_at = kernel_now();
  cut.in_mount = mounting_;
  if (!mounting_)
    simulation_.each_drive([&cut](Ssd& drive) { cut.units_lost += drive.firmware().buffer().dirty_units(); });
  if (simulation_.config_.buffer.location == "nvram") cut.units_lost = 0;
  simulation_.each_drive([this](Ssd& drive) { drive.power_cut(power_.off_time); });
  mounting_ = false;
  phase_ = Phase::Off;
  next(kernel_now() + power_.off_time);
}

void Simulation::Supply::restore() {
  phase_ = Phase::On;
  mounting_ = true;
  on_at_ = kernel_now();
  if (simulation_.cuts_.size() < power_.cut_count()) next(on_at_ + spacing());
  call(simulation_.on_power_back_);
  waiting_ = static_cast<std::uint32_t>(simulation_.drives_.size());
  if (part_ != nullptr) {
    waiting_ += part_->devices();
    part_->power_on_devices([this] { device_ready(); });
  }
  simulation_.each_drive([this](Ssd& drive) { drive.power_on([this] { device_ready(); }); });
}

// A tier, or an array, starts when all of its devices serve.
void Simulation::Supply::device_ready() {
  if (--waiting_ != 0) return;
  if (part_ == nullptr) return mounted(on_at_);
  part_->power_on([this] { mounted(on_at_); });
}

void Simulation::Supply::mounted(Picoseconds begin) {
  mounting_ = false;
  PowerCut& cut = simulation_.cuts_.back();
  cut.mounted = true;
  cut.mount_time = kernel_now() - begin;
  cut.mount = simulation_.ssd_.firmware().ftl().mount_report();
  simulation_.recovery_time_ += cut.mount_time;
  // Even if the device has kept everything, the host's page cache may not have sent some writes.
  const bool held_up = power_.plp && !exhausted_since_mount() && (part_ == nullptr || !part_->forgets());
  const bool kept = simulation_.replaces_host() || ((held_up || stopped_) && simulation_.page_cache_ == nullptr);
  if (simulation_.oracle_ != nullptr) simulation_.oracle_->power_cut(kept);
  if (simulation_.page_cache_ != nullptr) simulation_.page_cache_->power_back();
  if (part_ != nullptr) part_->power_back();
  call(simulation_.on_mounted_);
  simulation_.host_.power_back();
  if (simulation_.finished()) TimeLoop::pause();  // the host's last requests failed when the power was cut
}

// Whether the capacitors were exhausted, or data was lost, at the last cut that did not strike a mount.
bool Simulation::Supply::exhausted_since_mount() const {
  const auto& cuts = simulation_.cuts_;
  auto cut = cuts.rbegin();
  while (cut->in_mount && cut + 1 != cuts.rend()) ++cut;
  // A worn-out device may have no room for all data of its buffer; it guarantees only what is on flash, unless it
  // acknowledges flushes from the buffer.
  return cut->exhausted || (cut->units_lost != 0 && !power_.holds_buffer_up());
}

}  // namespace flashloom
