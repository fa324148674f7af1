// The hardware as firmware sees it: cores, memories, link and flash, on one of two clocks. On the *instant* clock every
// operation completes at once; on the *timed* clock it takes simulated time through the TLM sockets. The same firmware
// runs on both.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "controllers/flash/flash_port.hpp"
#include "controllers/hardware/dram_layout.hpp"
#include "controllers/runtime/runtime.hpp"
#include "models/common/timer_queue.hpp"
#include "models/common/types.hpp"
#include "models/cpu/arm_cores.hpp"
#include "models/link/link_config.hpp"
#include "models/memory/memory_port.hpp"

namespace flashloom {

/// The parts behind a timed clock. Null ports are not fitted: access to them is free.
struct TimedParts {
  FlashPort* flash = nullptr;
  TimerQueue* timers = nullptr;
  ArmCores* cores = nullptr;
  MemoryPort* dram = nullptr;  ///< or the SRAM of a controller without one
  MemoryPort* nvram = nullptr;
  MemoryPort* map = nullptr;     ///< `dram` or `nvram`: the memory that holds the map
  MemoryPort* buffer = nullptr;  ///< `dram` or `nvram`: the memory that holds the data buffer
  MemoryPort* link = nullptr;    ///< host memory, behind the link
  DramLayout* layout = nullptr;  ///< of a DRAM whose timing depends on addresses; null: all addresses are 0
  bool at_once = false;          ///< all memories return their delay from the call, without a later completion
};

/// Bytes of memory traffic for one map entry: a burst.
inline constexpr std::uint32_t kMapBurst = 64;

class Compressor;
class DriveFaults;
class FdpEvents;
class HostMemoryBuffer;

class Hardware {
 public:
  explicit Hardware(FlashPort& instant_flash) : flash_(&instant_flash), instant_flash_(instant_flash) {}

  /// Changes the clock. Only when no firmware coroutine is under way.
  void use_timed(const TimedParts& parts) {
    parts_ = parts;
    flash_ = parts.flash;
    timed_ = true;
  }
  void use_instant() {
    parts_ = {};
    flash_ = &instant_flash_;
    timed_ = false;
  }
  bool timed() const { return timed_; }
  Picoseconds now() const { return timed_ ? kernel_now() : 0; }
  FlashPort& flash() { return *flash_; }
  /// Makes the drive inject faults. Called before the firmware is constructed; `faults` outlives the firmware.
  void inject(DriveFaults& faults) { faults_ = &faults; }
  /// Null: the drive injects no faults.
  DriveFaults* faults() const { return faults_; }
  /// Sets the log of FDP events. Called before the firmware is constructed; `events` outlives the firmware.
  void attach(FdpEvents& events) { fdp_events_ = &events; }
  /// Null: there is no such log.
  FdpEvents* fdp_events() const { return fdp_events_; }
  /// Sets the host memory buffer. Called before the firmware is constructed; `buffer` outlives the firmware.
  void attach(HostMemoryBuffer& buffer) { host_memory_ = &buffer; }
  /// Null: the host lends no memory.
  HostMemoryBuffer* host_memory() const { return host_memory_; }
  /// Compresses data before they are programmed. Called before the firmware is constructed; `compressor` outlives it.
  void attach(Compressor& compressor) { compressor_ = &compressor; }
  /// Null: data are not compressed.
  Compressor* compressor() const { return compressor_; }

  /// Waits until `at`.
  class TimerAwaiter final : public Timer {
   public:
    TimerAwaiter(Hardware& hardware, Picoseconds at) : hardware_(hardware), at_(at) {}
    bool await_ready() const { return !hardware_.timed_ || at_ <= kernel_now(); }
    void await_suspend(std::coroutine_handle<> waiter) {
      waiter_ = waiter;
      runtime_ = &Runtime::current();
      hardware_.parts_.timers->schedule(*this, at_);
    }
    void await_resume() const noexcept {}
    void on_timer() override { runtime_->wake(waiter_); }

