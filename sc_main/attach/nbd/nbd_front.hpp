// Passes the requests of NBD clients to the host's driver, and controls when simulated time advances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "models/common/time_loop.hpp"
#include "sc_main/attach/nbd/nbd_journal.hpp"
#include "sc_main/attach/nbd/nbd_messages.hpp"
#include "sc_main/attach/nbd/nbd_pace.hpp"

namespace flashloom {

/// Without a pace, simulated time stands while no request is in flight, and else advances as fast as possible: a
/// request arrives at the instant that the simulation has reached. To preserve the clients' queue depth, time waits for
/// the next request if clients had more in flight before, but at most for `gather_ns` of wall time.
///
/// With a pace, simulated time follows wall time: a request arrives at the simulated instant of its receipt, and an
/// answer is sent at the wall time of its completion.
class NbdFront final : private TimedProcess {
 public:
  struct Shape {
    std::uint64_t capacity_bytes;
    std::uint32_t sector_bytes;
    std::uint32_t queues;    ///< of the host
    std::int64_t gather_ns;  ///< wall time
    bool sync = false;       ///< sync the journal before each acknowledgement, not only for flushes
  };
  /// Submits requests as job `job` of `host`, which has no source. `journal` may be null.
  NbdFront(const Shape& shape, HostDriver& host, std::uint32_t job, NbdJournal* journal, std::optional<NbdPace> pace);
  ~NbdFront() override;

  /// Listens to `channel` from the begin of the run until it closes, which ends the job. `interrupts`: further
  /// descriptors that are watched; if one is readable, `interrupted` is called, and returns whether to keep watching
  /// it.
  void start(int channel, std::vector<int> interrupts, std::function<bool(int)> interrupted);
  /// Accepts no more requests: the run ends when those in flight are answered.
  void close() { closing_ = true; }
  /// Called with exceptions, which would otherwise be thrown into the kernel.
  void on_failure(std::function<void(std::exception_ptr)> handler) { failed_ = std::move(handler); }

  struct Figures {
    std::uint64_t requests = 0;        ///< of clients
    std::uint64_t refused = 0;         ///< requests not of whole sectors, or beyond the end
    std::uint64_t most_in_flight = 0;  ///< requests
  };
  const Figures& figures() const { return figures_; }
  const std::optional<NbdPace>& pace() const { return pace_; }

 private:
  struct Work;
  struct Piece;

  void wake() override;
  void serve();
  void serve_paced();
  bool receive();
  bool take_message();
  void begin(const NbdRequest& request);
  void submit(Piece& piece, IoOperation operation, std::uint64_t offset, std::uint64_t length);
  void completed(Work& work, IoStatus status);
  void answer();
  void reply(const NbdRequest& request, std::uint32_t error, const std::byte* bytes);
  void write_out();
  enum class Heard { Input, Nothing };
  Heard wait(std::int64_t until_ns);
  /// Whether no more requests will come.
  bool ending() const { return !open_ || closing_; }
  Work& take_work();
  void finish();

  Shape shape_;
  HostDriver& host_;
  std::uint32_t job_;
  NbdJournal* journal_;
  std::optional<NbdPace> pace_;
  int channel_ = -1;
  std::vector<int> interrupts_;
  std::function<bool(int)> interrupted_;
  bool open_ = false;
  bool closing_ = false;
  bool finished_ = false;
  std::vector<std::byte> input_;  // received bytes, not yet processed from `taken_` to `filled_`
  std::size_t taken_ = 0;
  std::size_t filled_ = 0;
  std::vector<std::byte> output_;  // bytes to send
  std::size_t sent_ = 0;
  std::deque<std::unique_ptr<Work>> works_;
  std::vector<Work*> free_works_;
  std::vector<Work*> done_;  // completed, to be answered
  std::uint32_t queue_ = 0;
  std::uint64_t in_flight_ = 0;
  std::uint64_t depth_ = 0;  // the clients' recent queue depth
  Figures figures_;
  std::function<void(std::exception_ptr)> failed_;
};

}  // namespace flashloom
