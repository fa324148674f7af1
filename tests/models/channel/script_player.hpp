// Random commands to the dies of a bench, with times of a few ticks.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/channel/channel_bench.hpp"

namespace flashloom {

/// Times of a few ticks, so that everything coincides now and then. A byte takes a tick.
inline NandConfig tiny(std::vector<Picoseconds> read, std::vector<Picoseconds> program, Picoseconds erase,
                       Picoseconds way_switch = 0, std::uint32_t ways = 4, std::uint32_t dies = 4) {
  NandConfig config;
  config.channels = 1;
  config.ways = ways;
  config.dies = dies / ways;
  config.way_switch_time = way_switch;
  config.blocks = 2;
  config.pages = 4;
  config.page_size = 16;
  config.read_time = std::move(read);
  config.program_time = std::move(program);
  config.erase_time = erase;
  config.transfer_rate = 1'000'000'000'000;
  config.command_cycle = 1;
  config.read_cycles = 3;
  config.program_cycles = 2;
  config.erase_cycles = 1;
  return config;
}

struct Step {
  int kind;  // 0 read, 1 write (program the next page, or erase when the block is full)
  std::uint32_t units;
  Picoseconds think;  // after the previous completion
  std::uint8_t urgency;
  bool inside;  // without think time: from within the completion, instead of one delta later
};

/// Scripts for `dies` dies; `hurry`: think times are mostly 0.
inline rc::Gen<std::vector<std::vector<Step>>> any_scripts(std::size_t dies, bool hurry) {
  const auto steps = rc::gen::container<std::vector<Step>>(rc::gen::construct<Step>(
      rc::gen::weightedElement<int>({{3, 0}, {2, 1}}), rc::gen::inRange<std::uint32_t>(1, 5),
      hurry ? rc::gen::weightedElement<Picoseconds>({{8, 0}, {1, 1}})
            : rc::gen::weightedOneOf<Picoseconds>({{2, rc::gen::just(Picoseconds{0})},
                                                   {3, rc::gen::inRange<Picoseconds>(1, 20)},
                                                   {1, rc::gen::inRange<Picoseconds>(1, 200)}}),
      rc::gen::inRange<std::uint8_t>(0, 3), rc::gen::arbitrary<bool>()));
  return rc::gen::container<std::vector<std::vector<Step>>>(dies, steps);
}

/// Plays one script per die, closed loop, on the wires of a bench.
template <class Bench>
class Player {
 public:
  template <class... More>
  Player(const std::string& name, const NandConfig& config, More... more) : bench(name, config, 4, more...) {
    bench.on_complete = [this](OnfiCommand& done) { next(done.address.die.value()); };
  }
  void play(const std::vector<std::vector<Step>>& scripts) {
    scripts_ = &scripts;
    issued_.assign(scripts.size(), 0);
    page_.resize(scripts.size());
    order.clear();
    for (std::uint32_t die = 0; die < scripts.size(); ++die) next(die);
  }
  std::size_t left() const {
    std::size_t total = 0;
    for (const auto& script : *scripts_) total += script.size();
    return total - std::min(total, bench.completions.size() - completions_before);
  }
  void forget() {
    completions_before = bench.completions.size();
    bench.calls.clear();
  }

  Bench bench;
  std::vector<OnfiCommand*> order;  // by arrival
  std::vector<Picoseconds> arrivals;
  std::size_t completions_before = 0;

 private:
  void next(std::uint32_t die) {
    const auto& script = (*scripts_)[die];
    if (issued_[die] == script.size()) return;
    const Step& step = script[issued_[die]++];
    if (step.think == 0 && step.inside && !order.empty())
      issue(die, step);
    else
      bench.call_at(kernel_now() + step.think, [this, die, &step] { issue(die, step); });
  }
  void issue(std::uint32_t die, const Step& step) {
    if (order.empty()) arrivals.clear();
    std::uint32_t& page = page_[die];
    OnfiCommand* command = nullptr;
    if (step.kind == 0) {
      command = &bench.make(FlashOperation::Read, die, 1, step.units % 4);
      command->units = static_cast<std::uint16_t>(step.units);
      command->bytes = step.units * 4;
    } else if (page == 4) {
      command = &bench.make(FlashOperation::Erase, die, 0, 0);
      page = 0;
    } else {
      command = &bench.make(FlashOperation::Program, die, 0, page++);
    }
    command->urgency = step.urgency;
    order.push_back(command);
    arrivals.push_back(kernel_now());
    bench.send(*command);
  }

  const std::vector<std::vector<Step>>* scripts_ = nullptr;
  std::vector<std::size_t> issued_;
  std::vector<std::uint32_t> page_;
};

}  // namespace flashloom
