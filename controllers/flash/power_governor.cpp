#include "controllers/flash/power_governor.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "models/nand/nand_config.hpp"

namespace flashloom {
namespace {

constexpr double kMicro = 1e6;

// The order of the heap of tokens: the one that is free first is on top.
constexpr auto kFreeLater = [](const auto& a, const auto& b) { return a.at > b.at; };

std::uint64_t standby_microwatts(const NandConfig& config, std::uint32_t dies) {
  return static_cast<std::uint64_t>(std::ceil(config.idle_watts() * dies * kMicro - 1e-3));
}

std::uint64_t microwatts(double watts) { return static_cast<std::uint64_t>(std::ceil(watts * kMicro - 1e-3)); }

// The longest uninterrupted run of an operation of array time `time`, after suspensions: each adds its resumption time,
// less the time that runs before the next one.
Picoseconds longest_run(const NandOverlap& rules, FlashOperation operation, Picoseconds time) {
  if (!rules.suspends(operation) || rules.suspend_limit == 0) return time;
  const Picoseconds resume = rules.resume_time[static_cast<std::size_t>(operation)];
  const Picoseconds ran = std::min(resume, rules.suspend_interval);
  return time + resume + (rules.suspend_limit - 1) * (resume - ran);
}

}  // namespace

PowerGovernor::PowerGovernor(const sc_core::sc_module_name& name, const PowerCap& cap, const NandConfig& config,
                             const NandTiming& timing, std::uint32_t dies)
    : sc_module(name), timing_(timing), energy_(config), dies_(dies), lanes_(kLanes), timers_("timers") {
  tokens_.resize(std::min(cap.dies, dies));
  if (const double watts = cap.of_arrays(); watts != 0) {
    if (watts < least_watts(config, dies, cap.window))
      throw std::invalid_argument("power: the cap does not allow every operation");
    standby_ = standby_microwatts(config, dies);
    width_ = cap.window;
    window_.emplace(static_cast<std::uint64_t>(watts * kMicro) - standby_, cap.window);
    drawn_.emplace(0, cap.window);
  }
  if (cap.shared != 0) {
    const double left = std::min(PowerCap::kShare * cap.shared, cap.shared - least_watts(config, dies, cap.window));
    others_most_ = static_cast<std::uint64_t>(left * kMicro);
    both_most_ = static_cast<std::uint64_t>(cap.shared * kMicro) - standby_;
    others_.emplace(others_most_, cap.window);
    both_.emplace(both_most_, cap.window);
    piece_ = piece_joules(cap.shared, cap.window) * kMicro * static_cast<double>(kSecond);
  }
}

double PowerGovernor::least_watts(const NandConfig& config, std::uint32_t dies, Picoseconds window) {
  double most = 0;
  const NandOverlap rules(config);
  for (const NandEnergy::Most& each : NandEnergy::most(config)) {
    // A resumed run draws its power, rounded up, for a longer time.
    const Picoseconds run = longest_run(rules, each.operation, each.time);
    const double share = static_cast<double>(std::min(run, window)) / static_cast<double>(window);
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
  join(die, die.governed->candidate().lane);
  serve();
}

void PowerGovernor::join(Die& die, std::uint32_t lane) {
  die.waiting = true;
  die.lane = lane;
  lanes_[lane].push_back(die);
  order_.push_back(die);
}

void PowerGovernor::ask(std::uint32_t number) {
  Die& die = dies_[number];
  const GovernedDie::Candidate candidate = die.governed->candidate();
  if (die.waiting && (candidate.command == nullptr || candidate.lane != die.lane)) {
    lanes_[die.lane].erase(lanes_[die.lane].iterator_to(die));
    die.lane = candidate.lane;
    lanes_[die.lane].push_back(die);
    if (candidate.command == nullptr) leave(die);
  } else if (!die.waiting && candidate.command != nullptr) {
    join(die, candidate.lane);
  }
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

void PowerGovernor::ended(std::uint32_t number, const OnfiCommand& command, bool settled) {
  Die& die = dies_[number];
  look_at(die);
  std::erase_if(die.grants, [&command](const Grant& grant) { return grant.command == &command; });
  // The end of the array is known now; so is that of the token, unless another grant of the die holds it.
  for (Token& token : tokens_)
    if (token.held && token.die == number) {
      token.ended = std::max(token.ended, command.at.array_end);
      if (!die.grants.empty()) break;
      token.at = std::max(token.at, token.ended);
      token.held = false;
      order_tokens();
      break;
    }
  if (settled && !order_.empty()) serve();
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
    const GovernedDie::Candidate candidate = die.governed->candidate();
    if (candidate.command == nullptr) {
      leave(die);
      continue;
    }
    const OnfiCommand& command = *candidate.command;
    Picoseconds ahead = lead(command, candidate.resumed);
    if (candidate.after > now) ahead = std::max(ahead, candidate.after - now);
    const EnergyWindow::Operation drawn = operation(die, candidate);
    Picoseconds begin = now + ahead;
    bool final = true;
    if (!tokens_.empty() && token_of(die, now) == nullptr) {
      begin = std::max(begin, next_token(now));
      final = !tokens_.front().held;
    }
    if (window_ && drawn.microwatts != 0) begin = window_->earliest(begin, drawn);
    if (both_ && drawn.microwatts != 0 && begin != kNever) begin = both_->earliest(begin, drawn);
    const bool later = begin == kNever || begin - ahead > now;
    if (later || !final) {
      Picoseconds at = kNever;
      if (later) {
        at = begin == kNever ? kNever : begin - ahead;
        for (const Die* open : open_) at = std::min(at, when_known(*open, now));
      }
      const Die& first = dies_[tokens_.empty() ? 0 : tokens_.front().die];
      if (!final && first.grants.size() > 1) at = std::min(at, when_known(first, now));
      if (at < armed_) timers_.schedule(*this, armed_ = at);
      break;
    }
    leave(die);
    if (!tokens_.empty()) take_token(die, begin + drawn.time, now);
    die.grants.push_back({.command = &command,
                          .operation = drawn,
                          .admitted = begin,
                          .end = candidate.resumed ? command.at.array_end : 0,
                          .resumed = candidate.resumed});
    if (window_) {
      window_->admit(begin, drawn);
      if (both_) both_->admit(begin, drawn);
      if (die.open++ == 0) open_.push_back(&die);
    }
    die.governed->grant();
  }
  serving_ = false;
}

// When the governor can learn more about a die's commands: one begins, or has suspended another.
Picoseconds PowerGovernor::when_known(const Die& die, Picoseconds now) {
  const Picoseconds next = die.wires->next_decision(die.channel);
  return next == kNever ? kNever : std::max(next, now) + 1;
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

Picoseconds PowerGovernor::lead(const OnfiCommand& command, bool resumed) const {
  if (resumed) return timing_.overlap().suspend_command;
  return timing_.request_time(command) +
         (command.operation == FlashOperation::Program ? timing_.data_time(command.bytes) : 0);
}

EnergyWindow::Operation PowerGovernor::operation(const Die& die, const GovernedDie::Candidate& candidate) const {
  if (candidate.resumed) return die.held;
  const OnfiCommand& command = *candidate.command;
  const Picoseconds time = timing_.array_time(command);
  if (command.in_register) return {0, time};
  return {microwatts(energy_.watts(command, time)), time};
}

void PowerGovernor::order_tokens() { std::make_heap(tokens_.begin(), tokens_.end(), kFreeLater); }

PowerGovernor::Token* PowerGovernor::token_of(const Die& die, Picoseconds now) {
  if (die.grants.empty()) return nullptr;  // and most dies have one command at a time
  for (Token& token : tokens_)
    if (token.die == number(die) && (token.held || token.at > now)) return &token;
  return nullptr;
}

void PowerGovernor::take_token(Die& die, Picoseconds at, Picoseconds now) {
  if (Token* const own = token_of(die, now)) {
    own->at = std::max(own->at, at);
    own->held = true;
    return order_tokens();
  }
  std::pop_heap(tokens_.begin(), tokens_.end(), kFreeLater);
  tokens_.back() = {at, number(die), true, 0};
  std::push_heap(tokens_.begin(), tokens_.end(), kFreeLater);
}

Picoseconds PowerGovernor::next_token(Picoseconds now) {
  for (;;) {
    if (!tokens_.front().held) return tokens_.front().at;
    Die& die = dies_[tokens_.front().die];
    die.wires->settle(die.channel, now);
    look_at(die);
    const Token& first = tokens_.front();  // of the same die: what has ended or stands makes it free earlier
    if (&dies_[first.die] != &die) continue;
    bool known = true;
    Picoseconds end = first.ended;
    for (const Grant& grant : die.grants) {
      known = known && !grant.open;
      end = std::max(end, grant.open
                              ? std::max(first.at, now + lead(*grant.command, grant.resumed) + grant.operation.time)
                              : grant.end);
    }
    const Picoseconds was = first.at;
    std::pop_heap(tokens_.begin(), tokens_.end(), kFreeLater);
    tokens_.back().at = end;
    if (known) tokens_.back().held = false;
    std::push_heap(tokens_.begin(), tokens_.end(), kFreeLater);
    if (!known && end == was) return end;  // no token can be free earlier, and this one's bound has not moved
  }
}

void PowerGovernor::look_at_open(Picoseconds now) {
  if (!window_) return;
  window_->advance(now);
  if (both_) both_->advance(now);
  for (std::size_t i = open_.size(); i-- != 0;) {
    Die& die = *open_[i];
    die.wires->settle(die.channel, now);
    look_at(die);
  }
  advance_drawn(now);
}

// Updates the grants of a die from the channel: which arrays have begun, and which are suspended.
void PowerGovernor::look_at(Die& die) {
  for (std::size_t i = 0; i < die.grants.size();) {
    Grant& grant = die.grants[i];
    const FlashInstants& at = grant.command->at;
    if (grant.open && (grant.resumed ? at.array_end != grant.end : at.array_begin != kNever)) close(die, grant);
    if (!grant.open && at.array_end < grant.end) {
      stands(die, grant);
      die.grants.erase(die.grants.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

void PowerGovernor::stands(Die& die, const Grant& grant) {
  const OnfiCommand& command = *grant.command;
  const NandOverlap& rules = timing_.overlap();
  const auto operation = static_cast<std::size_t>(command.operation);
  const EnergyWindow::Operation rest{grant.operation.microwatts, grant.end - command.at.array_end};
  if (window_) {
    window_->take_back(command.at.array_end, rest);
    if (both_) both_->take_back(command.at.array_end, rest);
    drawn_->take_back(command.at.array_end, rest);
  }
  die.held = {rest.microwatts, rest.time + rules.suspend_time[operation] + rules.resume_time[operation]};
  for (Token& token : tokens_)
    if (token.die == number(die) && token.at > command.at.array_end) {
      token.ended = std::max(token.ended, command.at.array_end);
      token.at = token.ended;  // at least; the read that interrupts it has the token still, or it ends then
      order_tokens();
      break;
    }
}

// Energy drawn is known up to the earliest instant at which an open operation may have begun.
void PowerGovernor::advance_drawn(Picoseconds now) {
  for (const Die* die : open_)
    for (const Grant& grant : die->grants)
      if (grant.open) now = std::min(now, grant.admitted);
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

void PowerGovernor::close(Die& die, Grant& grant) {
  const Picoseconds begin = grant.resumed ? grant.command->at.resumed : grant.command->at.array_begin;
  grant.open = false;
  grant.end = begin + grant.operation.time;
  if (!window_) return;
  drawn_->book(begin, grant.operation);
  window_->begun(grant.admitted, begin, grant.operation);
  if (both_) both_->begun(grant.admitted, begin, grant.operation);
  if (--die.open == 0) open_.erase(std::find(open_.begin(), open_.end(), &die));
}

// Half of what the arrays cannot take, so that the arrays never keep a piece from beginning for good.
Picoseconds PowerGovernor::longest_piece(std::uint64_t microwatts) const {
  const double time = std::min(piece_ / static_cast<double>(microwatts), static_cast<double>(width_));
  return std::max<Picoseconds>(1, static_cast<Picoseconds>(time));
}

Picoseconds PowerGovernor::book(Picoseconds ready, std::uint64_t microwatts, Picoseconds time) {
  const EnergyWindow::Operation drawn{microwatts, time};
  others_->advance(kernel_now());
  both_->advance(kernel_now());
  // What one window allows at an instant it allows at all later ones.
  const Picoseconds begin = both_->earliest(others_->earliest(ready, drawn), drawn);
  if (begin == kNever) throw std::logic_error("power: a piece of a transfer would never begin");
  others_->book(begin, drawn);
  both_->book(begin, drawn);
  return begin;
}

// Transfers that power has cut are not made. What has been drawn stays booked, as if drawn evenly in the window to come.
void PowerGovernor::drop_bookings(Picoseconds now) {
  const auto again = [this, now](std::optional<EnergyWindow>& window, std::uint64_t most) {
    window->advance(now);
    const EnergyWindow::Energy drawn = (window->drawn(now) + width_ - 1) / width_;
    window.emplace(most, width_);
    window->advance(now);
    window->book(now, {static_cast<std::uint64_t>(drawn), width_});
  };
  again(others_, others_most_);
  again(both_, both_most_);
}

void PowerGovernor::power_cut() {
  // A torn operation stays booked in full, from the earliest instant at which it may have begun.
  for (const Die* die : open_)
    for (const Grant& grant : die->grants)
      if (grant.open) {
        window_->begun(grant.admitted, grant.admitted, grant.operation);
        if (both_) both_->begun(grant.admitted, grant.admitted, grant.operation);
        drawn_->book(grant.admitted, grant.operation);
      }
  if (both_) drop_bookings(kernel_now());
  open_.clear();
  for (Die& die : dies_) {
    if (die.waiting) leave(die);
    die.grants.clear();
    die.open = 0;
  }
  for (Token& token : tokens_) token = {kernel_now(), 0, false, 0};
  passed_ = 0;
  timers_.cancel_all();
  armed_ = kNever;
}

}  // namespace flashloom
