// The device's side of a split virtqueue (Virtual I/O Device 1.1, section 2.6) in a guest's memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sc_main/linux/guest_memory.hpp"

namespace flashloom {

class Virtqueue {
 public:
  /// Part of a request in the guest's memory.
  struct Piece {
    std::byte* begin;
    std::uint32_t bytes;
    bool writable;  ///< by the device
  };
  /// A chain of descriptors: what the guest has made available.
  struct Chain {
    std::uint16_t head;
    std::uint32_t pieces;
    std::array<Piece, 4> piece;  ///< no message of a PCI device has more
  };

  void set_entries(std::uint32_t entries) { entries_ = entries; }
  void set_base(std::uint32_t next) { next_ = static_cast<std::uint16_t>(next); }
  /// Guest-physical addresses of the descriptor table, the used ring and the available ring. False: they do not lie in
  /// the guest's memory.
  bool place(const GuestMemory& memory, std::uint64_t descriptors, std::uint64_t used, std::uint64_t available);
  bool ready() const { return descriptors_ != nullptr; }

  /// The next chain that the guest has made available. Throws std::runtime_error for one that breaks the rules.
  std::optional<Chain> take(const GuestMemory& memory);
  /// Gives a chain back, with so many bytes written into it.
  void give_back(const Chain& chain, std::uint32_t written);
  /// The guest need not say when it makes something available.
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
  std::uint16_t next_ = 0;  // of the available ring, counted on
  std::uint16_t used_next_ = 0;
  Descriptor* descriptors_ = nullptr;
  volatile std::uint16_t* available_ = nullptr;  // flags, index, heads
  volatile std::uint16_t* used_ = nullptr;       // flags, index; behind them the entries
  UsedEntry* used_entries_ = nullptr;
};

}  // namespace flashloom
