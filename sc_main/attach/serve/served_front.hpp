// A front end whose clients live in wall time: controls when simulated time advances.
#pragma once

#include <poll.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "models/common/time_loop.hpp"
#include "sc_main/attach/serve/wall_pace.hpp"

namespace flashloom {

/// Without a pace, simulated time stands while there is nothing to do, and else advances as fast as possible: a request
/// arrives at the instant that the simulation has reached. To preserve the clients' queue depth, time waits for the
/// next request if clients had more in flight before, but at most for `gather_ns` of wall time.
///
/// With a pace, simulated time follows wall time: a request arrives at the simulated instant of its receipt, and an
/// answer is sent at the wall time of its completion.
class ServedFront : protected TimedProcess {
 public:
  /// Accepts no more requests: the run ends when those in flight are answered.
  void close() { closing_ = true; }
  /// Called with exceptions, which would otherwise be thrown into the kernel.
  void on_failure(std::function<void(std::exception_ptr)> handler) { failed_ = std::move(handler); }
  const std::optional<WallPace>& pace() const { return pace_; }

 protected:
  ServedFront(std::int64_t gather_ns, std::optional<WallPace> pace) : gather_ns_(gather_ns), pace_(pace) {}

  enum class Heard : std::uint8_t { Input, Nothing };
  struct Work {
    std::uint64_t in_flight;  ///< requests
    bool any;                 ///< something goes on without further requests
    bool certain;             ///< what comes next does not depend on further requests
    Picoseconds again;        ///< without a pace: when to look again, unless complete() is called before; kNever: not
  };
  virtual Work work() const = 0;
  /// Sends what is complete.
  virtual void answer() = 0;
  /// Takes what clients have sent; false: there is nothing more now.
  virtual bool receive() = 0;
  /// Clients can send and be answered.
  virtual bool open() const = 0;
  /// What to wait for, while open().
  virtual pollfd channel() const = 0;
  /// The channel has these events.
  virtual Heard heard(short events) = 0;
  /// Called once, when nothing is left to do.
  virtual void finish() = 0;

  /// Listens to the channel from now on. `interrupts`: further descriptors that are watched; if one is readable,
  /// `interrupted` is called, and returns whether to keep watching it.
  void listen(std::vector<int> interrupts, std::function<bool(int)> interrupted);
  bool closing() const { return closing_; }
  /// Something is complete now: wakes the front.
  void complete();
  /// An answer is sent now.
  void answered() {
    if (pace_) pace_->answered(kernel_now());
  }
  /// Waits for input until a wall time.
  Heard wait(std::int64_t until_ns);

 private:
  void wake() override;
  void serve();
  void serve_paced();
  bool over() { return (closing_ || !open()) && !work().any; }
  void end();

  std::int64_t gather_ns_;
  std::optional<WallPace> pace_;
  std::vector<int> interrupts_;
  std::function<bool(int)> interrupted_;
  bool closing_ = false;
  bool finished_ = false;
  std::uint64_t depth_ = 0;  // the clients' recent queue depth
  std::function<void(std::exception_ptr)> failed_;
};

}  // namespace flashloom