   private:
    Hardware& hardware_;
    Picoseconds at_;
    std::coroutine_handle<> waiter_{};
    Runtime* runtime_ = nullptr;
  };
  TimerAwaiter until(Picoseconds at) { return TimerAwaiter(*this, at); }

  /// Firmware steps as one piece of work of a core.
  struct Steps {
    FirmwareStep step;
    FirmwareStep also = FirmwareStep::Count;  ///< Count: nothing
    std::uint32_t key = 0;
    Picoseconds duration = 0;
    Picoseconds arrival = 0;
  };

  /// Work of a core under way. Derived::over() is called at its end.
  template <class Derived>
  class CoreWork : public Timer {
   public:
    void on_timer() final {
      if (hardware_->parts_.cores->finished(job_))
        static_cast<Derived*>(this)->over();
      else
        hardware_->parts_.timers->schedule(*this, job_.end);  // other work has delayed its end
    }

    /// False: the steps take no time.
    bool begin(Hardware& hardware, const Steps& steps) {
      const Picoseconds now = kernel_now();
      if (!hardware.timed_ || (steps.duration == 0 && steps.arrival <= now)) return false;
      hardware_ = &hardware;
      hardware.parts_.timers->schedule(
          *this, hardware.parts_.cores->announce_work(job_, steps.step, steps.duration, std::max(steps.arrival, now),
                                                      steps.also, steps.key));
      return true;
    }

   protected:
    ~CoreWork() = default;

   private:
    Hardware* hardware_ = nullptr;
    ArmCores::Job job_{};
  };
  /// Work that no coroutine waits for: `n` times `step` and `m` times `also`, not before `arrival` (0 = now). False: it
  /// takes no time, so that over() will not be called.
  template <class Derived>
  bool begin(CoreWork<Derived>& work, FirmwareStep step, std::uint32_t n, FirmwareStep also, std::uint32_t m,
             Picoseconds arrival, std::uint32_t key) {
    return work.begin(*this, steps(step, n, also, m, arrival, key));
  }

  /// Runs work on a core: waits for the work's arrival, then for the core, then for its cycles.
  class CpuAwaiter final : public CoreWork<CpuAwaiter> {
   public:
    CpuAwaiter(Hardware& hardware, const Steps& steps) : of_(hardware), steps_(steps) {}
    bool await_ready() { return !begin(of_, steps_); }
    void await_suspend(std::coroutine_handle<> waiter) {
      waiter_ = waiter;
      runtime_ = &Runtime::current();
    }
    void await_resume() const noexcept {}
    void over() { runtime_->wake(waiter_); }

   private:
    Hardware& of_;
    Steps steps_;
    std::coroutine_handle<> waiter_{};
    Runtime* runtime_ = nullptr;
  };
  /// `n` times `step`, on the core of that step, from `arrival` on (0 = now). Where a step has several cores
  /// (cpu.host_cores, ...), `key` may choose between them: the queue of a host command, a logical unit, a die.
  CpuAwaiter cpu(FirmwareStep step, std::uint32_t n = 1, Picoseconds arrival = 0, std::uint32_t key = 0) {
    return CpuAwaiter(*this, {.step = step, .key = key, .duration = duration(step, n), .arrival = arrival});
  }
  /// Two steps as one piece of work on the core of the first.
  CpuAwaiter cpu(FirmwareStep step, std::uint32_t n, FirmwareStep also, std::uint32_t m, Picoseconds arrival = 0,
                 std::uint32_t key = 0) {
    return CpuAwaiter(*this, steps(step, n, also, m, arrival, key));
  }

  /// Queues work that nobody waits for behind the present work of its core; returns the time at which it ends, which is
  /// final.
  Picoseconds charge(FirmwareStep step, std::uint32_t n = 1, std::uint32_t key = 0) {
    return timed_ ? parts_.cores->reserve(step, n, key) : 0;
  }

