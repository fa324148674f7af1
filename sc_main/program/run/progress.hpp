// Prints progress with an ETA to stderr, if that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace flashloom {

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share`: of the step that is done, 0 .. 1; for the step "steady": the WAF of the last pass. Throws Interrupted.
  void precondition(const char* step, double share);
  /// `expected`: requests of the run; 0: not known.
  void begin_run(std::uint64_t expected);
  void run(std::uint64_t completed);
  /// Clears the line.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  bool due();

  bool shown_;
  bool line_open_ = false;
  std::uint64_t expected_ = 0;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace flashloom
