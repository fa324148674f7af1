// Initiator side of the memory socket: firmware's access to DRAM, NVRAM and host memory, built-in or foreign.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/prompt_memory.hpp"
#include "models/common/timer_queue.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// One transaction; owned by the caller until it is complete.
class MemoryAccess {
 public:
  bool write = false;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::byte* data = nullptr;  ///< `bytes` bytes, for a memory that stores; null: timing only
  Picoseconds at = 0;         ///< in: arrival instant, now if that is past; out: completion instant
  tlm::tlm_response_status response = tlm::TLM_INCOMPLETE_RESPONSE;

  bool ok() const { return response == tlm::TLM_OK_RESPONSE; }
  /// Called at completion, with `response` set; only after access() returned false. May issue accesses.
  virtual void on_complete() = 0;

  MemoryAccess* next = nullptr;  ///< for the port: the next waiting access

 protected:
  ~MemoryAccess() = default;
};

/// Speaks TLM-2.0's base protocol with any memory: one that answers TLM_COMPLETED (the built-in ones: no event), and
/// one that answers in phases. Observes the request exclusion rule: while a target withholds END_REQ, accesses queue
/// here. Payloads are pooled; at_once() is timing only: its data pointers are null, and a PromptMemory directly behind
/// the socket is called without a payload.
class MemoryPort : public sc_core::sc_module, private tlm::tlm_bw_transport_if<>, private tlm::tlm_mm_interface {
 public:
  explicit MemoryPort(const sc_core::sc_module_name& name);
  ~MemoryPort() override;

  tlm::tlm_initiator_socket<> socket;

  /// Issues `access`. True: it completes at access.at, now or later. False: access.on_complete() will be called.
  bool access(MemoryAccess& access);

  /// For memories that answer at once: completion instant of an access that arrives at `at` (now if that is past).
  /// Reports an error (SC_REPORT_ERROR, an exception by default) on an error response, or if the memory answers in
  /// phases.
  Picoseconds at_once(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds at) {
    if (prompt_ != nullptr) [[likely]] {
      const Picoseconds end = prompt_->serve(write, address, bytes, std::max(at, kernel_now()));
      if (end != kNever) [[likely]]
        return end;
    }
    return transact(write, address, bytes, at);
  }
  /// Same, with times relative to now.
  Picoseconds access(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds delay = 0) {
    const Picoseconds now = kernel_now();
    return at_once(write, address, bytes, now + delay) - now;
  }

  /// Power cut: drops all accesses; the target's answers to them are still accepted, but not reported. Call it while
  /// their data exist: a target that has not answered goes on with a copy.
  void drop_all();

  /// Transactions that the target has not finished.
  std::size_t outstanding() const { return payloads_.size() - free_.size() - (kept_ != nullptr ? 1 : 0); }

 private:
  class Payload final : public tlm::tlm_generic_payload, public Timer {
   public:
    explicit Payload(MemoryPort& port) : tlm::tlm_generic_payload(&port), port_(&port) {}
    void on_timer() override { port_->respond(*this); }
    void drop();
    MemoryAccess* access = nullptr;  ///< null once dropped, or answered at once
    bool end_response = false;       ///< the target waits for END_RESP

   private:
    MemoryPort* port_;
    std::vector<unsigned char> copy_;  // of a dropped access' data
  };
  class RequestTimer final : public Timer {
   public:
    explicit RequestTimer(MemoryPort& port) : port_(&port) {}
    void on_timer() override { port_->request_done(); }

   private:
    MemoryPort* port_;
  };
  enum class Sent { AtOnce, Later };

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;
  void free(tlm::tlm_generic_payload* transaction) override;

  Picoseconds transact(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds at);
  Payload& pooled();
  [[gnu::always_inline]] inline Payload& take(bool write, std::uint64_t address, std::uint32_t bytes);
  void keep(Payload& payload);
  [[gnu::cold]] static void report(const Payload& payload, bool at_once);
  Sent send(MemoryAccess& access);
  void end_request(Payload& payload, Picoseconds after);
  void respond(Payload& payload);
  void request_done();

  PromptMemory* prompt_ = nullptr;  // the bound memory, if it is one; looked up once
  bool looked_ = false;
  std::deque<Payload> payloads_;
  std::vector<Payload*> free_;
  Payload* kept_ = nullptr;          // payload returned by a memory that completed at once, still acquired
  Payload* requesting_ = nullptr;    // its END_REQ is outstanding
  bool request_ending_ = false;      // END_REQ has come, with a delay
  MemoryAccess* waiting_ = nullptr;  // waiting for the request channel, in order
  MemoryAccess* waiting_tail_ = nullptr;
  RequestTimer request_timer_;
  TimerQueue timers_;
};

}  // namespace flashloom
