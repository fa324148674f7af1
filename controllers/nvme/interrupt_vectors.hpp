// MSI-X: the table of the vectors, what is pending behind a mask, and the aggregation of completions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "controllers/nvme/dma.hpp"
#include "controllers/nvme/pci_configuration.hpp"
#include "controllers/runtime/task.hpp"

namespace flashloom::nvme {

/// An interrupt is a write of 4 bytes to the memory socket. Its way over the link comes behind that of the completion
/// entry, which the link has charged: `message_time` later.
class InterruptVectors {
 public:
  static constexpr std::uint32_t kTableEntry = 16;  ///< bytes

  InterruptVectors(std::uint32_t count, Picoseconds message_time, const PciConfiguration& pci, Dma& dma,
                   Runtime& runtime, TimerQueue& timers);
  ~InterruptVectors();

  std::uint32_t count() const { return static_cast<std::uint32_t>(vectors_.size()); }
  std::uint32_t table_bytes() const { return count() * kTableEntry; }
  std::uint32_t pending_bytes() const { return (count() + 63) / 64 * 8; }

  /// A half of a table entry or of the pending bits, at `offset` from the begin of the table.
  std::uint32_t read_table(std::uint32_t offset) const;
  void write_table(std::uint32_t offset, std::uint32_t value);
  std::uint32_t read_pending(std::uint32_t offset) const;
  /// Enable or Function Mask may have changed.
  void configuration_written() { send_pending(); }

  /// `threshold` completions of a vector raise an interrupt together, or what there is, `time` after the first. 1, or no
  /// time: each its own.
  void aggregate(std::uint32_t threshold, Picoseconds time);
  /// Not those of this vector.
  void set_aggregated(std::uint32_t vector, bool aggregated);
  bool aggregated(std::uint32_t vector) const;

  /// A completion entry is in the host's memory. `aggregates`: it may wait for others.
  void raise(std::uint32_t vector, bool aggregates);
  /// The controller was reset: nothing is aggregated any more. The table is the function's, and stays.
  void forget();
  /// Power was off.
  void reset();

  std::uint64_t sent() const { return sent_; }

 private:
  struct Vector;

  void mature(Vector& vector);
  void deliver(Vector& vector);
  void send_pending();
  Task<void> send(std::uint64_t address, std::uint32_t data);

  Picoseconds message_time_;
  const PciConfiguration& pci_;
  Dma& dma_;
  Runtime& runtime_;
  TimerQueue& timers_;
  std::vector<std::unique_ptr<Vector>> vectors_;
  std::uint32_t threshold_ = 1;
  Picoseconds time_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace flashloom::nvme
