#include "controllers/flash/power_governor.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace flashloom {
namespace {

constexpr double kMicro = 1e6;

std::uint64_t standby_microwatts(const NandConfig& config, std::uint32_t dies) {
  return static_cast<std::uint64_t>(std::ceil(config.idle_watts() * dies * kMicro - 1e-3));
}

std::uint64_t microwatts(double watts) { return static_cast<std::uint64_t>(std::ceil(watts * kMicro - 1e-3)); }

}  // namespace

PowerGovernor::PowerGovernor(const sc_core::sc_module_name& name, const PowerCap& cap, const NandConfig& config,
                             const NandTiming& timing, std::uint32_t dies)
    : sc_module(name), timing_(timing), energy_(config), dies_(dies), lanes_(kLanes), timers_("timers") {
  tokens_.resize(std::min(cap.dies, dies));
  if (cap.watts != 0) {
    if (cap.watts < least_watts(config, dies, cap.window))
      throw std::invalid_argument("power: the cap does not allow every operation");
    window_.emplace(static_cast<std::uint64_t>(cap.watts * kMicro) - standby_microwatts(config, dies), cap.window);
    drawn_.emplace(0, cap.window);
    standby_ = standby_microwatts(config, dies);
    width_ = cap.window;
  }
}

double PowerGovernor::least_watts(const NandConfig& config, std::uint32_t dies, Picoseconds window) {
  double most = 0;
  for (const NandEnergy::Most& each : NandEnergy::most(config)) {
    // By bits a longer one draws no more: its watts, rounded up, for a longer time.
    const double share = static_cast<double>(std::min(each.time, window)) / static_cast<double>(window);
    most = std::max(most, static_cast<double>(microwatts(each.watts)) * share + (each.energy_is_fixed ? 1 : 0));
  }
  return (static_cast<double>(standby_microwatts(config, dies)) + std::ceil(most)) / kMicro;
}

void PowerGovernor::connect(std::uint32_t die, GovernedDie& governed, Channel channel, FlashWires& wires) {
  dies_[die].governed = &governed;
  dies_[die].channel = channel;
  dies_[die].wires = &wires;
}

void PowerGovernor::request(std::uint32_t number) {
  Die& die = dies_[number];
  die.waiting = true;
  die.lane = die.governed->candidate().lane;
  lanes_[die.lane].push_back(die);
  order_.push_back(die);
  serve();
}

void PowerGovernor::joined(std::uint32_t number) {
  Die& die = dies_[number];
  if (!die.waiting) return;
  const std::uint32_t lane = die.governed->candidate().lane;
  if (lane == die.lane) return;
  lanes_[die.lane].erase(lanes_[die.lane].iterator_to(die));
  die.lane = lane;
  lanes_[lane].push_back(die);
  serve();
}

void PowerGovernor::ended(std::uint32_t number) {
  Die& die = dies_[number];
  if (die.open) close(die);
  // The end of the array is known now: so is that of the token of the grant, if it was not before.
  for (Token& token : tokens_)
    if (token.grant == die.grant && token.die == number) {
      token.at = std::max(token.at, die.command->at.array_end);
      token.grant = 0;
      std::make_heap(tokens_.begin(), tokens_.end(), [](const Token& a, const Token& b) { return a.at > b.at; });
      break;
    }
  die.command = nullptr;
  if (!order_.empty()) serve();
}

void PowerGovernor::on_timer() {
  if (kernel_now() != armed_) return;  // the timer has been set to another instant since
  armed_ = kNever;
  serve();
}

void PowerGovernor::serve() {
  if (serving_) return;
  serving_ = true;
  const Picoseconds now = kernel_now();
  look_at_open(now);
  while (!order_.empty()) {
    if (gate_ != nullptr && !gate_->open(now)) [[unlikely]] {
      gate_->wait();
      break;
    }
    Die& die = choose();
    const OnfiCommand& command = *die.governed->candidate().command;
    const Picoseconds ahead = lead(command);
    const EnergyWindow::Operation drawn = operation(command);
    Picoseconds begin = now + ahead;
    bool final = true;
    if (!tokens_.empty()) {
      begin = std::max(begin, next_token(now));
      final = tokens_.front().grant == 0;
    }
    if (window_) begin = window_->earliest(begin, drawn);
    if (begin == kNever || begin - ahead > now) {
      // There may be more room once it is known when the open ones begin.
      Picoseconds at = begin == kNever ? kNever : begin - ahead;
      for (const Die* open : open_) at = std::min(at, std::max(open->wires->bus_free(open->channel), now) + 1);
      if (at < armed_) timers_.schedule(*this, armed_ = at);
      break;
    }
    if (!final) break;
    leave(die);
    die.command = &command;
    die.grant = ++grants_;
    die.admitted = begin;
    die.operation = drawn;
    if (!tokens_.empty()) {
      const auto later = [](const Token& a, const Token& b) { return a.at > b.at; };
      std::pop_heap(tokens_.begin(), tokens_.end(), later);
      tokens_.back() = {begin + drawn.time, static_cast<std::uint32_t>(&die - dies_.data()), die.grant};
      std::push_heap(tokens_.begin(), tokens_.end(), later);
    }
    if (window_) {
      window_->admit(begin, drawn);
      die.open = true;
      open_.push_back(&die);
    }
    die.governed->grant();
  }
  serving_ = false;
}

