#include "sc_main/program/run/sample_window.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "controllers/tier/tier_controller.hpp"
#include "policies/memory_archive.hpp"
#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/report/report.hpp"
#include "sc_main/assembly/report/ssd_report.hpp"

namespace flashloom {
namespace {

/// Counts completions: measuring begins after the warm-up, and ends with the window.
class WindowWatch final : public HostObserver {
 public:
  WindowWatch(Simulation& simulation, const WindowShape& shape) : simulation_(simulation), shape_(shape) {
    pass_ended_parts();
  }

  void completed(const IoCommand& command, std::uint32_t job, bool) override {
    ++count_;
    count_turn(job);
    WindowPart& part = parts_[part_];
    ++part.requests;
    if (command.status == IoStatus::Ok)
      part.latencies[static_cast<std::size_t>(command.operation)].add(command.at.complete - command.at.arrival);
    if (count_ == shape_.parts[part_]) end_part();
    if (count_ == shape_.warm_up) begin();
    if (count_ == shape_.length || (shape_.until_warm != 0 && warm())) {
      simulation_.end_window();
    }
  }
  bool measures() const { return count_ >= shape_.warm_up; }
  /// Queue waits up to the begin of measuring.
  const FlashQueueWaits& queued_before() const { return queued_before_; }
  void describe(WindowAnswer& answer) {
    answer.requests = count_ > shape_.warm_up ? count_ - shape_.warm_up : 0;
    answer.time = simulation_.end() - begin_;
    if (part_begin_ != simulation_.end()) parts_[part_].time = simulation_.end() - part_begin_;  // jobs ended early
    answer.parts = std::move(parts_);
    answer.later = std::move(turns_);
    for (std::size_t job = 0; job < earlier_.size(); ++job) answer.later[job] -= earlier_[job];
  }

 private:
  // Keeps the counts at a point between a quarter and a half of the window, wherever the window will end.
  void count_turn(std::uint32_t job) {
    if (job >= turns_.size()) turns_.resize(job + 1);
    ++turns_[job];
    if (std::has_single_bit(count_)) earlier_ = std::exchange(latest_, turns_);
  }
  void begin() {
    simulation_.begin_window();
    begin_ = kernel_now();
    queued_before_ = flash_queue_waits(simulation_.ssd().flash());
  }
  void end_part() {
    parts_[part_].time = kernel_now() - part_begin_;
    part_begin_ = kernel_now();
    pass_ended_parts();
  }
  void pass_ended_parts() {
    while (part_ + 1 < kWindowParts && shape_.parts[part_] <= count_) ++part_;
  }

  // A tier's cache is warm if it is full, or if the second half of the requests so far filled at most a fifth as many
  // segments as the first half. If maintenance passes fill it, at least two must have ended: the first only observes.
  bool warm() {
    constexpr std::size_t kPasses = 2;
    const bool few = few_more();
    if (count_ != next_look_) return false;
    next_look_ *= 2;
    if (simulation_.tier() == nullptr) return few;
    const Tier& tier = *simulation_.tier()->tier();
    return (few || tier.map().used() == tier.map().slots()) &&
           (!tier.passes_by_time() || simulation_.tier()->statistics().passes.size() >= kPasses);
  }
  // Compares the halves of the requests so far: segments that the tier has filled, or programs of an SSD alone. True if
  // the second half has at most a fifth of the first (`until_steady`: at most a fifth more than the first).
  bool few_more() {
    constexpr std::uint64_t kFifth = 5;
    if (2 * count_ != next_look_ && count_ != next_look_) return false;
    const std::uint64_t all = simulation_.tier() != nullptr ? simulation_.tier()->statistics().filled_segments
                                                            : flash_commands(simulation_.flash_counters()).programs;
    const std::uint64_t before = std::exchange(seen_, all);
    return kFifth * (all - before) <= (shape_.until_steady ? kFifth + 1 : 1) * before;
  }

  Simulation& simulation_;
  WindowShape shape_;
  std::uint64_t next_look_ = shape_.until_warm;
  std::uint64_t seen_ = 0;  // count of few_more() at its last look
  std::uint64_t count_ = 0;
  Picoseconds begin_ = kernel_now();
  FlashQueueWaits queued_before_{};
  std::size_t part_ = 0;
  Picoseconds part_begin_ = kernel_now();
  WindowParts parts_{};
  // Completions by job: now, and when their total was the last and the last but one power of two.
  std::vector<std::uint64_t> turns_, latest_, earlier_;
};

void transfer(StateArchive& archive, WindowAnswer& answer, std::string& result) {
  archive(answer.requests, answer.time, answer.jobs, answer.later, result, answer.cache, answer.flash);
  for (WindowPart& part : answer.parts) archive(part);
}

}  // namespace

FlashCommands flash_commands(const FlashCounters& counters) {
  const std::uint64_t host_reads = counters.at(FlashOperation::Read, Origin::Host).commands;
  return {.host_reads = host_reads,
          .other_reads = counters.total(FlashOperation::Read).commands - host_reads,
          .programs = counters.total(FlashOperation::Program).commands};
}

std::string simulate_window(const LoadedConfig& config, Simulation& simulation, const WindowShape& shape,
                            const std::function<void()>& run) {
  WindowWatch watch(simulation, shape);
  simulation.host().attach(watch);
  WindowAnswer answer;
  if (simulation.tier() != nullptr)
    simulation.tier()->cache_port().on_complete([&](const BlockTransfer& command) {
      if (watch.measures())
        answer.cache.add(command.operation, command.length, command.load, command.at.complete - command.at.submit);
    });
  run();
  if (const Oracle* const oracle = simulation.oracle(); oracle != nullptr && oracle->mismatches() != 0)
    throw SimulationFailure("data did not verify: " + oracle->first_mismatch());
  watch.describe(answer);
  for (std::uint32_t job = 0; job < simulation.host().jobs(); ++job) {
    answer.jobs.push_back(simulation.host().statistics(job));
    answer.jobs.back().end.value = simulation.end();  // rates refer to the whole window, whichever job ended it
  }
  answer.later.resize(answer.jobs.size());
  if (answer.requests != 0) {
    answer.result = make_measured(config, simulation);
    answer.result["flash_queues"] = flash_queues_json(simulation.ssd().flash(), watch.queued_before());
    answer.flash = flash_commands(simulation.flash_counters());
  }
  std::string result = json_text(answer.result);
  MemoryWriter archive;
  transfer(archive, answer, result);
  return std::move(archive.bytes);
}

WindowAnswer parse_window(const std::string& text) {
  WindowAnswer answer;
  std::string result;
  MemoryReader archive(text);
  transfer(archive, answer, result);
  answer.result = nlohmann::ordered_json::parse(result);
  return answer;
}

}  // namespace flashloom
