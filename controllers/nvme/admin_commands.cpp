#include "controllers/nvme/admin_commands.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "controllers/nvme/data_pointer.hpp"
#include "controllers/nvme/events.hpp"
#include "controllers/nvme/feature_commands.hpp"
#include "controllers/nvme/identify.hpp"
#include "controllers/nvme/log_pages.hpp"
#include "controllers/nvme/zoned_namespace.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::uint32_t kContiguous = 1;           // PC
constexpr std::uint32_t kInterrupts = 1U << 1U;    // IEN
constexpr std::uint32_t kRetainEvent = 1U << 15U;  // RAE
constexpr std::uint32_t kNotAborted = 1;

}  // namespace

Task<Status> settled(Status status) { co_return status; }

Task<Status> AdminCommands::serve(NvmeCommand& command) {
  const Entry& entry = command.entry;
  if (entry.fuse() != 0) return settled(Status::InvalidField);
  const bool zoned = parts_.device.zones().present();
  switch (entry.opcode) {
    case kDeleteSubmissionQueue:
      return delete_submission_queue(command);
    case kCreateSubmissionQueue:
      return settled(create_submission_queue(entry));
    case kDeleteCompletionQueue:
      return settled(delete_completion_queue(entry));
    case kCreateCompletionQueue:
      return settled(create_completion_queue(entry));
    case kGetLogPage:
      return log_page(command);
    case kIdentify:
      return identify_to_host(command);
    case kAbort:
      return settled(abort(command));
    case kSetFeatures:
      return features_.set(command);
    case kGetFeatures:
      return features_.get(command);
    case kAsynchronousEventRequest:
      return settled(parts_.events.request(command));
    case kKeepAlive:
      features_.kept_alive();
      return settled(Status::Success);
    case kFormat:
      return maintenance_.format(command);
    case kNamespaceManagement:
      return zoned ? settled(Status::InvalidOpcode) : maintenance_.manage(command);
    case kNamespaceAttachment:
      return zoned ? settled(Status::InvalidOpcode) : maintenance_.attach(command);
    case kDeviceSelfTest:
      return settled(self_test_.start(entry));
    default:
      return settled(Status::InvalidOpcode);
  }
}

Task<Status> send_data(ControllerParts& parts, NvmeCommand& command, std::uint32_t bytes) {
  const Status status = co_await find_data(parts, command, bytes, true);
  if (status != Status::Success) co_return status;
  co_return co_await parts.dma.write(command.segments, command.data) ? Status::Success : Status::DataTransferError;
}

Task<Status> receive_data(ControllerParts& parts, NvmeCommand& command, std::uint32_t bytes) {
  command.take_buffer(bytes);
  const Status status = co_await find_data(parts, command, bytes, false);
  if (status != Status::Success) co_return status;
  co_return co_await parts.dma.read(command.segments, command.data) ? Status::Success : Status::DataTransferError;
}

Task<Status> AdminCommands::identify_to_host(NvmeCommand& command) {
  command.take_buffer(kIdentifyBytes);
  std::memset(command.data, 0, kIdentifyBytes);
  const Status status = identify(parts_, command.entry, command.data);
  if (status != Status::Success) co_return status;
  co_return co_await send_data(parts_, command, kIdentifyBytes);
}

Task<Status> AdminCommands::log_page(NvmeCommand& command) {
  const Entry& entry = command.entry;
  const auto number = static_cast<std::uint8_t>(entry.dword10);
  const std::uint64_t dwords = (entry.dword10 >> 16U | std::uint64_t{entry.dword11 & 0xffffU} << 16U) + 1;
  const std::uint64_t offset = entry.dword12 | std::uint64_t{entry.dword13} << 32U;
  const std::uint64_t bytes = dwords * 4;
  if (offset % 4 != 0 || bytes > parts_.config.max_transfer) co_return Status::InvalidField;
  std::vector<std::byte> page;
  Status status = parts_.device.zones().present() ? write_log_page_of_zones(parts_, entry, page)
                                                  : write_log_page(parts_, entry, page);
  if (status != Status::Success) co_return status;
  if (offset >= page.size()) co_return Status::InvalidField;
  // What is behind the end of the page is not defined: zeroes.
  command.take_buffer(bytes);
  std::memset(command.data, 0, bytes);
  std::memcpy(command.data, page.data() + offset, std::min<std::uint64_t>(bytes, page.size() - offset));
  status = co_await send_data(parts_, command, static_cast<std::uint32_t>(bytes));
  if (status != Status::Success) co_return status;
  if ((entry.dword10 & kRetainEvent) == 0) {
    if (number == kChangedNamespacesLog) parts_.namespaces.forget_changes();
    if (number == kChangedZonesLog) parts_.changed_zones.forget();
    parts_.events.log_read(number);
  }
  co_return Status::Success;
}

