// Memories from another maker, as a user might bind them: one AT, one LT.
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "models/common/timer_queue.hpp"
#include "models/common/types.hpp"
#include "tests/support/systemc_threads.hpp"

namespace flashloom {

/// AT, four phases: END_REQ comes `accept` after BEGIN_REQ, BEGIN_RESP `latency` after that, one response at a time.
/// Checks the exclusion rules. Acquires each payload while it is pending, as a target should.
struct FourPhases : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
  explicit FourPhases(const sc_core::sc_module_name& name, Picoseconds accept_time = 10 * kNanosecond,
                      Picoseconds response_time = 100 * kNanosecond)
      : sc_core::sc_module(name),
        socket("socket"),
        timers("timers"),
        request(*this, false),
        response(*this, true),
        accept(accept_time),
        latency(response_time) {
    socket.bind(*this);
  }
  struct Step final : Timer {
    Step(FourPhases& target, bool responds) : owner(&target), response(responds) {}
    void on_timer() override { response ? owner->begin_response() : owner->end_request(); }
    FourPhases* owner;
    bool response;
  };
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::BEGIN_REQ) {
      addresses.push_back(payload.get_address());
      if (requesting != nullptr) ++violations;
      requesting = &payload;
      payload.acquire();
      timers.schedule(request, kernel_now() + delay.value() + accept);
    } else if (phase == tlm::END_RESP) {
      if (responding != &payload) ++violations;
      responding = nullptr;
      payload.release();
      ended.push_back(kernel_now());
      begin_response();
    }
    return tlm::TLM_ACCEPTED;
  }
  void end_request() {
    tlm::tlm_generic_payload& payload = *std::exchange(requesting, nullptr);
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = kernel_time(annotated);
    pending.push_back(&payload);
    timers.schedule(response, kernel_now() + latency);
    ready_at.push_back(kernel_now() + latency);
    socket->nb_transport_bw(payload, phase, delay);
  }
  void begin_response() {
    if (responding != nullptr || pending.empty() || ready_at.front() > kernel_now()) return;
    responding = pending.front();
    pending.pop_front();
    ready_at.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = kernel_time(annotated);
    responding->set_response_status(tlm::TLM_OK_RESPONSE);
    socket->nb_transport_bw(*responding, phase, delay);
  }
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  tlm::tlm_target_socket<> socket;
  TimerQueue timers;
  Step request, response;
  Picoseconds accept, latency;
  tlm::tlm_generic_payload* requesting = nullptr;
  tlm::tlm_generic_payload* responding = nullptr;
  std::deque<tlm::tlm_generic_payload*> pending;
  std::deque<Picoseconds> ready_at;
  Picoseconds annotated = 0;
  int violations = 0;
  std::vector<Picoseconds> ended;
  std::vector<std::uint64_t> addresses;
};

/// An LT memory that implements only b_transport, and waits in it or annotates the time; the convenience socket turns
/// the calls of the model into phases.
struct Blocking : sc_core::sc_module {
  explicit Blocking(const sc_core::sc_module_name& name, Picoseconds time = 40 * kNanosecond, bool waiting = false)
      : sc_core::sc_module(name), socket("socket"), latency(time), waits(waiting) {
    socket.register_b_transport(this, &Blocking::transport);
    note_systemc_threads();  // the convenience socket starts them
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    addresses.push_back(payload.get_address());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (waits)
      wait(kernel_time(latency));
    else
      delay += kernel_time(latency);
  }
  tlm_utils::simple_target_socket<Blocking> socket;
  Picoseconds latency;
  bool waits;
  std::vector<std::uint64_t> addresses;
};

}  // namespace flashloom
