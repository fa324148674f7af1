// The time loop wakes its processes in the order in which the kernel wakes method processes: both run the same random
// notifications, cancellations and pauses.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <systemc>
#include <vector>

#include "models/common/time_loop.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/processes.hpp"

namespace flashloom::time_loop_order_test {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kProcesses = 7;
constexpr std::size_t kWakes = 3000;

// Actions of each process when it wakes: few distinct delays, so that many coincide.
class Script {
 public:
  explicit Script(unsigned seed) : random_(seed) {}

  template <class Engine>
  void woken(Engine& engine, std::size_t process) {
    log_.push_back({engine.now(), process});
    if (log_.size() >= kWakes) return;
    for (int action = 0; action < 3; ++action) {
      const std::size_t other = random_() % kProcesses;
      switch (random_() % 8) {
        case 0:
          engine.cancel(other);
          break;
        case 1:
          engine.notify(other, 0);
          break;
        case 2:
          engine.notify(other, 10 * (1 + random_() % 3));
          break;
        default:
          engine.notify(other, 1 + random_() % 6);
      }
    }
    if (random_() % 50 == 0) engine.pause();
  }
  void paused(Picoseconds at) { log_.push_back({at, "paused"}); }
  bool over() const { return log_.size() >= kWakes; }
  unsigned draw() { return random_(); }
  Json log() const { return log_; }

 private:
  std::mt19937 random_;
  Json log_ = Json::array();
};

// Runs the script on events and method processes of the kernel.
class KernelEngine {
 public:
  explicit KernelEngine(Script& script) {
    for (std::size_t i = 0; i < kProcesses; ++i)
      methods_.emplace_back(sc_core::sc_gen_unique_name("method"), [this, &script, i] { script.woken(*this, i); });
  }
  Picoseconds now() const { return sc_core::sc_time_stamp().value(); }
  void notify(std::size_t process, Picoseconds after) { methods_[process].event.notify(kernel_time(after)); }
  void cancel(std::size_t process) { methods_[process].event.cancel(); }
  void pause() { sc_core::sc_pause(); }
  void run() { sc_core::sc_start(); }

 private:
  std::deque<KernelMethod> methods_;
};

class LoopEngine {
 public:
  LoopEngine(Script& script, bool ahead) : ahead_(ahead) {
    for (std::size_t i = 0; i < kProcesses; ++i)
      processes_.emplace_back([this, &script, i] { script.woken(*this, i); });
  }
  Picoseconds now() const { return kernel_now(); }
  void notify(std::size_t process, Picoseconds after) { processes_[process].notify_at(kernel_now() + after); }
  void cancel(std::size_t process) { processes_[process].cancel(); }
  void pause() { TimeLoop::pause(); }
  void run() {
    if (ahead_)
      TimeLoop::instance().run();
    else
      sc_core::sc_start();
  }

 private:
  bool ahead_;
  std::deque<LoopProcess> processes_;
};

template <class Engine, class... Arguments>
Json play(unsigned seed, Arguments... arguments) {
  return in_child([&] {
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_WARNING,
                                            sc_core::SC_DO_NOTHING);
    Script script(seed);
    Engine engine(script, arguments...);
    while (!script.over()) {
      // Notifications from outside as well: before the first run, and whenever the engine is paused or has nothing left
      // to do.
      for (int i = 0; i < 3; ++i) engine.notify(script.draw() % kProcesses, script.draw() % 4);
      if (script.draw() % 2 == 0) engine.cancel(script.draw() % kProcesses);
      engine.run();
      script.paused(engine.now());
    }
    return script.log();
  });
}

TEST(TimeLoopOrder, IsTheKernels) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const Json kernel = play<KernelEngine>(seed);
    ASSERT_GE(kernel.size(), kWakes);
    ASSERT_EQ(kernel, play<LoopEngine>(seed, false)) << "through the kernel, seed " << seed;
    ASSERT_EQ(kernel, play<LoopEngine>(seed, true)) << "ahead of it, seed " << seed;
  }
}

}  // namespace
}  // namespace flashloom::time_loop_order_test
