#include "sc_main/attach/linux/vhost_user.hpp"

#include <stdexcept>

namespace flashloom {
namespace {

// Requests of the guest.
constexpr std::uint32_t kGetFeatures = 1;
constexpr std::uint32_t kSetFeatures = 2;
constexpr std::uint32_t kSetOwner = 3;
constexpr std::uint32_t kSetMemoryTable = 5;
constexpr std::uint32_t kSetQueueEntries = 8;
constexpr std::uint32_t kSetQueueAddress = 9;
constexpr std::uint32_t kSetQueueBase = 10;
constexpr std::uint32_t kGetProtocolFeatures = 15;
constexpr std::uint32_t kSetProtocolFeatures = 16;
constexpr std::uint32_t kSetQueueEnable = 18;
constexpr std::uint32_t kSetCallDescriptor = 21;
constexpr std::uint32_t kKick = 35;
// Requests of the device.
constexpr std::uint32_t kCall = 4;

constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kReply = 4;
constexpr std::uint32_t kNeedReply = 8;

constexpr std::uint64_t kFeatures = std::uint64_t{1} << 32 | std::uint64_t{1} << 30;  // VERSION_1, PROTOCOL_FEATURES
constexpr std::uint64_t kProtocolFeatures = 1 << 3 | 1 << 5 | 1 << 14;  // REPLY_ACK, SLAVE_REQ, INBAND_NOTIFICATIONS

constexpr std::size_t kMostRegions = 2;

}  // namespace

struct VhostUser::Header {
  std::uint32_t request;
  std::uint32_t flags;
  std::uint32_t bytes;
};

struct VhostUser::Message {
  struct Region {
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint64_t user_address;
    std::uint64_t offset;
  };
  union {
    std::uint64_t value;
    struct {
      std::uint32_t queue;
      std::uint32_t number;
    } state;
    struct {
      std::uint32_t queue;
      std::uint32_t flags;
      std::uint64_t descriptors;
      std::uint64_t used;
      std::uint64_t available;
      std::uint64_t log;
    } address;
    struct {
      std::uint32_t regions;
      std::uint32_t padding;
      std::array<Region, kMostRegions> region;
    } memory;
    std::array<std::byte, 512> all;
  };
};

void VhostUser::answer(const Header& header, std::uint64_t value) {
  struct __attribute__((packed)) {
    Header header;
    std::uint64_t value;
  } const reply{{header.request, kVersion | kReply, sizeof value}, value};
  write_whole(guest_.number(), &reply, sizeof reply);
}

Virtqueue& VhostUser::queue_of(std::uint32_t number) {
  if (number >= kQueues) throw std::runtime_error("vhost-user: the guest speaks of queue " + std::to_string(number));
  return queues_[number];
}

void VhostUser::map_memory(const Message& message, std::vector<FileDescriptor>& files) {
  const std::uint32_t regions = message.memory.regions;
  if (regions > kMostRegions || regions > files.size())
    throw std::runtime_error("vhost-user: " + std::to_string(regions) + " regions of memory");
  memory_.unmap();
  for (std::uint32_t i = 0; i < regions; ++i) {
    const Message::Region& region = message.memory.region[i];
    memory_.map(files[i], region.address, region.bytes, region.offset);
    if (i == 0) user_offset_ = region.user_address - region.address;
  }
}

std::uint64_t VhostUser::guest_address(std::uint64_t user_address) const { return user_address - user_offset_; }

VhostUser::Event VhostUser::receive() {
  Header header{};
  Message message{};
  std::vector<FileDescriptor> files;
  if (!read_whole(guest_.number(), &header, sizeof header, files)) return Event::Gone;
  if (header.bytes > sizeof message.all) throw std::runtime_error("vhost-user: a message that is too long");
  if (!read_whole(guest_.number(), &message, header.bytes)) return Event::Gone;
  switch (header.request) {
    case kGetFeatures:
      answer(header, kFeatures);
      return Event::Nothing;
    case kGetProtocolFeatures:
      answer(header, kProtocolFeatures);
      return Event::Nothing;
    case kSetOwner:
    case kSetFeatures:
    case kSetProtocolFeatures:
    case kSetQueueEnable:
      break;
    case kSetCallDescriptor:
      if (files.empty()) throw std::runtime_error("vhost-user: no socket for interrupts");
      calls_ = std::move(files.front());
      break;
    case kSetMemoryTable:
      map_memory(message, files);
      break;
    case kSetQueueEntries:
      queue_of(message.state.queue).set_entries(message.state.number);
      break;
    case kSetQueueBase:
      queue_of(message.state.queue).set_base(message.state.number);
      break;
    case kSetQueueAddress:
      if (!queue_of(message.address.queue)
               .place(memory_, guest_address(message.address.descriptors), guest_address(message.address.used),
                      guest_address(message.address.available)))
        throw std::runtime_error("vhost-user: a queue that does not lie in the guest's memory");
      break;
    case kKick:
      if ((header.flags & kNeedReply) == 0) throw std::runtime_error("vhost-user: a kick that wants no answer");
      return Event::Kick;
    default:
      throw std::runtime_error("vhost-user: request " + std::to_string(header.request) + " is not known");
  }
  if ((header.flags & kNeedReply) != 0) answer(header, 0);
  return Event::Nothing;
}

void VhostUser::answer_kick() { answer({kKick, 0, 0}, 0); }

bool VhostUser::call(std::uint32_t queues) {
  struct __attribute__((packed)) Call {
    Header header;
    std::uint32_t queue;
    std::uint32_t number;
  };
  std::array<Call, kQueues> calls;
  std::size_t count = 0;
  for (std::uint32_t queue = 0; queue < kQueues; ++queue)
    if ((queues >> queue & 1) != 0) calls[count++] = {{kCall, kVersion | kNeedReply, 8}, queue, 0};
  unanswered_ = static_cast<std::uint32_t>(count);
  return write_whole(calls_.number(), calls.data(), count * sizeof(Call));
}

bool VhostUser::answered() {
  for (; unanswered_ != 0; --unanswered_) {
    struct __attribute__((packed)) {
      Header header;
      std::uint64_t value;
    } reply{};
    if (!read_whole(calls_.number(), &reply, sizeof reply)) return false;
  }
  return true;
}

}  // namespace flashloom
