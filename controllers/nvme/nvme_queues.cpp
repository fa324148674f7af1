#include "controllers/nvme/nvme_queues.hpp"

#include <algorithm>
#include <utility>

namespace flashloom::nvme {
namespace {

constexpr std::uint32_t kFetchTogether = 16;  // entries
constexpr std::uint32_t kFirstOfTwo = 1;      // FUSE
constexpr std::uint32_t kSecondOfTwo = 2;

}  // namespace

void NvmeCommand::completed() {
  sent_ = false;
  if (orphaned_)
    queues_.release(*this);
  else
    queues_.runtime_.wake(waiter_);
}

NvmeQueues::NvmeQueues(std::uint32_t io_queues, CommandServer& server, Dma& dma, InterruptVectors& interrupts,
                       Runtime& runtime, Picoseconds& busy)
    : server_(server), dma_(dma), interrupts_(interrupts), runtime_(runtime), busy_(busy) {
  for (std::uint32_t id = 0; id <= io_queues; ++id) {
    submission_.emplace_back().id = static_cast<std::uint16_t>(id);
    completion_.emplace_back().id = static_cast<std::uint16_t>(id);
  }
}

NvmeQueues::~NvmeQueues() = default;

NvmeCommand& NvmeQueues::take() {
  if (free_.empty()) free_.push_back(&commands_.emplace_back(*this));
  NvmeCommand& command = *free_.back();
  free_.pop_back();
  command.in_use_ = true;
  command.orphaned_ = false;
  command.from = nullptr;
  command.partner = nullptr;
  command.result = 0;
  command.more = false;
  command.failed_lba = 0;
  return command;
}

void NvmeQueues::release(NvmeCommand& command) {
  command.in_use_ = false;
  free_.push_back(&command);
}

void NvmeQueues::create(CompletionQueue& queue, std::uint64_t base, std::uint32_t size, bool interrupts,
                        std::uint32_t vector) {
  queue.exists = true;
  queue.interrupts = interrupts;
  queue.phase = true;
  queue.vector = static_cast<std::uint16_t>(vector);
  queue.users = 0;
  queue.base = base;
  queue.size = size;
  queue.head = queue.tail = 0;
}

void NvmeQueues::create(SubmissionQueue& queue, std::uint64_t base, std::uint32_t size,
                        std::uint32_t completion_queue) {
  queue.exists = true;
  queue.deleting = queue.fetching = false;
  queue.completion_queue = static_cast<std::uint16_t>(completion_queue);
  queue.base = base;
  queue.size = size;
  queue.head = queue.tail = queue.outstanding = 0;
  queue.first_of_two = nullptr;
  ++completion_[completion_queue].users;
}

Task<void> NvmeQueues::remove(SubmissionQueue& queue) {
  queue.deleting = true;
  CompletionQueue& completion = completion_[queue.completion_queue];
  completion.room.wake_all();
  if (queue.first_of_two != nullptr) {
    NvmeCommand& alone = *std::exchange(queue.first_of_two, nullptr);
    co_await complete(alone, Status::SqDeletion);
  }
  while (queue.outstanding != 0 || queue.fetching) co_await queue.drained.wait();
  queue.exists = false;
  --completion.users;
}

void NvmeQueues::remove(CompletionQueue& queue) { queue.exists = false; }

void NvmeQueues::leave(const SubmissionQueue& queue) {
  if (queue.id != 0 && --io_under_way_ == 0) busy_ += kernel_now() - busy_since_;
}

void NvmeQueues::reset() {
  if (std::exchange(io_under_way_, 0) != 0) busy_ += kernel_now() - busy_since_;
  for (SubmissionQueue& queue : submission_) {
    queue.exists = false;
    queue.drained.forget();
  }
  for (CompletionQueue& queue : completion_) {
    queue.exists = false;
    queue.room.forget();
  }
  for (NvmeCommand& command : commands_) {
    if (!command.in_use_) continue;
    if (command.sent_)
      command.orphaned_ = true;  // the device continues it; its completion will be ignored
    else
      release(command);
  }
}

bool NvmeQueues::ring(SubmissionQueue& queue, std::uint32_t tail) {
  if (tail >= queue.size) return false;
  queue.tail = tail;
  go_on(queue);
  return true;
}

bool NvmeQueues::ring(CompletionQueue& queue, std::uint32_t head) {
  if (head >= queue.size) return false;
  // Only what has been posted can be taken.
  const std::uint32_t posted = (queue.tail + queue.size - queue.head) % queue.size;
  const std::uint32_t taken = (head + queue.size - queue.head) % queue.size;
  if (taken > posted) return false;
  queue.head = head;
  queue.room.wake_all();
  return true;
}

// At most as many commands are in flight as the queue has entries, even if the host reuses entries before it has their
// completions.
void NvmeQueues::go_on(SubmissionQueue& queue) {
  if (!queue.exists || queue.deleting || queue.fetching || queue.head == queue.tail || queue.outstanding >= queue.size)
    return;
  queue.fetching = true;
  runtime_.spawn([this, &queue] { return fetch(queue); });
}

Task<void> NvmeQueues::fetch(SubmissionQueue& queue) {
  while (queue.head != queue.tail && queue.outstanding < queue.size && !queue.deleting) {
    const std::uint32_t until = queue.tail > queue.head ? queue.tail : queue.size;
    const std::uint32_t count = std::min({until - queue.head, kFetchTogether, queue.size - queue.outstanding});
    if (queue.fetched.size() < kFetchTogether) queue.fetched.resize(kFetchTogether);
    const bool fetched = co_await dma_.read(queue.base + std::uint64_t{queue.head} * kEntryBytes, queue.fetched.data(),
                                            count * kEntryBytes);
    if (!fetched) {
      server_.queue_lost();
      co_return;
    }
    queue.outstanding += count;
    if (queue.id != 0) {
      if (io_under_way_ == 0) busy_since_ = kernel_now();
      io_under_way_ += count;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      queue.head = queue.head + 1 == queue.size ? 0 : queue.head + 1;
      begin(queue, queue.fetched[i]);
    }
  }
  queue.fetching = false;
  if (queue.deleting) queue.drained.wake_all();
}

// Commands of a fused pair come one directly behind the other.
void NvmeQueues::begin(SubmissionQueue& queue, const Entry& entry) {
  NvmeCommand& command = take();
  command.entry = entry;
  command.from = &queue;
  NvmeCommand* const first = std::exchange(queue.first_of_two, nullptr);
  const std::uint32_t fuse = entry.fuse();
  if (first != nullptr && fuse == kSecondOfTwo) {
    command.partner = first;
    first->partner = &command;
    return start(*first);  // both
  }
  if (first != nullptr) runtime_.spawn([this, first] { return complete(*first, Status::MissingFused); });
  if (fuse == kFirstOfTwo) {
    queue.first_of_two = &command;
    return;
  }
  if (fuse == kSecondOfTwo) return runtime_.spawn([this, &command] { return complete(command, Status::MissingFused); });
  start(command);
}

void NvmeQueues::start(NvmeCommand& command) {
  runtime_.spawn([this, &command] { return carry_out(command); });
}

Task<void> NvmeQueues::carry_out(NvmeCommand& command) {
  const Status status = co_await server_.serve(command);
  if (status != Status::Held) co_await complete(command, status);
}

Task<void> NvmeQueues::complete(NvmeCommand& command, Status status) {
  SubmissionQueue& queue = *command.from;
  CompletionQueue& into = completion_[queue.completion_queue];
  if (status != Status::Success) server_.failed(command, status);
  while (into.full() && !queue.deleting) co_await into.room.wait();
  if (!into.full()) {
    const std::uint32_t slot = into.tail;
    Completion entry{.result = static_cast<std::uint32_t>(command.result),
                     .result_high = static_cast<std::uint32_t>(command.result >> 32U),
                     .sq_head = static_cast<std::uint16_t>(queue.head),
                     .sq = queue.id,
                     .id = command.entry.id,
                     .status = static_cast<std::uint16_t>(status_field(status, command.more) | (into.phase ? 1U : 0U))};
    into.tail = slot + 1 == into.size ? 0 : slot + 1;
    if (into.tail == 0) into.phase = !into.phase;
    const bool posted =
        co_await dma_.write(into.base + std::uint64_t{slot} * kCompletionBytes, &entry, kCompletionBytes);
    if (!posted) {
      server_.queue_lost();
      co_return;
    }
    server_.posted();
    if (into.interrupts) interrupts_.raise(into.vector, queue.id != 0);
  }
  release(command);
  --queue.outstanding;
  leave(queue);
  if (queue.deleting) queue.drained.wake_all();
  go_on(queue);
}

}  // namespace flashloom::nvme
