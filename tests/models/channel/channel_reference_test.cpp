// The lazy channel against an eager one that looks at every tick.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "tests/models/channel/channel_bench.hpp"

namespace flashloom::channel_reference_test {
namespace {

constexpr std::uint32_t kDies = 4;

struct Job {
  FlashOperation operation;
  Picoseconds arrival, command, array, data;
  Picoseconds turn;  // arrival, later by its urgency
  std::uint32_t way;
  Picoseconds granted = kNever, array_begin = kNever, array_end = kNever, data_begin = kNever, complete = kNever;
};

/// Every tick: who has arrived; then, if the bus is free, who gets it. `jobs` in the order of arrival; `way`: had the bus
/// last, kDies for none.
void simulate_eagerly(std::vector<Job>& jobs, Picoseconds way_switch, std::uint32_t& way) {
  std::deque<Job*> commands, programs;
  std::vector<Job*> reads;  // granted, in the order of their grants, data not yet sent
  std::size_t arrived = 0, completed = 0;
  Picoseconds bus_free = 0;
  int passed = 0;
  const auto turn_to = [&](const Job& job) {
    const std::uint32_t before = std::exchange(way, job.way);
    return before == kDies || before == job.way ? 0 : way_switch;
  };
  for (Picoseconds t = jobs.empty() ? 0 : jobs[0].arrival; completed < jobs.size(); ++t) {
    for (; arrived < jobs.size() && jobs[arrived].arrival == t; ++arrived) {
      std::deque<Job*>& queue = jobs[arrived].operation == FlashOperation::Program ? programs : commands;
      queue.insert(std::find_if(queue.begin(), queue.end(), [&](Job* j) { return j->turn > jobs[arrived].turn; }),
                   &jobs[arrived]);
    }
    if (bus_free > t) continue;
    Job* ready = nullptr;
    for (Job* job : reads)
      if (job->array_end <= t && (ready == nullptr || job->array_end < ready->array_end)) ready = job;
    Job* start = nullptr;
    if (!commands.empty()) {
      start = commands.front();
      commands.pop_front();
    } else if (!programs.empty() && (ready == nullptr || passed == 8)) {
      start = programs.front();
      programs.pop_front();
      passed = 0;
    } else if (ready != nullptr) {
      if (!programs.empty()) ++passed;
      ready->data_begin = t + turn_to(*ready);
      ready->complete = bus_free = ready->data_begin + ready->data;
      reads.erase(std::find(reads.begin(), reads.end(), ready));
      ++completed;
    }
    if (start != nullptr) {
      start->granted = t + turn_to(*start);
      start->array_begin = start->granted + start->command + (start->operation == FlashOperation::Program ? start->data : 0);
      start->array_end = start->array_begin + start->array;
      bus_free = start->array_begin;
      if (start->operation == FlashOperation::Read) {
        reads.push_back(start);
      } else {
        start->data_begin = start->complete = start->array_end;
        ++completed;
      }
    }
  }
}

/// Times of a few ticks, so that everything coincides now and then. A byte takes a tick.
NandConfig tiny(std::vector<Picoseconds> read, std::vector<Picoseconds> program, Picoseconds erase,
                Picoseconds way_switch = 0, std::uint32_t ways = kDies) {
  NandConfig config;
  config.channels = 1;
  config.ways = ways;
  config.dies = kDies / ways;
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
  Picoseconds think;  // after the completion before
  std::uint8_t urgency;
  bool inside;  // without think time: from within the completion, instead of one delta later
};

/// Plays a script a die, closed loop, on a channel.
class Player {
 public:
  explicit Player(const std::string& name, const NandConfig& config, bool observed) : bench(name, config, 4, observed) {
    bench.on_complete = [this](OnfiCommand& done) { next(done.address.die.value()); };
  }
  void play(const std::vector<std::vector<Step>>& scripts) {
    scripts_ = &scripts;
    issued_.assign(kDies, 0);
    order.clear();
    for (std::uint32_t die = 0; die < kDies; ++die) next(die);
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

  ChannelBench bench;
  std::vector<OnfiCommand*> order;  // by arrival
  std::vector<Picoseconds> arrivals;
  std::size_t completions_before = 0;
  std::uint32_t way = kDies;  // had the bus last

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
  std::uint32_t page_[kDies] = {};
};

RC_GTEST_PROP(OnfiChannelReference, LazyEqualsEager, ()) {
  // Modules must exist before the simulation begins, so all cases share them. Each kind twice: observers change
  // nothing.
  static std::vector<std::unique_ptr<Player>> players;
  if (players.empty()) {
    const NandConfig kinds[] = {tiny({20, 33}, {60, 110}, 150),       tiny({3}, {10}, 5),       tiny({1, 40}, {7, 90}, 31),
                                tiny({20, 33}, {60, 110}, 150, 9, 2), tiny({3}, {10}, 5, 4, 4)};
    for (int kind = 0; kind < 5; ++kind) {
      for (const bool observed : {true, false}) {
        const std::string name = "channel" + std::to_string(kind) + (observed ? "" : "_unobserved");
        players.push_back(std::make_unique<Player>(name, kinds[kind], observed));
      }
    }
  }
  const auto kind = *rc::gen::inRange<std::size_t>(0, 5);
  const bool hurry = *rc::gen::arbitrary<bool>();
  const auto steps = rc::gen::container<std::vector<Step>>(rc::gen::construct<Step>(
      rc::gen::weightedElement<int>({{3, 0}, {2, 1}}), rc::gen::inRange<std::uint32_t>(1, 5),
      hurry ? rc::gen::weightedElement<Picoseconds>({{8, 0}, {1, 1}})
            : rc::gen::weightedOneOf<Picoseconds>({{2, rc::gen::just(Picoseconds{0})},
                                                   {3, rc::gen::inRange<Picoseconds>(1, 20)},
                                                   {1, rc::gen::inRange<Picoseconds>(1, 200)}}),
      rc::gen::inRange<std::uint8_t>(0, 3), rc::gen::arbitrary<bool>()));
  const auto scripts = *rc::gen::container<std::vector<std::vector<Step>>>(kDies, steps);

  Player* const pair[] = {players[2 * kind].get(), players[2 * kind + 1].get()};
  for (Player* player : pair) {
    player->forget();
    player->play(scripts);
  }
  do run_until(kernel_now() + 1000);
  while (pair[0]->left() != 0 || pair[1]->left() != 0);

  for (Player* player : pair) {
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < player->order.size(); ++i) {
      const OnfiCommand& c = *player->order[i];
      const NandTiming& timing = player->bench.timing;
      jobs.push_back({c.operation, player->arrivals[i], timing.command_time(c.operation), timing.array_time(c),
                      c.operation == FlashOperation::Erase ? 0 : timing.data_time(c.bytes),
                      player->arrivals[i] + c.urgency * OnfiChannel::kPatience,
                      c.address.die.value() % player->bench.config.ways});
    }
    simulate_eagerly(jobs, player->bench.config.way_switch_time, player->way);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const OnfiCommand& c = *player->order[i];
      RC_ASSERT(c.at.granted == jobs[i].granted);
      RC_ASSERT(c.at.array_begin == jobs[i].array_begin);
      RC_ASSERT(c.at.array_end == jobs[i].array_end);
      RC_ASSERT(c.at.data_begin == jobs[i].data_begin);
      RC_ASSERT(c.at.complete == jobs[i].complete);
    }
    for (std::size_t i = player->completions_before; i < player->bench.completions.size(); ++i)
      RC_ASSERT(player->bench.completions[i].first == player->bench.completions[i].second->at.complete);
    RC_ASSERT(player->bench.checker.errors() == std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace flashloom::channel_reference_test