PowerGovernor::Die& PowerGovernor::choose() {
  if (passed_ >= dies_.size()) return order_.front();
  for (Lane& lane : lanes_)
    if (!lane.empty()) return lane.front();
  return order_.front();
}

void PowerGovernor::leave(Die& die) {
  passed_ = &die == &order_.front() ? 0 : passed_ + 1;
  order_.erase(order_.iterator_to(die));
  lanes_[die.lane].erase(lanes_[die.lane].iterator_to(die));
  die.waiting = false;
}

Picoseconds PowerGovernor::lead(const OnfiCommand& command) const {
  return timing_.request_time(command) +
         (command.operation == FlashOperation::Program ? timing_.data_time(command.bytes) : 0);
}

EnergyWindow::Operation PowerGovernor::operation(const OnfiCommand& command) const {
  const Picoseconds time = timing_.array_time(command);
  return {microwatts(energy_.watts(command, time)), time};
}

Picoseconds PowerGovernor::next_token(Picoseconds now) {
  const auto later = [](const Token& a, const Token& b) { return a.at > b.at; };
  for (;;) {
    Token& first = tokens_.front();
    if (first.grant == 0) return first.at;
    Die& die = dies_[first.die];
    die.wires->settle(die.channel, now);
    const bool known = die.command->at.array_end != kNever;
    const Picoseconds end =
        known ? die.command->at.array_end : std::max(first.at, now + lead(*die.command) + die.operation.time);
    const Picoseconds was = first.at;
    std::pop_heap(tokens_.begin(), tokens_.end(), later);
    tokens_.back().at = end;
    if (known) tokens_.back().grant = 0;
    std::push_heap(tokens_.begin(), tokens_.end(), later);
    if (!known && end == was) return end;  // no token can be free earlier, and this one's bound has not moved
  }
}

void PowerGovernor::look_at_open(Picoseconds now) {
  if (!window_) return;
  window_->advance(now);
  for (std::size_t i = open_.size(); i-- != 0;) {
    open_[i]->wires->settle(open_[i]->channel, now);
    if (open_[i]->command->at.array_begin != kNever) close(*open_[i]);
  }
  advance_drawn(now);
}

// What has been drawn is known up to the earliest instant at which an open operation may have begun.
void PowerGovernor::advance_drawn(Picoseconds now) {
  for (const Die* open : open_) now = std::min(now, open->admitted);
  drawn_->advance(now);
}

double PowerGovernor::most_watts(Picoseconds now) {
  if (!window_) return 0;
  look_at_open(now);
  return (static_cast<double>(drawn_->most()) / static_cast<double>(width_) + static_cast<double>(standby_)) / kMicro;
}

void PowerGovernor::forget_most(Picoseconds now) {
  if (!window_) return;
  look_at_open(now);
  drawn_->forget_most();
}

void PowerGovernor::close(Die& die) {
  drawn_->book(die.command->at.array_begin, die.operation);
  window_->begun(die.admitted, die.command->at.array_begin, die.operation);
  die.open = false;
  open_.erase(std::find(open_.begin(), open_.end(), &die));
}

void PowerGovernor::power_cut() {
  // A torn operation stays booked as if it had gone on, from the earliest instant at which it may have begun.
  for (const Die* die : open_) {
    window_->begun(die->admitted, die->admitted, die->operation);
    drawn_->book(die->admitted, die->operation);
  }
  open_.clear();
  for (Die& die : dies_) {
    if (die.waiting) leave(die);
    die.command = nullptr;
    die.open = false;
  }
  for (Token& token : tokens_) token = {kernel_now(), 0, 0};
  passed_ = 0;
  timers_.cancel_all();
  armed_ = kNever;
}

}  // namespace flashloom
