#include "sc_main/attach/linux/virtqueue.hpp"

#include <atomic>
#include <bit>
#include <stdexcept>

namespace flashloom {
namespace {

constexpr std::uint16_t kNextDescriptor = 1;  // VIRTQ_DESC_F_NEXT
constexpr std::uint16_t kDeviceWrites = 2;    // VIRTQ_DESC_F_WRITE
constexpr std::uint16_t kNoNotify = 1;        // VIRTQ_USED_F_NO_NOTIFY
constexpr std::uint32_t kMostEntries = 32768;

static_assert(std::endian::native == std::endian::little, "rings are little-endian, and so are guests");

}  // namespace

bool Virtqueue::place(const GuestMemory& memory, std::uint64_t descriptors, std::uint64_t used,
                      std::uint64_t available) {
  if (entries_ == 0 || entries_ > kMostEntries || !std::has_single_bit(entries_)) return false;
  std::byte* const table = memory.at(descriptors, sizeof(Descriptor) * entries_);
  std::byte* const heads = memory.at(available, 4 + 2 * std::uint64_t{entries_});
  std::byte* const done = memory.at(used, 4 + sizeof(UsedEntry) * entries_);
  if (table == nullptr || heads == nullptr || done == nullptr) return false;
  descriptors_ = reinterpret_cast<Descriptor*>(table);
  available_ = reinterpret_cast<volatile std::uint16_t*>(heads);
  used_ = reinterpret_cast<volatile std::uint16_t*>(done);
  used_entries_ = reinterpret_cast<UsedEntry*>(done + 4);
  used_next_ = next_;
  return true;
}

std::optional<Virtqueue::Chain> Virtqueue::take(const GuestMemory& memory) {
  if (!ready() || available_[1] == next_) return std::nullopt;
  std::atomic_thread_fence(std::memory_order_acquire);
  Chain chain{.head = available_[2 + next_ % entries_], .pieces = 0, .piece = {}};
  ++next_;
  for (std::uint16_t at = chain.head;;) {
    if (at >= entries_ || chain.pieces == chain.piece.size()) throw std::runtime_error("a broken chain in a virtqueue");
    const Descriptor descriptor = descriptors_[at];
    std::byte* const begin = memory.at(descriptor.address, descriptor.bytes);
    if (begin == nullptr) throw std::runtime_error("a virtqueue points outside of the guest's memory");
    chain.piece[chain.pieces++] = {begin, descriptor.bytes, (descriptor.flags & kDeviceWrites) != 0};
    if ((descriptor.flags & kNextDescriptor) == 0) return chain;
    at = descriptor.next;
  }
}

void Virtqueue::give_back(const Chain& chain, std::uint32_t written) {
  used_entries_[used_next_ % entries_] = {chain.head, written};
  std::atomic_thread_fence(std::memory_order_release);
  used_[1] = ++used_next_;
}

void Virtqueue::want_no_kicks() { used_[0] = kNoNotify; }

}  // namespace flashloom
