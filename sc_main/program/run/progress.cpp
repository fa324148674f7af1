#include "sc_main/program/run/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(200);

}  // namespace

Progress::Progress(bool quiet) : shown_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

bool Progress::due() {
  if (!shown_) return false;
  const Clock::time_point now = Clock::now();
  if (now - last_ < kInterval) return false;
  last_ = now;
  line_open_ = true;
  return true;
}

void Progress::precondition(const char* step, double share) {
  give_up_if_interrupted();
  if (!due()) return;
  if (std::string_view(step) == "steady")
    fmt::print(stderr, "\r\033[Kpreconditioning: steady, WAF of the last pass {:.3f}", share);
  else
    fmt::print(stderr, "\r\033[Kpreconditioning: {} {:.0f} %", step, share * 100);
}

void Progress::begin_run(std::uint64_t expected) {
  expected_ = expected;
  begin_ = Clock::now();
}

void Progress::run(std::uint64_t completed) {
  if (!due()) return;
  const double elapsed = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (expected_ == 0) {
    fmt::print(stderr, "\r\033[K{} requests, {:.0f} s", completed, elapsed);
    return;
  }
  const double share = static_cast<double>(completed) / static_cast<double>(expected_);
  fmt::print(stderr, "\r\033[K{} of {} requests, {:.0f} %, ETA {:.0f} s", completed, expected_, share * 100,
             share > 0 ? elapsed / share - elapsed : 0.0);
}

void Progress::end() {
  if (line_open_) fmt::print(stderr, "\r\033[K");
  line_open_ = false;
}

}  // namespace flashloom
