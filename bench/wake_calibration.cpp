#include "bench/wake_calibration.hpp"

#include <ctime>
#include <memory>
#include <string>
#include <systemc>

namespace flashloom {
namespace {

constexpr std::uint32_t kMethods = 64;

class Waker : public sc_core::sc_module {
 public:
  Waker(const sc_core::sc_module_name& name, std::uint32_t seed, const std::uint64_t& limit, std::uint64_t& wakes)
      : sc_module(name), state_(seed), limit_(limit), wakes_(wakes) {
    SC_METHOD(wake);
    sensitive << event_;
  }

 private:
  SC_HAS_PROCESS(Waker);

  void wake() {
    if (++wakes_ >= limit_) sc_core::sc_pause();
    state_ = state_ * 1664525 + 1013904223;  // generator of Numerical Recipes; good enough to spread the times
    event_.notify(sc_core::sc_time::from_value(1000 + (state_ >> 12)));
  }

  sc_core::sc_event event_;
  std::uint32_t state_;
  const std::uint64_t& limit_;
  std::uint64_t& wakes_;
};

}  // namespace

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::vector<double> measure_wakes(std::uint32_t samples, std::uint64_t wakes) {
  std::uint64_t count = 0;
  std::uint64_t limit = wakes / 4;  // warm-up
  std::vector<std::unique_ptr<Waker>> wakers;
  for (std::uint32_t i = 0; i < kMethods; ++i)
    wakers.push_back(std::make_unique<Waker>(("waker" + std::to_string(i)).c_str(), i * 2654435761U, limit, count));
  sc_core::sc_start();
  std::vector<double> result;
  for (std::uint32_t sample = 0; sample < samples; ++sample) {
    const std::uint64_t before = count;
    limit = count + wakes;
    const double begin = cpu_seconds();
    sc_core::sc_start();
    result.push_back((cpu_seconds() - begin) * 1e9 / static_cast<double>(count - before));
  }
  return result;
}

}  // namespace flashloom
