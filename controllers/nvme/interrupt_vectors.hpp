// MSI-X: the vector table, pending bits of masked vectors, and interrupt coalescing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "controllers/nvme/dma.hpp"
#include "controllers/nvme/pci_configuration.hpp"
#include "controllers/runtime/task.hpp"

namespace flashloom::nvme {

/// An interrupt is a write of 4 bytes to the memory socket, `message_time` after the completion entry, whose transfer
/// the link has charged.
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

  /// A vector's interrupt is raised for `threshold` completions, or `time` after the first of them. Threshold 1 or time
  /// 0: one interrupt for each completion.
  void aggregate(std::uint32_t threshold, Picoseconds time);
  /// Enables or disables coalescing for this vector.
  void set_aggregated(std::uint32_t vector, bool aggregated);
  bool aggregated(std::uint32_t vector) const;

  /// In place of messages calls `raise` with a vector's number. Addresses and data of the table then mean nothing.
  void raise_by(std::function<void(std::uint32_t)> raise) { raise_ = std::move(raise); }
  /// Sets the mask bit of a table entry.
  void mask(std::uint32_t vector, bool masked);
  /// No interrupt is on its way or waits for more completions.
  bool idle() const;

  /// A completion entry is in host memory. `aggregates`: its interrupt may wait for others.
  void raise(std::uint32_t vector, bool aggregates);
  /// The controller was reset: drops waiting completions. The table belongs to the PCI function, and stays.
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
  std::uint32_t on_link_ = 0;  // messages
  std::function<void(std::uint32_t)> raise_;
};

}  // namespace flashloom::nvme
