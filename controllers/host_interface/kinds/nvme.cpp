// NVMe: a pair of queues for each core or tenant of the host, in its memory.
//
// Arbitration (NVM Express Base Specification 2.0, section 3.4.4): "round_robin" takes `burst` commands (Arbitration
// Burst) from each queue that has any, in turn. "weighted" is weighted round robin with urgent priority class: urgent
// queues go before all others, round robin among them, and may starve these. High, medium and low share what is left by
// their weights: a level has as many credits a round as its weight says, round robin among its queues; a turn of a
// queue takes `burst` commands or the credits that the level has left, whichever is less; when no level that has
// commands has credits left, a new round begins. The admin queue, above all of them, is not modelled. What is
// arbitrated is the fetching: it matters where queues wait for the device's command slots (host_interface.commands).
//
// Lists (section 4.1.1 on PRPs; NVM Command Set Specification 1.0, section 3.2.3 on Dataset Management): a transfer of
// more than two pages of host memory has a PRP list, 8 bytes a page behind the first one, in pages whose last entry
// points to the next one; a Dataset Management command has 16 bytes a range. Host buffers are page-aligned.
//
// Interrupt coalescing (section 5.27.1.6, Feature 08h): completions of a queue, which has an interrupt vector of its
// own, raise an interrupt when there are `coalesce_threshold` of them, or `coalesce_time` after the first.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "controllers/host_interface/host_protocol.hpp"
#include "models/common/config_problem.hpp"
#include "policies/registry.hpp"

namespace flashloom::host_protocol::nvme {
namespace {

constexpr std::uint32_t kCommandBytes = 64;     // submission queue entry
constexpr std::uint32_t kCompletionBytes = 16;  // completion queue entry
constexpr std::uint32_t kPrpBytes = 8;
constexpr std::uint32_t kRangeBytes = 16;
constexpr Picoseconds kTimeUnit = 100 * kMicrosecond;  // of the aggregation time, a field of 8 bits

constexpr std::uint32_t kUrgent = 0;
constexpr std::uint32_t kMedium = 2;
constexpr std::size_t kClasses = 4;
constexpr std::array<const char*, kClasses> kClassNames = {"urgent", "high", "medium", "low"};

class Nvme final : public HostProtocol {
 public:
  Nvme(const HostProtocolContext& context, const ParameterValues& values)
      : queues_(context.queues),
        priorities_(context.queue_priorities),
        weighted_(values.get<std::string>("arbitration") == "weighted"),
        burst_(number(values, "burst")),
        weights_{0, number(values, "high_weight"), number(values, "medium_weight"), number(values, "low_weight")},
        threshold_(number(values, "coalesce_threshold")),
        time_(static_cast<Picoseconds>(values.get<std::int64_t>("coalesce_time"))),
        lists_(values.get<bool>("fetch_lists")),
        memory_page_(static_cast<std::uint64_t>(values.get<std::int64_t>("memory_page"))) {
    for (std::uint32_t queue = 0; queue < queues_; ++queue) classes_.push_back(class_of(queue));
    sort();
  }

  Traits traits() const override {
    // Disabled while either is 0 (the threshold is 0's based in the standard).
    const bool aggregates = threshold_ > 1 && time_ != 0;
    return {.command_bytes = kCommandBytes,
            .completion_bytes = kCompletionBytes,
            .picks = weighted_ || burst_ != 1,
            .frames = lists_,
            .held_until_reported = aggregates,
            .aggregate = aggregates ? threshold_ : 1,
            .aggregate_time = time_};
  }

