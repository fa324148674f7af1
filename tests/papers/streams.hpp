// Systems beside transcriptions of their papers, on many short random streams.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace flashloom::papers {

/// The random events that both are told, and where they first differ.
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : seed_(seed), random_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  /// Notes the next event.
  void tell(const std::string& event) {
    ++steps_;
    events_ += " " + event;
  }
  void tell(const char* event, std::uint64_t number) { tell(event + std::to_string(number)); }
  /// Compares a decision after the last event.
  template <class Decision>
  void compare(const Decision& system, const Decision& paper) {
    if (!goes_on() || system == paper) return;
    difference_ = testing::PrintToString(system) + ", by the paper " + testing::PrintToString(paper);
  }
  bool goes_on() const { return difference_.empty(); }

  std::uint64_t steps() const { return steps_; }
  std::string difference() const {
    return "seed " + std::to_string(seed_) + ", step " + std::to_string(steps_) + ": " + difference_ + "\nafter" +
           events_;
  }

 private:
  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::uint64_t steps_ = 0;
  std::string events_;
  std::string difference_;
};

/// Gives `run` the streams of the seeds from 1 on; it ends one that no longer goes on. Fails with the shortest stream
/// that differs.
template <class Run>
void agree_on(std::uint64_t streams, Run run) {
  std::optional<Stream> shortest;
  for (std::uint64_t seed = 1; seed <= streams; ++seed) {
    Stream stream(seed);
    run(stream);
    if (!stream.goes_on() && (!shortest || stream.steps() < shortest->steps())) shortest = stream;
  }
  if (shortest) ADD_FAILURE() << shortest->difference();
}

}  // namespace flashloom::papers
