#include "controllers/nvme/data_pointer.hpp"

#include <algorithm>
#include <limits>

#include "controllers/nvme/little_endian.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::uint32_t kPointer = 8;               // bytes of a PRP entry
constexpr std::uint32_t kDescriptor = 16;           // and of an SGL descriptor
constexpr std::uint32_t kDescriptorsAtMost = 8192;  // of one command at most: a chain that bites its tail has an end
constexpr std::uint32_t kSegmentPart = 256;         // descriptors read together

enum DescriptorType : std::uint8_t { kDataBlock = 0, kBitBucket = 1, kSegment = 2, kLastSegment = 3 };

void add(std::vector<Segment>& segments, std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!segments.empty() && segments.back().address != Segment::kNowhere && address != Segment::kNowhere &&
      segments.back().address + segments.back().bytes == address && segments.back().bytes + bytes <= kMost) {
    segments.back().bytes += static_cast<std::uint32_t>(bytes);
    return;
  }
  segments.push_back({address, static_cast<std::uint32_t>(bytes)});
}

// What PRP entry 2 and the lists say of `left` bytes.
Task<Status> walk_list(ControllerParts& parts, NvmeCommand& command, std::uint64_t left) {
  const std::uint64_t page = parts.page_bytes;
  std::uint64_t list = command.entry.pointer2;
  if (list % kPointer != 0) co_return Status::PrpOffset;
  command.list.resize(std::max<std::size_t>(command.list.size(), page));
  while (left != 0) {
    const std::uint64_t room = (page - list % page) / kPointer;
    const std::uint64_t pages = (left + page - 1) / page;
    const std::uint64_t entries = std::min(room, pages);
    const auto bytes = static_cast<std::uint32_t>(entries * kPointer);
    if (!co_await parts.dma.read(list, command.list.data(), bytes)) co_return Status::DataTransferError;
    const bool chains = pages > room;  // then the last entry points to the next list
    for (std::uint64_t i = 0; i < entries - (chains ? 1 : 0); ++i) {
      const auto entry = get_field<std::uint64_t>(command.list.data(), i * kPointer);
      if (entry % page != 0) co_return Status::PrpOffset;
      const std::uint64_t here = std::min(left, page);
      add(command.segments, entry, here);
      left -= here;
    }
    if (!chains) break;
    list = get_field<std::uint64_t>(command.list.data(), (entries - 1) * kPointer);
    if (list % page != 0) co_return Status::PrpOffset;
  }
  co_return Status::Success;
}

// Takes what the descriptor means of the data.
Status take_descriptor(NvmeCommand& command, const std::byte* descriptor, std::uint64_t& left, bool to_host) {
  const auto address = get_field<std::uint64_t>(descriptor, 0);
  const std::uint64_t length = get_field<std::uint32_t>(descriptor, 8);
  const auto identifier = get_field<std::uint8_t>(descriptor, 15);
  if ((identifier & 0xfU) != 0)
    return Status::SglTypeInvalid;  // an offset into a buffer of the controller: there is none
  const std::uint64_t here = std::min(left, length);
  switch (identifier >> 4U) {
    case kDataBlock:
      if (here != 0) add(command.segments, address, here);
      left -= here;
      return Status::Success;
    case kBitBucket:
      if (!to_host) return Status::Success;  // its length counts as 0
      if (here != 0) command.segments.push_back({Segment::kNowhere, static_cast<std::uint32_t>(here)});
      left -= here;
      return Status::Success;
    default:
      return Status::SglTypeInvalid;
  }
}

Task<Status> walk_segments(ControllerParts& parts, NvmeCommand& command, std::uint64_t left, bool to_host) {
  std::uint64_t segment = command.entry.pointer1;
  auto bytes = static_cast<std::uint32_t>(command.entry.pointer2);
  bool last = command.entry.pointer2 >> 60U == kLastSegment;
  std::uint32_t seen = 0;
  command.list.resize(std::max<std::size_t>(command.list.size(), std::size_t{kSegmentPart} * kDescriptor));
  for (;;) {
    if (bytes == 0 || bytes % kDescriptor != 0) co_return Status::InvalidSglSegment;
    seen += bytes / kDescriptor;
    if (seen > kDescriptorsAtMost) co_return Status::InvalidSglCount;
    bool chained = false;
    while (bytes != 0 && !chained) {
      const std::uint32_t here = std::min(bytes, kSegmentPart * kDescriptor);
      if (!co_await parts.dma.read(segment, command.list.data(), here)) co_return Status::DataTransferError;
      segment += here;
      bytes -= here;
      for (std::uint32_t at = 0; at < here; at += kDescriptor) {
        const std::byte* const descriptor = command.list.data() + at;
        const unsigned type = get_field<std::uint8_t>(descriptor, 15) >> 4U;
        if (type != kSegment && type != kLastSegment) {
          const Status status = take_descriptor(command, descriptor, left, to_host);
          if (status != Status::Success) co_return status;
          continue;
        }
        // Only the last descriptor of a segment, and none of the last one, points to another.
        if (last || bytes != 0 || at + kDescriptor != here) co_return Status::InvalidSglSegment;
        segment = get_field<std::uint64_t>(descriptor, 0);
        bytes = get_field<std::uint32_t>(descriptor, 8);
        last = type == kLastSegment;
        chained = true;
        break;
      }
    }
    if (!chained) co_return left == 0 ? Status::Success : Status::DataSglLength;
  }
}

}  // namespace

Task<Status> find_data(ControllerParts& parts, NvmeCommand& command, std::uint64_t bytes, bool to_host) {
  command.segments.clear();
  const Entry& entry = command.entry;
  std::uint64_t left = bytes;
  if (left == 0) co_return Status::Success;
  if (entry.data_transfer() == 0) {
    const std::uint64_t page = parts.page_bytes;
    if (entry.pointer1 % 4 != 0) co_return Status::PrpOffset;
    const std::uint64_t first = std::min(left, page - entry.pointer1 % page);
    add(command.segments, entry.pointer1, first);
    left -= first;
    if (left == 0) co_return Status::Success;
    if (left > page) co_return co_await walk_list(parts, command, left);
    if (entry.pointer2 % page != 0) co_return Status::PrpOffset;
    add(command.segments, entry.pointer2, left);
    co_return Status::Success;
  }
  // Admin commands have PRPs; there is no metadata that a segment could point to (PSDT 2 differs in that alone).
  if (command.from->id == 0 || entry.data_transfer() == 3) co_return Status::InvalidField;
  const unsigned type = entry.pointer2 >> 60U;
  if (type == kSegment || type == kLastSegment) {
    if ((entry.pointer2 >> 56U & 0xfU) != 0) co_return Status::SglTypeInvalid;
    co_return co_await walk_segments(parts, command, left, to_host);
  }
  std::byte descriptor[kDescriptor];
  put(descriptor, 0, entry.pointer1);
  put(descriptor, 8, entry.pointer2);
  const Status status = take_descriptor(command, descriptor, left, to_host);
  if (status != Status::Success) co_return status;
  co_return left == 0 ? Status::Success : Status::DataSglLength;
}

}  // namespace flashloom::nvme
