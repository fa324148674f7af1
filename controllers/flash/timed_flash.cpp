#include "controllers/flash/timed_flash.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "models/nand/nand_config.hpp"

namespace flashloom {

TimedFlash::TimedFlash(const sc_core::sc_module_name& name, const NandConfig& config, const NandTiming& timing,
                       NandMedia& media, const PolicyChoice& arbitration, EnergyLedger* ledger,
                       std::uint32_t queue_limit, const PowerCap& cap, Picoseconds duty_period)
    : sc_module(name),
      geometry_(media.geometry()),
      media_(media),
      energy_(config),
      open_reads_(config.open_read_factor != 1),
      clock_("clock") {
  if (cap.set()) governor_ = std::make_unique<PowerGovernor>("power", cap, config, timing, geometry_.dies);
  if (duty_period != 0) {
    gate_ = std::make_unique<DutyGate>("duty", duty_period, static_cast<DutyGate::Waiter&>(*this));
    if (governor_ != nullptr) governor_->begin_behind(*gate_);
  }
  if (config.channel_switch_time != 0)
    switch_ = std::make_unique<ChannelSwitch>("switch", config.channel_switch_time, geometry_.dies);
  places_.set_limit(geometry_.dies, queue_limit);
  const auto meter = [ledger](const std::string& component, const char* kind, PowerFigures figures) {
    return ledger == nullptr ? nullptr : &ledger->add(component, kind, std::move(figures));
  };
  for (std::uint32_t d = 0; d < geometry_.dies; ++d) {
    const std::string die = "die" + std::to_string(d);
    dies_.emplace_back(die.c_str(), Die{d}, media, timing, meter(die, "nand", NandDie::power_figures(config)),
                       &energy_);
    for (std::uint32_t group = 1; ledger != nullptr && group < geometry_.plane_groups; ++group)
      dies_.back().add_plane_meter(
          ledger->add(die + ".planes" + std::to_string(group), "nand", NandDie::plane_figures(config)));
  }
  wires_ = make_flash_wires(config, geometry_, timing, clock_, ledger);
  for (std::uint32_t c = 0; c < geometry_.channels; ++c) {
    const std::string controller = "controller" + std::to_string(c);
    controllers_.emplace_back(controller.c_str(), Channel{c}, geometry_, timing, arbitration, counters_,
                              queue_limit == 0 ? nullptr : &places_, governor_.get(), gate_.get());
    controllers_[c].connect(*wires_);
    for (std::uint32_t i = 0; i < geometry_.dies_per_channel(); ++i) {
      const Die die = geometry_.die_at(Channel{c}, i);
      controllers_[c].to_channel[i].bind(wires_->from_controller(die));
      wires_->to_die(die).bind(dies_[die.value()].socket);
    }
  }
  for (std::uint32_t d = 0; d < geometry_.dies; ++d) {
    routes_.push_back({&controllers_[geometry_.channel_of(Die{d}).value()], geometry_.position_on_channel(Die{d})});
  }
  plain_ = !media_.modes_change() && !open_reads_ && !places_.limited() && switch_ == nullptr;
  if (ledger != nullptr) ledger->before_finish([this](Picoseconds end) { settle(end); });
}

inline const TimedFlash::Route& TimedFlash::route_to(const OnfiCommand& command) const {
  const std::uint32_t die = command.address.die.value();
  if (die >= routes_.size()) [[unlikely]]
    media_.check(command);  // throws
  return routes_[die];
}

bool TimedFlash::submit(OnfiCommand& command) {
  if (watch_ != nullptr) [[unlikely]]
    watch_->look(kernel_now());
  const Route& route = route_to(command);
  if (plain_) [[likely]]
    route.controller->submit(route.position, command);
  else
    submit_specially(route, command);
  return false;
}

void TimedFlash::submit_all(OnfiCommand* first) {
  if (!plain_ || watch_ != nullptr) [[unlikely]]
    return FlashPort::submit_all(first);
  while (first != nullptr) {
    OnfiCommand& command = *std::exchange(first, first->next);
    const Route& route = route_to(command);
    route.controller->submit(route.position, command);
  }
}

void TimedFlash::submit_specially(const Route& route, OnfiCommand& command) {
  if (media_.modes_change() || open_reads_) mark(command);
  if (places_.limited()) places_.use(command.address.die.value());
  if (switch_ != nullptr)
    switch_->submit(*route.controller, route.position, command);
  else
    route.controller->submit(route.position, command);
}

// Sets the attributes of a command that array times depend on, as of its submission.
void TimedFlash::mark(OnfiCommand& command) const {
  for_each_of_group(command, [this](OnfiCommand& each) {
    if (media_.modes_change()) each.slc = media_.slc_mode_of(each);
    each.open = open_reads_ && each.operation == FlashOperation::Read && media_.open(each.address);
  });
}

void TimedFlash::power_cut(Picoseconds at) {
  wires_->power_cut(at);
  for (FlashController& controller : controllers_) controller.power_cut(at);
  for (NandDie& die : dies_) die.power_cut(at);
  media_.power_lost();
  places_.reset();
  if (switch_ != nullptr) switch_->power_cut();
  if (governor_ != nullptr) governor_->power_cut();
  if (gate_ != nullptr) gate_->power_cut();
  if (pipeline_ != nullptr) pipeline_->power_cut();
}

void TimedFlash::delay_pages(Picoseconds latency) {
  pipeline_ = std::make_unique<PagePipeline>("pipeline", latency);
  for (FlashController& controller : controllers_) controller.send_through(*pipeline_);
}

void TimedFlash::gate_opened() {
  if (watch_ != nullptr) watch_->look(kernel_now());
  if (governor_ != nullptr) return governor_->gate_opened();
  for (FlashController& controller : controllers_) controller.gate_opened();
}

std::uint64_t TimedFlash::pending() const {
  std::uint64_t sum = switch_ == nullptr ? 0 : switch_->waiting();
  if (pipeline_ != nullptr) sum += pipeline_->size();
  for (const FlashController& controller : controllers_) sum += controller.pending();
  return sum;
}

std::uint32_t TimedFlash::longest_queue() const {
  std::uint32_t longest = 0;
  for (const FlashController& controller : controllers_) longest = std::max(longest, controller.longest_queue());
  return longest;
}

DieActivity TimedFlash::activity(Die die, Picoseconds now) {
  wires_->settle(geometry_.channel_of(die), now);
  const Route& route = routes_[die.value()];
  return route.controller->activity(route.position, now);
}

QueueWait TimedFlash::queue_wait(FlashOperation operation, Origin origin) const {
  QueueWait sum;
  for (const FlashController& controller : controllers_) sum += controller.queue_wait(operation, origin);
  return sum;
}

OverlapCounts TimedFlash::overlap_counts() const {
  OverlapCounts sum;
  for (const FlashController& controller : controllers_) sum += controller.overlap_counts();
  return sum;
}

QueueWait TimedFlash::queue_wait(FlashOperation operation) const {
  QueueWait sum;
  for (std::size_t origin = 0; origin < kOrigins; ++origin) sum += queue_wait(operation, static_cast<Origin>(origin));
  return sum;
}

void TimedFlash::settle(Picoseconds now) {
  for (std::uint32_t c = 0; c < geometry_.channels; ++c) wires_->settle(Channel{c}, now);
}

}  // namespace flashloom
