// Submission and completion queues in host memory: fetches entries when doorbells ring, and posts completions.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "controllers/host/front_command.hpp"
#include "controllers/nvme/dma.hpp"
#include "controllers/nvme/interrupt_vectors.hpp"
#include "controllers/nvme/nvme_types.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"

namespace flashloom::nvme {

class NvmeQueues;

struct SubmissionQueue {
  std::uint16_t id = 0;
  bool exists = false;
  bool deleting = false;
  bool fetching = false;
  std::uint16_t completion_queue = 0;
  std::uint64_t base = 0;
  std::uint32_t size = 0;  ///< entries
  std::uint32_t head = 0;  ///< the entry that is fetched next
  std::uint32_t tail = 0;
  std::uint32_t outstanding = 0;              ///< commands fetched and not complete
  class NvmeCommand* first_of_two = nullptr;  ///< first command of a fused pair whose second one has not been fetched
  std::vector<Entry> fetched{};
  WaitList drained{};
};

struct CompletionQueue {
  std::uint16_t id = 0;
  bool exists = false;
  bool interrupts = false;
  bool phase = true;
  std::uint16_t vector = 0;
  std::uint32_t users = 0;  ///< submission queues
  std::uint64_t base = 0;
  std::uint32_t size = 0;  ///< entries
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  WaitList room{};

  bool full() const { return (tail + 1 == size ? 0 : tail + 1) == head; }
};

/// A host command from its fetch to its completion entry, and the command that the controller sends to the device for
/// it. Pooled, with its buffers.
class NvmeCommand final : public FrontCommand {
 public:
  explicit NvmeCommand(NvmeQueues& queues) : queues_(queues) {}

  Entry entry{};
  SubmissionQueue* from = nullptr;  ///< null: a command of the controller itself
  NvmeCommand* partner = nullptr;   ///< the other command of a fused pair
  std::uint64_t result = 0;         ///< dwords 0 and 1 of the completion
  bool more = false;                ///< M bit of its status: the error log says more about its failure
  std::uint64_t failed_lba = 0;     ///< for the error log
  PlacementId wanted{};             ///< of a write: the placement that its directive asks for
  std::vector<Segment> segments{};
  std::vector<std::byte> buffer{};
  std::vector<std::byte> expected{};  ///< the host's data of a Compare
  std::vector<std::byte> list{};      ///< a page of a PRP list, or a segment of an SGL
  std::vector<IoRange> ranges_held{};
  std::vector<ZoneDescriptor> zones{};  ///< of a report
  ZoneReportBuffer zone_report{};
  std::uint32_t lock = 0;  ///< its index among the holders of range locks

  /// Makes `data` point to a buffer of at least `bytes`.
  void take_buffer(std::size_t bytes) {
    if (buffer.size() < bytes) buffer.resize(bytes);
    data = buffer.data();
  }

 private:
  friend class NvmeQueues;
  void completed() override;

  NvmeQueues& queues_;
  bool in_use_ = false;
  bool sent_ = false;      // it is with the host's driver
  bool orphaned_ = false;  // a reset dropped it while it was with the host's driver
  std::coroutine_handle<> waiter_{};
};

/// Carries out the commands of the queues.
class CommandServer {
 public:
  /// Status::Held: complete() is called for it later.
  virtual Task<Status> serve(NvmeCommand& command) = 0;
  /// The completion entry of a failed command is about to be posted.
  virtual void failed(const NvmeCommand& command, Status status) = 0;
  /// A completion entry is in host memory.
  virtual void posted() = 0;
  /// The memory of a queue cannot be reached.
  virtual void queue_lost() = 0;
  /// Sends the command to the device; completed() will be called.
  virtual void submit(NvmeCommand& command) = 0;

 protected:
  ~CommandServer() = default;
};

class NvmeQueues {
 public:
  /// Adds to `busy` the time in which I/O commands were in flight.
  NvmeQueues(std::uint32_t io_queues, CommandServer& server, Dma& dma, InterruptVectors& interrupts, Runtime& runtime,
             Picoseconds& busy);
  ~NvmeQueues();

  std::uint32_t count() const { return static_cast<std::uint32_t>(submission_.size()); }  ///< with the admin queue
  SubmissionQueue& submission(std::uint32_t id) { return submission_[id]; }
  CompletionQueue& completion(std::uint32_t id) { return completion_[id]; }

  void create(CompletionQueue& queue, std::uint64_t base, std::uint32_t size, bool interrupts, std::uint32_t vector);
  void create(SubmissionQueue& queue, std::uint64_t base, std::uint32_t size, std::uint32_t completion_queue);
  /// Waits for the queue's commands in flight; entries that have not been fetched are dropped.
  Task<void> remove(SubmissionQueue& queue);
  void remove(CompletionQueue& queue);
  /// Deletes all queues and drops all commands; the runtime's frames have been destroyed before.
  void reset();

  /// I/O commands fetched and not completed.
  std::uint32_t io_under_way() const { return io_under_way_; }

  /// A doorbell was written. False: the value is not valid for the queue.
  bool ring(SubmissionQueue& queue, std::uint32_t tail);
  bool ring(CompletionQueue& queue, std::uint32_t head);

  /// A command from the pool; also used for commands of the controller itself.
  NvmeCommand& take();
  void release(NvmeCommand& command);
  /// Posts a completion entry, and releases the command.
  Task<void> complete(NvmeCommand& command, Status status);

  /// `co_await`: until the device has carried out what the command's fields say.
  struct Submission {
    NvmeQueues& queues;
    NvmeCommand& command;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) const {
      command.waiter_ = waiter;
      command.sent_ = true;
      queues.server_.submit(command);
    }
    void await_resume() const noexcept {}
  };
  Submission send(NvmeCommand& command) { return {*this, command}; }

 private:
  friend class NvmeCommand;

  Task<void> fetch(SubmissionQueue& queue);
  void begin(SubmissionQueue& queue, const Entry& entry);
  void start(NvmeCommand& command);
  Task<void> carry_out(NvmeCommand& command);
  void go_on(SubmissionQueue& queue);
  void leave(const SubmissionQueue& queue);

  CommandServer& server_;
  Dma& dma_;
  InterruptVectors& interrupts_;
  Runtime& runtime_;
  std::deque<SubmissionQueue> submission_;
  std::deque<CompletionQueue> completion_;
  std::deque<NvmeCommand> commands_;
  std::vector<NvmeCommand*> free_;
  Picoseconds& busy_;
  Picoseconds busy_since_ = 0;
  std::uint32_t io_under_way_ = 0;
};

}  // namespace flashloom::nvme
