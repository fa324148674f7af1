// The lazy network against an eager model that looks at every tick.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/channel/path_finder.hpp"
#include "tests/models/channel/script_player.hpp"

namespace flashloom::network_reference_test {
namespace {

struct Job {
  FlashOperation operation;
  std::uint32_t row, column;
  Picoseconds arrival, command, array, data;
  Picoseconds turn;  // arrival, later by its urgency
  Picoseconds granted = kNever, array_end = kNever, data_begin = kNever, complete = kNever;
  std::size_t number = 0;  // the number of its grant
  NetworkPath path{};      // in use until then
  Picoseconds until = 0;
};

class EagerNetwork {
 public:
  EagerNetwork(const NandConfig& config, std::vector<Job>& jobs)
      : config_(config),
        jobs_(jobs),
        finder_(PathFinder::make(config.network, config.channels, config.ways)),
        taken_(finder_->links()),
        chips_(std::size_t{config.channels} * config.ways),
        passed_(config.channels) {}

  void run() {
    for (Picoseconds t = jobs_.empty() ? 0 : jobs_[0].arrival; completed_ < jobs_.size(); ++t) {
      for (Job& job : jobs_)
        if (!job.path.links.empty() && job.until == t) set(job, 0);
      round(t, [](const Job& job) { return job.operation != FlashOperation::Program; });
      round(t, [this](const Job& job) { return job.operation == FlashOperation::Program && passed_[job.row] >= 8; });
      send(t);
      round(t, [](const Job& job) { return job.operation == FlashOperation::Program; });
    }
  }

 private:
  void set(Job& job, std::uint8_t taken) {
    for (const std::uint32_t link : job.path.links) taken_[link] = taken;
    chips_[job.row * config_.ways + job.column] = taken;
    if (taken == 0) job.path.links.clear();
  }
  bool find(Job& job) {
    return chips_[job.row * config_.ways + job.column] == 0 && finder_->find(job.row, job.column, taken_, job.path);
  }
  Picoseconds take(Job& job, Picoseconds t, Picoseconds cycles) {
    const Picoseconds begin = t + job.path.steps * config_.network.reserve_time;
    job.until = begin + job.path.hops() * config_.network.hop_time + cycles;
    set(job, 1);
    return begin;
  }
  /// Serves the jobs of a class that have arrived, by their turn.
  template <class F>
  void round(Picoseconds t, F&& of_class) {
    std::vector<Job*> waiting;
    for (Job& job : jobs_)
      if (job.arrival <= t && job.granted == kNever && of_class(job)) waiting.push_back(&job);
    std::stable_sort(waiting.begin(), waiting.end(), [](Job* a, Job* b) { return a->turn < b->turn; });
    for (Job* job : waiting) {
      if (!of_class(*job) || !find(*job)) continue;
      const bool program = job->operation == FlashOperation::Program;
      if (program) passed_[job->row] = 0;
      job->granted = take(*job, t, job->command + (program ? job->data : 0));
      job->array_end = job->until + job->array;
      job->number = grants_++;
      if (job->operation == FlashOperation::Read) continue;
      job->data_begin = job->complete = job->array_end;
      ++completed_;
    }
  }
  void send(Picoseconds t) {
    std::vector<Job*> ready;
    for (Job& job : jobs_)
      if (job.array_end <= t && job.complete == kNever) ready.push_back(&job);
    std::sort(ready.begin(), ready.end(), [](Job* a, Job* b) {
      return a->array_end != b->array_end ? a->array_end < b->array_end : a->number < b->number;
    });
    for (Job* job : ready) {
      if (!find(*job)) continue;
      for (const Job& other : jobs_)
        if (other.row == job->row && other.operation == FlashOperation::Program && other.arrival <= t &&
            other.granted == kNever) {
          ++passed_[job->row];
          break;
        }
      job->data_begin = take(*job, t, job->data);
      job->complete = job->until;
      ++completed_;
    }
  }

  const NandConfig& config_;
  std::vector<Job>& jobs_;
  std::unique_ptr<PathFinder> finder_;
  std::vector<std::uint8_t> taken_;
  std::vector<std::uint8_t> chips_;
  std::vector<std::uint32_t> passed_;
  std::size_t grants_ = 0;
  std::size_t completed_ = 0;
};

RC_GTEST_PROP(FlashNetworkReference, LazyEqualsEager, ()) {
  static std::vector<std::unique_ptr<Player<DeviceBench>>> players;
  if (players.empty()) {
    const NandConfig timings[] = {tiny({20, 33}, {60, 110}, 150), tiny({3}, {10}, 5)};
    for (int k = 0; k < 10; ++k) {
      NandConfig config = timings[k % 2];
      config.channels = 2;
      config.ways = k / 2 == 4 ? 1 : 2;
      config.dies = k / 2 == 4 ? 2 : 1;
      config.network.topology = k / 2 <= 1 ? "mesh" : k / 2 == 2 ? "vertical" : "crossbar";
      config.network.routing = k / 2 == 0 ? "minimal" : "adaptive";
      config.network.reserve_time = k / 2 == 3 ? 0 : 2;
      config.network.hop_time = k / 2 == 3 ? 0 : 1;
      players.push_back(std::make_unique<Player<DeviceBench>>("network" + std::to_string(k), config));
    }
  }
  Player<DeviceBench>& player = *players[*rc::gen::inRange<std::size_t>(0, players.size())];
  const NandConfig& config = player.bench.config;
  const auto scripts = *any_scripts(4, *rc::gen::arbitrary<bool>());
  const auto looks = *rc::gen::container<std::vector<Picoseconds>>(rc::gen::inRange<Picoseconds>(1, 400));
  player.forget();
  player.play(scripts);
  // Looking at the wires changes nothing.
  for (const Picoseconds at : looks)
    player.bench.call_at(kernel_now() + at, [&player] { player.bench.wires->settle(Channel{0}, kernel_now()); });
  do run_until(kernel_now() + 1000);
  while (player.left() != 0);

  std::vector<Job> jobs;
  for (std::size_t i = 0; i < player.order.size(); ++i) {
    const OnfiCommand& c = *player.order[i];
    const NandTiming& timing = player.bench.timing;
    const std::uint32_t die = c.address.die.value();
    jobs.push_back({c.operation, die % config.channels, die / config.channels % config.ways, player.arrivals[i],
                    timing.command_time(c.operation), timing.array_time(c),
                    c.operation == FlashOperation::Erase ? 0 : timing.data_time(c.bytes),
                    player.arrivals[i] + c.urgency * OnfiChannel::kPatience});
  }
  EagerNetwork(config, jobs).run();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const OnfiCommand& c = *player.order[i];
    RC_LOG() << config.network.topology << ", command " << i << ": " << c.at.granted << " " << jobs[i].granted << ", "
             << c.at.data_begin << " " << jobs[i].data_begin << "\n";
    RC_ASSERT(c.at.granted == jobs[i].granted);
    RC_ASSERT(c.at.array_end == jobs[i].array_end);
    RC_ASSERT(c.at.data_begin == jobs[i].data_begin);
    RC_ASSERT(c.at.complete == jobs[i].complete);
  }
}

}  // namespace
}  // namespace flashloom::network_reference_test