  std::uint32_t pick(const SubmissionQueues& queues) override {
    if (const std::uint32_t queue = take(levels_[kUrgent], queues); queue != SubmissionQueues::kNone) return queue;
    for (int round = 0; round < 2; ++round) {
      for (std::size_t level = kUrgent + 1; level < kClasses; ++level) {
        if (levels_[level].credits == 0) continue;
        const std::uint32_t queue = take(levels_[level], queues);
        if (queue == SubmissionQueues::kNone) continue;
        if (--levels_[level].credits == 0 && levels_[level].taken != 0) end_turn(levels_[level]);
        return queue;
      }
      for (std::size_t level = 0; level < kClasses; ++level) levels_[level].credits = weights_[level];
    }
    return SubmissionQueues::kNone;
  }

  Arbitration arbitration() const override {
    return {.weighted = weighted_, .burst = burst_, .high = weights_[1], .medium = weights_[2], .low = weights_[3]};
  }

  void arbitrate(const Arbitration& arbitration) override {
    weighted_ = arbitration.weighted;
    burst_ = arbitration.burst;
    weights_ = {0, arbitration.high, arbitration.medium, arbitration.low};
    sort();
  }

  void classify(std::uint32_t queue, std::uint32_t priority) override {
    classes_[queue] = priority;
    sort();
  }

  void report_at_once() override { threshold_ = 1; }

  void reset() override {
    for (std::size_t level = 0; level < kClasses; ++level) {
      levels_[level].credits = weights_[level];
      levels_[level].turn = 0;
      levels_[level].taken = 0;
    }
  }

  std::uint32_t list(const IoCommand& command, std::uint32_t piece) const override {
    if (command.operation == IoOperation::Trim)
      return piece != 0 ? 0 : kRangeBytes * (command.ranges == nullptr ? 1 : command.range_count);
    if (!moves_data(command.operation)) return 0;
    const std::uint64_t pages = (command.length + memory_page_ - 1) / memory_page_;
    if (pages <= 2) return 0;  // PRP1 and PRP2 are in the command
    // The last entry of a full list page that has more behind it points to the next page.
    const std::uint64_t room = memory_page_ / kPrpBytes;
    std::uint64_t left = pages - 1;
    for (std::uint32_t i = 0; i < piece && left != 0; ++i) left = left <= room ? 0 : left - (room - 1);
    return static_cast<std::uint32_t>(std::min(left, room)) * kPrpBytes;
  }

  CommandFrames frames(const IoCommand&) const override { return {.completion = kCompletionBytes}; }

  void check() const override {
    require(priorities_.size() <= queues_, "host.queue_priorities", priorities_.size(), " classes for ", queues_,
            " queues; valid: at most host.queues");
    require(priorities_.empty() || weighted_, "host.queue_priorities",
            "needs host_interface.kind = { name = \"nvme\", arbitration = \"weighted\" }");
    require(burst_ <= 64 && (burst_ & (burst_ - 1)) == 0, "host_interface.kind.burst", burst_,
            " is no power of 2; valid: 1, 2, 4 .. 64, or 0 for no limit");
    require(time_ % kTimeUnit == 0, "host_interface.kind.coalesce_time",
            "goes by 100 us; valid: 0 s, 100 us .. 25.5 ms");
    require((threshold_ > 1) == (time_ != 0), "host_interface.kind.coalesce_time",
            "coalesce_time and coalesce_threshold above 1 go together: either alone coalesces nothing");
    require(memory_page_ >= 4096 && (memory_page_ & (memory_page_ - 1)) == 0, "host_interface.kind.memory_page",
            "is no power of 2 from 4 KiB on");
  }

 private:
  struct Level {
    std::vector<std::uint32_t> queues;
    std::size_t turn = 0;     // position in `queues`
    std::uint32_t taken = 0;  // commands of this turn
    std::uint32_t credits = 0;
  };

  static std::uint32_t number(const ParameterValues& values, const char* name) {
    return static_cast<std::uint32_t>(values.get<std::int64_t>(name));
  }

  // Into the levels by their classes; all turns begin anew.
  void sort() {
    for (Level& level : levels_) level.queues.clear();
    for (std::uint32_t queue = 0; queue < queues_; ++queue)
      levels_[weighted_ ? classes_[queue] : 0].queues.push_back(queue);
    reset();
  }

