// The device's side of a split virtqueue (Virtual I/O Device 1.1, section 2.6) in a guest's memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sc_main/attach/linux/guest_memory.hpp"

namespace flashloom {

class Virtqueue {
 public:
  /// Part of a request in the guest's memory.
  struct Piece {
    std::byte* begin;
    std::uint32_t bytes;
    bool writable;  ///< the device may write to it
  };
  /// A chain of descriptors that the guest has made available.
  struct Chain {
    std::uint16_t head;
    std::uint32_t pieces;
    std::array<Piece, 4> piece;  ///< messages of a PCI device have at most four
  };

  void set_entries(std::uint32_t entries) { entries_ = entries; }
  void set_base(std::uint32_t next) { next_ = static_cast<std::uint16_t>(next); }
  /// Sets the guest-physical addresses of the descriptor table, the used ring and the available ring. False: they are
  /// not in the guest's memory.
  bool place(const GuestMemory& memory, std::uint64_t descriptors, std::uint64_t used, std::uint64_t available);
  bool ready() const { return descriptors_ != nullptr; }

  /// Takes the next chain that the guest has made available. Throws std::runtime_error for an invalid one.
  std::optional<Chain> take(const GuestMemory& memory);
  /// Returns a chain to the guest, with `written` bytes written into it.
  void give_back(const Chain& chain, std::uint32_t written);
  /// Tells the guest not to notify the device of available chains.
  void want_no_kicks();

 private:
  struct Descriptor {
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint16_t flags;
    std::uint16_t next;
  };
  struct UsedEntry {
    std::uint32_t head;
    std::uint32_t written;
  };

  std::uint32_t entries_ = 0;
  std::uint16_t next_ = 0;  // free-running index into the available ring
  std::uint16_t used_next_ = 0;
  Descriptor* descriptors_ = nullptr;
  volatile std::uint16_t* available_ = nullptr;  // flags, index, heads
  volatile std::uint16_t* used_ = nullptr;       // flags, index; then the entries
  UsedEntry* used_entries_ = nullptr;
};

}  // namespace flashloom