Status AdminCommands::create_completion_queue(const Entry& entry) {
  const std::uint32_t id = entry.dword10 & 0xffffU;
  const std::uint32_t size = (entry.dword10 >> 16U) + 1;
  const std::uint32_t vector = entry.dword11 >> 16U;
  if (id == 0 || id >= parts_.queues.count() || parts_.queues.completion(id).exists) return Status::InvalidQueueId;
  if (size < 2 || size > parts_.max_entries) return Status::InvalidQueueSize;
  if ((entry.dword11 & kContiguous) == 0) return Status::InvalidField;
  if (entry.pointer1 % parts_.page_bytes != 0) return Status::PrpOffset;
  if (vector >= parts_.interrupts.count()) return Status::InvalidVector;
  parts_.queues.create(parts_.queues.completion(id), entry.pointer1, size, (entry.dword11 & kInterrupts) != 0, vector);
  features_.queues_created();
  return Status::Success;
}

Status AdminCommands::create_submission_queue(const Entry& entry) {
  const std::uint32_t id = entry.dword10 & 0xffffU;
  const std::uint32_t size = (entry.dword10 >> 16U) + 1;
  const std::uint32_t into = entry.dword11 >> 16U;
  const std::uint32_t priority = entry.dword11 >> 1U & 3U;
  if (id == 0 || id >= parts_.queues.count() || parts_.queues.submission(id).exists) return Status::InvalidQueueId;
  if (into == 0 || into >= parts_.queues.count()) return Status::InvalidQueueId;
  if (!parts_.queues.completion(into).exists) return Status::InvalidCompletionQueue;
  if (size < 2 || size > parts_.max_entries) return Status::InvalidQueueSize;
  if ((entry.dword11 & kContiguous) == 0) return Status::InvalidField;
  if (entry.pointer1 % parts_.page_bytes != 0) return Status::PrpOffset;
  parts_.device.classify(id - 1, priority);
  parts_.queues.create(parts_.queues.submission(id), entry.pointer1, size, into);
  features_.queues_created();
  return Status::Success;
}

Task<Status> AdminCommands::delete_submission_queue(NvmeCommand& command) {
  const std::uint32_t id = command.entry.dword10 & 0xffffU;
  if (id == 0 || id >= parts_.queues.count()) co_return Status::InvalidQueueId;
  SubmissionQueue& queue = parts_.queues.submission(id);
  if (!queue.exists || queue.deleting) co_return Status::InvalidQueueId;
  co_await parts_.queues.remove(queue);
  co_return Status::Success;
}

Status AdminCommands::delete_completion_queue(const Entry& entry) {
  const std::uint32_t id = entry.dword10 & 0xffffU;
  if (id == 0 || id >= parts_.queues.count()) return Status::InvalidQueueId;
  CompletionQueue& queue = parts_.queues.completion(id);
  if (!queue.exists) return Status::InvalidQueueId;
  if (queue.users != 0) return Status::InvalidQueueDeletion;
  parts_.queues.remove(queue);
  return Status::Success;
}

// Only asynchronous event requests can be aborted: the device finishes all other commands.
Status AdminCommands::abort(NvmeCommand& command) {
  const auto queue = static_cast<std::uint16_t>(command.entry.dword10);
  const auto id = static_cast<std::uint16_t>(command.entry.dword10 >> 16U);
  const bool aborted = queue == 0 && parts_.events.abort(id);
  command.result = aborted ? 0 : kNotAborted;
  return Status::Success;
}

}  // namespace flashloom::nvme