  std::size_t class_of(std::uint32_t queue) const {
    if (queue >= priorities_.size()) return kMedium;
    const auto found = std::find(kClassNames.begin(), kClassNames.end(), priorities_[queue]);
    return static_cast<std::size_t>(found - kClassNames.begin());
  }

  static void end_turn(Level& level) {
    level.taken = 0;
    level.turn = level.turn + 1 == level.queues.size() ? 0 : level.turn + 1;
  }

  /// The queue of a level whose turn it is, among those that hold something.
  std::uint32_t take(Level& level, const SubmissionQueues& queues) const {
    for (std::size_t tried = 0; tried < level.queues.size(); ++tried) {
      const std::uint32_t queue = level.queues[level.turn];
      if (queues.head(queue) == nullptr) {
        end_turn(level);
        continue;
      }
      if (++level.taken == burst_) end_turn(level);  // burst 0: until the queue is empty
      return queue;
    }
    return SubmissionQueues::kNone;
  }

  std::uint32_t queues_;
  const std::vector<std::string>& priorities_;
  bool weighted_;
  std::uint32_t burst_;
  std::array<std::uint32_t, kClasses> weights_;
  std::uint32_t threshold_;
  Picoseconds time_;
  bool lists_;
  std::uint64_t memory_page_;
  std::vector<std::size_t> classes_;    // by queue
  std::array<Level, kClasses> levels_;  // round robin: all queues are in the first
};

ParameterSpec weight(const char* name, std::int64_t value, const char* help) {
  return {.name = name, .default_value = value, .minimum = 1, .maximum = 256, .choices = {}, .help = help};
}

const Registration<HostProtocol> registration{
    {.name = "nvme",
     .summary = "NVMe: queue pairs, round robin or weighted, interrupt coalescing, PRP lists",
     .source = "NVM Express Base Specification 2.0, sections 3.4.4, 4.1.1, 5.27.1.6",
     .parameters = {{.name = "arbitration",
                     .default_value = std::string("round_robin"),
                     .choices = {"round_robin", "weighted"},
                     .help = "of the submission queues; weighted: round robin with urgent priority class, by "
                             "host.queue_priorities"},
                    {.name = "burst",
                     .default_value = std::int64_t{1},
                     .minimum = 0,
                     .maximum = 64,
                     .choices = {},
                     .help = "commands that one turn of a queue takes at most, a power of 2; 0: no limit"},
                    weight("high_weight", 4, "weighted: commands of high queues a round (assumption)"),
                    weight("medium_weight", 2, "weighted: commands of medium queues a round (assumption)"),
                    weight("low_weight", 1, "weighted: commands of low queues a round (assumption)"),
                    {.name = "coalesce_threshold",
                     .default_value = std::int64_t{1},
                     .minimum = 1,
                     .maximum = 256,
                     .choices = {},
                     .help = "completions of a queue that raise an interrupt together; 1: each its own"},
                    {.name = "coalesce_time",
                     .default_value = std::int64_t{0},
                     .dimension = Dimension::Time,
                     .minimum = 0,
                     .maximum = 25.5e9,
                     .choices = {},
                     .help = "after the first of them, when they raise one however many they are; by 100 us"},
                    {.name = "fetch_lists",
                     .default_value = false,
                     .choices = {},
                     .help = "PRP lists and the ranges of trims go over the link; else they cost nothing"},
                    {.name = "memory_page",
                     .default_value = std::int64_t{4096},
                     .dimension = Dimension::Bytes,
                     .minimum = 4096,
                     .maximum = 134217728,
                     .choices = {},
                     .help = "page of the host's memory, what a PRP entry points to (CC.MPS)"}}},
    [](const HostProtocolContext& context, const ParameterValues& values) {
      return std::make_unique<Nvme>(context, values);
    }};

}  // namespace
}  // namespace flashloom::host_protocol::nvme
