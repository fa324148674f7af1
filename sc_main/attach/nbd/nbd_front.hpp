// Passes the requests of NBD clients to the host's driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "sc_main/attach/nbd/nbd_journal.hpp"
#include "sc_main/attach/nbd/nbd_messages.hpp"
#include "sc_main/attach/serve/served_front.hpp"

namespace flashloom {

/// Takes requests from the plug-in of nbdkit (nbd_messages.hpp).
class NbdFront final : public ServedFront {
 public:
  struct Shape {
    std::uint64_t capacity_bytes;
    std::uint32_t sector_bytes;
    std::uint32_t queues;    ///< of the host
    std::int64_t gather_ns;  ///< wall time
    bool sync = false;       ///< sync the journal before each acknowledgement, not only for flushes
  };
  /// Submits requests as job `job` of `host`, which has no source. `journal` may be null.
  NbdFront(const Shape& shape, HostDriver& host, std::uint32_t job, NbdJournal* journal, std::optional<WallPace> pace);
  ~NbdFront() override;

  /// Listens to `channel` from the begin of the run until it closes, which ends the job. `interrupts`: further
  /// descriptors that are watched; if one is readable, `interrupted` is called, and returns whether to keep watching
  /// it.
  void start(int channel, std::vector<int> interrupts, std::function<bool(int)> interrupted);

  struct Figures {
    std::uint64_t requests = 0;        ///< of clients
    std::uint64_t refused = 0;         ///< requests not of whole sectors, or beyond the end
    std::uint64_t most_in_flight = 0;  ///< requests
  };
  const Figures& figures() const { return figures_; }

 private:
  struct Request;
  struct Piece;

  Work work() const override {
    return {.in_flight = in_flight_, .any = in_flight_ != 0, .certain = false, .again = kNever};
  }
  bool open() const override { return open_; }
  pollfd channel() const override;
  Heard heard(short events) override;
  void answer() override;
  bool receive() override;
  void finish() override;
  bool take_message();
  void begin(const NbdRequest& request);
  void submit(Piece& piece, IoOperation operation, std::uint64_t offset, std::uint64_t length);
  void completed(Request& work, IoStatus status);
  void reply(const NbdRequest& request, std::uint32_t error, const std::byte* bytes);
  void write_out();
  Request& take_request();

  Shape shape_;
  HostDriver& host_;
  std::uint32_t job_;
  NbdJournal* journal_;
  int channel_ = -1;
  bool open_ = false;
  std::vector<std::byte> input_;  // received bytes, not yet processed from `taken_` to `filled_`
  std::size_t taken_ = 0;
  std::size_t filled_ = 0;
  std::vector<std::byte> output_;  // bytes to send
  std::size_t sent_ = 0;
  std::deque<std::unique_ptr<Request>> requests_;
  std::vector<Request*> free_requests_;
  std::vector<Request*> done_;  // completed, to be answered
  std::uint32_t queue_ = 0;
  std::uint64_t in_flight_ = 0;
  Figures figures_;
};

}  // namespace flashloom