  /// Moves bytes to or from a memory, beginning at `from`; yields the instant at which the move ends. It does not wait
  /// for that instant if the memory returns its delay from the call, as all memories of this model do.
  class MoveAwaiter {
   public:
    /// `at_once`: see TimedParts. A move through a null port, or of 0 bytes, takes no time.
    MoveAwaiter(bool at_once, MemoryPort* port, bool write, std::uint64_t bytes, Picoseconds from,
                std::uint64_t address = 0)
        : port_(bytes == 0 ? nullptr : port),
          at_(from),
          address_(address),
          bytes_(static_cast<std::uint32_t>(bytes)),
          write_(write),
          at_once_(at_once) {}
    bool await_ready() { return ends_at_once() || begin(*std::construct_at(&access_)); }
    void await_suspend(std::coroutine_handle<> waiter) {
      access_.waiter = waiter;
      access_.runtime = &Runtime::current();
    }
    Picoseconds await_resume() const {
      if (at_once_ || port_ == nullptr) [[likely]]
        return at_;
      return end_of(access_);
    }

   private:
    friend class Hardware;

    struct Access final : MemoryAccess {
      void on_complete() override { runtime->wake(waiter); }
      std::coroutine_handle<> waiter{};
      Runtime* runtime = nullptr;
    };
    /// True: the move ends at at_, without a later completion.
    bool ends_at_once() {
      if (port_ == nullptr) return true;
      if (!at_once_) [[unlikely]]
        return false;
      at_ = port_->at_once(write_, address_, bytes_, at_);
      return true;
    }
    /// Called if ends_at_once() is false. True: the move ends at access.at; false: access.on_complete() will be called.
    bool begin(MemoryAccess& access) const {
      access.write = write_;
      access.address = address_;
      access.bytes = bytes_;
      access.at = at_;
      return port_->access(access);
    }
    static Picoseconds end_of(const MemoryAccess& access) {
      if (!access.ok()) [[unlikely]]
        throw std::logic_error("a memory refused an access of the firmware");
      return access.at;
    }

    MemoryPort* port_;  // null: nothing to do
    Picoseconds at_;
    std::uint64_t address_;
    std::uint32_t bytes_;
    bool write_;
    bool at_once_;
    union {
      char none_ = 0;
      Access access_;  // constructed only when needed, so that most moves do not touch this memory of the frame
    };
  };

  /// Whether all memories answer moves from the call: then end_of() moves, and returns the end.
  bool moves_at_once() const { return parts_.at_once; }
  static Picoseconds end_of(MoveAwaiter&& move) {
    move.ends_at_once();
    return move.at_;
  }

  /// A move that no coroutine waits for. If the memory completes it later, Derived::moved() is called then, while no
  /// coroutine runs.
  template <class Derived>
  class MoveWork {
   public:
    /// True: moved() will be called. False: the end of the move is known, and `end` is raised to it.
    bool move(MoveAwaiter&& what, Picoseconds& end) {
      if (!what.ends_at_once()) [[unlikely]] {
        end_ = &end;
        if (!what.begin(access_)) return true;
        what.at_ = MoveAwaiter::end_of(access_);
      }
      end = std::max(end, what.at_);
      return false;
    }

   protected:
    ~MoveWork() = default;
    /// moved() calls this first. Throws std::logic_error if the memory has refused the move.
    void note_moved() { *end_ = std::max(*end_, MoveAwaiter::end_of(access_)); }

   private:
    struct Access final : MemoryAccess {
      explicit Access(MoveWork& owner) : of(owner) {}
      void on_complete() override { static_cast<Derived&>(of).moved(); }
      MoveWork& of;
    };

    Picoseconds* end_ = nullptr;
    Access access_{*this};
  };

