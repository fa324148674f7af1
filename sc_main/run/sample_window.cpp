#include "sc_main/run/sample_window.hpp"

#include <algorithm>
#include <utility>

#include "policies/memory_archive.hpp"
#include "sc_main/run/report.hpp"

namespace flashloom {
namespace {

/// Counts completions: measuring begins after the warm-up, and ends with the window.
class WindowWatch final : public HostObserver {
 public:
  WindowWatch(Simulation& simulation, const WindowShape& shape) : simulation_(simulation), shape_(shape) {
    pass_ended_parts();
  }

  void completed(const IoCommand& command, std::uint32_t, bool) override {
    if (count_ == shape_.length) return;  // at the same instant as the last one
    ++count_;
    WindowPart& part = parts_[part_];
    ++part.requests;
    if (command.status == IoStatus::Ok)
      part.latencies[static_cast<std::size_t>(command.operation)].add(command.at.complete - command.at.arrival);
    if (count_ == shape_.parts[part_]) end_part();
    if (count_ == shape_.warm_up) begin();
    if (count_ == shape_.length) simulation_.end_window();
  }
  void describe(WindowAnswer& answer) {
    answer.requests = count_ > shape_.warm_up ? count_ - shape_.warm_up : 0;
    answer.time = simulation_.end() - begin_;
    if (count_ != shape_.length) parts_[part_].time = simulation_.end() - part_begin_;  // the jobs have ended before
    answer.parts = std::move(parts_);
  }

 private:
  void begin() {
    simulation_.begin_window();
    begin_ = kernel_now();
  }
  void end_part() {
    parts_[part_].time = kernel_now() - part_begin_;
    part_begin_ = kernel_now();
    pass_ended_parts();
  }
  void pass_ended_parts() {
    while (part_ + 1 < kWindowParts && shape_.parts[part_] <= count_) ++part_;
  }

  Simulation& simulation_;
  WindowShape shape_;
  std::uint64_t count_ = 0;
  Picoseconds begin_ = 0;
  std::size_t part_ = 0;
  Picoseconds part_begin_ = 0;
  WindowParts parts_{};
};

void transfer(StateArchive& archive, WindowAnswer& answer, std::string& result) {
  archive(answer.requests, answer.time, answer.jobs, result);
  for (WindowPart& part : answer.parts) archive(part);
}

}  // namespace

std::string simulate_window(const LoadedConfig& config, Simulation& simulation, std::vector<HostJob> jobs,
                            const WindowShape& shape) {
  WindowWatch watch(simulation, shape);
  simulation.host().attach(watch);
  simulation.run_window(std::move(jobs));
  if (const Oracle* const oracle = simulation.oracle(); oracle != nullptr && oracle->mismatches() != 0)
    throw SimulationFailure("data did not verify: " + oracle->first_mismatch());
  WindowAnswer answer;
  watch.describe(answer);
  for (std::uint32_t job = 0; job < simulation.host().jobs(); ++job) {
    answer.jobs.push_back(simulation.host().statistics(job));
    answer.jobs.back().end.value = simulation.end();  // rates are over the window, whatever job ended it
  }
  if (answer.requests != 0) answer.result = make_measured(config, simulation);
  std::string result = answer.result.dump();
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
