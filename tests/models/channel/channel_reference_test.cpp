// The lazy channel against an eager model that looks at every tick.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "tests/models/channel/script_player.hpp"

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

/// At every tick takes the arrivals; then, if the bus is free, grants it. `jobs` are in the order of arrival; `way` had
/// the bus last, kDies: none.
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
      start->array_begin =
          start->granted + start->command + (start->operation == FlashOperation::Program ? start->data : 0);
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

struct ChannelPlayer : Player<ChannelBench> {
  using Player::Player;
  std::uint32_t way = kDies;  // that had the bus last
};

RC_GTEST_PROP(OnfiChannelReference, LazyEqualsEager, ()) {
  // Modules must exist before the simulation begins, so all cases share them. Each kind exists with an observer and
  // without: observers change nothing.
  static std::vector<std::unique_ptr<ChannelPlayer>> players;
  if (players.empty()) {
    const NandConfig kinds[] = {tiny({20, 33}, {60, 110}, 150), tiny({3}, {10}, 5), tiny({1, 40}, {7, 90}, 31),
                                tiny({20, 33}, {60, 110}, 150, 9, 2), tiny({3}, {10}, 5, 4, 4)};
    for (int kind = 0; kind < 5; ++kind) {
      for (const bool observed : {true, false}) {
        const std::string name = "channel" + std::to_string(kind) + (observed ? "" : "_unobserved");
        players.push_back(std::make_unique<ChannelPlayer>(name, kinds[kind], observed));
      }
    }
  }
  const auto kind = *rc::gen::inRange<std::size_t>(0, 5);
  const bool hurry = *rc::gen::arbitrary<bool>();
  const auto scripts = *any_scripts(kDies, hurry);

  ChannelPlayer* const pair[] = {players[2 * kind].get(), players[2 * kind + 1].get()};
  for (ChannelPlayer* player : pair) {
    player->forget();
    player->play(scripts);
  }
  do run_until(kernel_now() + 1000);
  while (pair[0]->left() != 0 || pair[1]->left() != 0);

  for (ChannelPlayer* player : pair) {
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