  MoveAwaiter dram_read(std::uint64_t bytes, Picoseconds from = 0, std::uint64_t address = 0) {
    return {parts_.at_once, parts_.dram, false, bytes, from, address};
  }
  MoveAwaiter dram_write(std::uint64_t bytes, Picoseconds from = 0, std::uint64_t address = 0) {
    return {parts_.at_once, parts_.dram, true, bytes, from, address};
  }
  MoveAwaiter nvram_read(std::uint64_t bytes, Picoseconds from = 0) {
    return {parts_.at_once, parts_.nvram, false, bytes, from};
  }
  MoveAwaiter nvram_write(std::uint64_t bytes, Picoseconds from = 0) {
    return {parts_.at_once, parts_.nvram, true, bytes, from};
  }
  MoveAwaiter buffer_read(std::uint64_t bytes, Picoseconds from, std::uint64_t address) {
    return {parts_.at_once, parts_.buffer, false, bytes, from, address};
  }
  MoveAwaiter buffer_write(std::uint64_t bytes, Picoseconds from, std::uint64_t address) {
    return {parts_.at_once, parts_.buffer, true, bytes, from, address};
  }
  /// Reads or writes `entries` map entries from that of `unit` on, each as a burst of the memory that holds the map.
  MoveAwaiter map_read(std::uint32_t entries, std::uint32_t unit) {
    return {parts_.at_once, parts_.map, false, std::uint64_t{entries} * kMapBurst, 0, map_address(unit, entries)};
  }
  MoveAwaiter map_write(std::uint32_t entries, std::uint32_t unit) {
    return {parts_.at_once, parts_.map, true, std::uint64_t{entries} * kMapBurst, 0, map_address(unit, entries)};
  }
  /// Whether the timing of the DRAM depends on addresses: then each contiguous piece is a move of its own.
  bool addressed() const { return parts_.layout != nullptr; }
  /// DRAM addresses (DramLayout; 0 if timing does not depend on them): of the buffered data of host byte `offset`; of
  /// staging memory for `bytes`.
  std::uint64_t buffer_address(std::uint64_t offset, std::uint64_t bytes) const {
    return parts_.layout == nullptr ? 0 : parts_.layout->buffer(offset, bytes);
  }
  std::uint64_t staging_address(std::uint64_t bytes) {
    return parts_.layout == nullptr ? 0 : parts_.layout->staging(bytes);
  }
  /// Host memory to device: commands, lists; or the data of writes.
  MoveAwaiter from_host(std::uint64_t bytes, Picoseconds from = 0) {
    return {parts_.at_once, parts_.link, false, bytes, from};
  }
  MoveAwaiter data_from_host(std::uint64_t bytes, Picoseconds from = 0) {
    return {parts_.at_once, parts_.link, false, bytes, from, kHostData};
  }
  /// Device to host memory: completions; or the data of reads.
  MoveAwaiter to_host(std::uint64_t bytes, Picoseconds from = 0) {
    return {parts_.at_once, parts_.link, true, bytes, from};
  }
  MoveAwaiter data_to_host(std::uint64_t bytes, Picoseconds from = 0) {
    return {parts_.at_once, parts_.link, true, bytes, from, kHostData};
  }

 private:
  Picoseconds duration(FirmwareStep step, std::uint32_t n) const {
    return timed_ ? parts_.cores->duration(step, n) : 0;
  }
  Steps steps(FirmwareStep step, std::uint32_t n, FirmwareStep also, std::uint32_t m, Picoseconds arrival,
              std::uint32_t key) const {
    const Picoseconds second = duration(also, m);
    return {.step = step,
            .also = second == 0 ? FirmwareStep::Count : also,
            .key = key,
            .duration = duration(step, n) + second,
            .arrival = arrival};
  }
  std::uint64_t map_address(std::uint32_t unit, std::uint32_t entries) const {
    return parts_.layout == nullptr ? 0 : parts_.layout->map_entry(unit, std::uint64_t{entries} * kMapBurst);
  }

  FlashPort* flash_;
  FlashPort& instant_flash_;
  TimedParts parts_;
  bool timed_ = false;
  DriveFaults* faults_ = nullptr;
  FdpEvents* fdp_events_ = nullptr;
  HostMemoryBuffer* host_memory_ = nullptr;
  Compressor* compressor_ = nullptr;
};

}  // namespace flashloom
