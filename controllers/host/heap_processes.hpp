// Processes that use the object heap: each carries out the operations of its source one after the other, maps objects
// before it uses them, unmaps them by its rule, and measures. After a power cut it checks whether the interrupted
// operation has taken effect, and repeats it if not.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controllers/heap/object_heap.hpp"
#include "controllers/host/latency_histogram.hpp"
#include "controllers/host/oracle.hpp"
#include "workloads/objects/mapping_lifetime.hpp"

namespace flashloom {

struct HeapJob {
  std::string name;
  std::unique_ptr<ObjectSource> source;
  std::uint64_t requests = 0;  ///< of the source, at most; 0: all
};

/// Statistics of the operations that completed after the setup.
struct HeapJobStatistics {
  struct Operation {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    LatencyHistogram latency;  ///< arrival to complete
  };
  std::array<Operation, kObjectOperations> operations{};
  std::uint64_t struck = 0;        ///< operations interrupted by a power cut
  std::uint64_t failed_bytes = 0;  ///< of operations that met a lost page; these are in no other count

  HeapJobStatistics& operator+=(const HeapJobStatistics& other);
};

class HeapProcesses {
 public:
  /// `oracle` (may be null) is of the heap's address space, in sectors of `sector_bytes`.
  HeapProcesses(ObjectHeap& heap, const HeapConfig& config, std::uint32_t sector_bytes, Oracle* oracle);
  ~HeapProcesses();

  /// Begins all processes; `done` is called when the last one has ended. Throws std::invalid_argument for more
  /// processes than heap.in_flight has frames for.
  void start(std::vector<HeapJob> jobs, std::function<void()> done);
  /// Called when the setup of every process that has one is over.
  void on_setup_over(std::function<void()> over) { setup_over_ = std::move(over); }
  /// Called now and then with the number of operations completed.
  void on_progress(std::function<void(std::uint64_t)> progress) { progress_ = std::move(progress); }
  /// May be called by a handler of on_progress(): ends every process after its current operation.
  void stop() {
    for (Process& process : processes_) process.left = 0;
  }
  /// Called with an exception that ended a process.
  void on_failure(std::function<void(std::exception_ptr)> handler) { heap_.runtime().on_failure(std::move(handler)); }

  /// The machine has lost power; the heap's coroutines are destroyed just before or after this call. To be followed by
  /// power_back() when the heap has recovered.
  void power_lost();
  void power_back();

  bool finished() const { return active_ == 0; }
  /// Some process has not left its setup.
  bool setting_up() const { return in_setup_ != 0; }
  std::size_t jobs() const { return processes_.size(); }
  const std::string& name(std::size_t job) const { return processes_[job].name; }
  const HeapJobStatistics& statistics(std::size_t job) const { return processes_[job].statistics; }
  HeapJobStatistics statistics() const;
  /// Completions of any kind, the setup's included.
  std::uint64_t completions() const { return completions_; }
  Picoseconds begin() const { return begin_; }  ///< of the measurement
  Picoseconds end() const { return end_; }      ///< last completion

 private:
  struct Process {
    std::string name;
    std::unique_ptr<MappingLifetime> source;
    std::uint64_t left = 0;  ///< requests of the source
    ObjectRequest request{};
    IoCommand command{};  ///< the request as the oracle is told of it
    HeapAccess access{};
    std::vector<SectorToken> tokens{};
    HeapJobStatistics statistics{};
    bool working = false;  ///< an operation is under way
    bool told = false;     ///< the oracle was told of the operation
    bool again = false;    ///< a power cut has interrupted the operation
    bool setup = false;    ///< it is in its setup
    bool over = false;
  };

  Task<void> run(Process& process);
  Task<HeapStatus> perform(Process& process);
  bool take(Process& process);
  void leave_setup(Process& process);
  void tell(Process& process);
  void record(Process& process, Picoseconds arrival, HeapStatus status);

  ObjectHeap& heap_;
  MappingRule rule_;
  std::uint32_t most_;  // processes
  std::uint32_t sector_bytes_;
  Oracle* oracle_;
  std::deque<Process> processes_;
  std::uint32_t active_ = 0;
  std::uint32_t in_setup_ = 0;
  std::uint64_t completions_ = 0;
  Picoseconds start_ = 0;
  Picoseconds begin_ = 0;
  Picoseconds end_ = 0;
  std::function<void()> done_;
  std::function<void()> setup_over_;
  std::function<void(std::uint64_t)> progress_;
};

}  // namespace flashloom
