// Common base of the built-in memories: a TLM-2.0 base-protocol target that models time and energy, and stores nothing.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>

#include "models/common/named_fields.hpp"
#include "models/common/prompt_memory.hpp"
#include "models/common/service_observer.hpp"
#include "models/common/types.hpp"
#include "models/memory/memory_config.hpp"

namespace flashloom {

/// Requests are answered TLM_COMPLETED at once with the completion annotated; a delay annotated by the initiator counts
/// as the time until the request arrives. b_transport waits. Data pointers may be null and are not followed; byte
/// enables are refused, no DMI. A transaction that is not all within the memory gets an address error.
class MemoryTarget : public sc_core::sc_module, public PromptMemory {
 public:
  tlm::tlm_target_socket<> socket;

  struct Counters {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;

    FLASHLOOM_REPORT(reads, writes, read_bytes, write_bytes)
  };
  /// Counters since reset_counters().
  Counters counters() const {
    return {counters_.reads - before_.reads, counters_.writes - before_.writes,
            counters_.read_bytes - before_.read_bytes, counters_.write_bytes - before_.write_bytes};
  }
  /// Resets the counters; wear stays.
  virtual void reset_counters() { before_ = counters_; }
  std::uint64_t size() const { return size_; }

  /// Share of the endurance that is used, for evenly spread writes: bytes written / (size x endurance); 0 if unlimited.
  double wear() const;

  /// Reports each use of the port to `observer`: `what` is 0 for a read, 1 for a write, `amount` bytes.
  void attach(ServiceObserver& observer, std::uint32_t resource) { report_.attach(observer, resource); }

  /// Power is cut now and returns `off_time` later: drops all reservations.
  virtual void drop_all(Picoseconds off_time) = 0;

  /// Books the states of the memory up to `now`; call it before reading energy. Changes no time.
  virtual void settle(Picoseconds /*now*/) {}

 protected:
  /// `kind` is "dram" or "nvram". Throws std::invalid_argument for size 0 and for a refresh that leaves no time.
  MemoryTarget(const sc_core::sc_module_name& name, const MemoryConfig& config, const std::string& kind);

  bool holds(std::uint64_t address, std::uint64_t bytes) const final {
    return address <= size_ && bytes <= size_ - address;
  }
  void count(bool write, std::uint64_t bytes) {
    ++(write ? counters_.writes : counters_.reads);
    (write ? counters_.write_bytes : counters_.read_bytes) += bytes;
  }
  void report(bool write, std::uint64_t bytes, Picoseconds from, Picoseconds to) const {
    report_(write ? 1 : 0, bytes, from, to);
  }

 private:
  std::uint64_t size_;
  std::uint64_t endurance_;
  Counters counters_;
  Counters before_;
  ServiceReport report_;
};

}  // namespace flashloom
