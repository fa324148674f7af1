#include "models/memory/memory_port.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace flashloom {

MemoryPort::MemoryPort(const sc_core::sc_module_name& name)
    : sc_core::sc_module(name), socket("socket"), request_timer_(*this), timers_("timers") {
  socket.bind(*this);
}

MemoryPort::~MemoryPort() = default;

MemoryPort::Payload& MemoryPort::pooled() {
  if (free_.empty()) {
    payloads_.emplace_back(*this);
    free_.reserve(payloads_.size());
    free_.push_back(&payloads_.back());
  }
  Payload& payload = *free_.back();
  free_.pop_back();
  payload.acquire();
  payload.set_data_ptr(nullptr);
  payload.set_byte_enable_ptr(nullptr);
  payload.end_response = false;
  return payload;
}

// A memory that completes at once returns its payload to the port (kept_), where the next access reuses it after
// setting the fields that differ.
MemoryPort::Payload& MemoryPort::take(bool write, std::uint64_t address, std::uint32_t bytes) {
  Payload* payload = std::exchange(kept_, nullptr);
  if (payload == nullptr) [[unlikely]]
    payload = &pooled();
  payload->set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload->set_address(address);
  payload->set_data_length(bytes);
  payload->set_streaming_width(bytes);
  payload->set_dmi_allowed(false);
  payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload->access = nullptr;
  return *payload;
}

void MemoryPort::keep(Payload& payload) {
  if (kept_ == nullptr)
    kept_ = &payload;
  else
    payload.release();
}

void MemoryPort::free(tlm::tlm_generic_payload* transaction) {
  transaction->reset();
  free_.push_back(static_cast<Payload*>(transaction));
}

// Access by a transaction: the first one finds out whether the socket is bound to a PromptMemory.
Picoseconds MemoryPort::transact(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds at) {
  if (!std::exchange(looked_, true)) prompt_ = dynamic_cast<PromptMemory*>(socket.operator->());
  const Picoseconds now = kernel_now();
  Payload& payload = take(write, address, bytes);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time time = kernel_time(at > now ? at - now : 0);
  const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, time);
  const bool begins_response = answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP;
  const bool completed = answer == tlm::TLM_COMPLETED;
  if (completed) [[likely]] {
    keep(payload);
  } else if (begins_response) {
    payload.end_response = true;
    timers_.schedule(payload, now + time.value());
  }
  if ((!completed && !begins_response) || !payload.is_response_ok()) [[unlikely]]
    report(payload, completed || begins_response);
  return now + time.value();
}

void MemoryPort::report(const Payload& payload, bool at_once) {
  const std::string text =
      std::string(payload.is_write() ? "write" : "read") + " of " + std::to_string(payload.get_data_length()) +
      " bytes at address " + std::to_string(payload.get_address()) + ": " +
      (at_once ? "response " + std::to_string(payload.get_response_status()) : "the memory answers in phases");
  SC_REPORT_ERROR("flashloom/memory", text.c_str());
}

bool MemoryPort::access(MemoryAccess& access) {
  access.next = nullptr;
  access.response = tlm::TLM_INCOMPLETE_RESPONSE;
  if (requesting_ != nullptr || request_ending_ || waiting_ != nullptr) [[unlikely]] {
    (waiting_ == nullptr ? waiting_ : waiting_tail_->next) = &access;
    waiting_tail_ = &access;
    return false;
  }
  return send(access) == Sent::AtOnce;
}

MemoryPort::Sent MemoryPort::send(MemoryAccess& access) {
  const Picoseconds now = kernel_now();
  Payload& payload = take(access.write, access.address, access.bytes);
  payload.access = &access;
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(access.data));
  requesting_ = &payload;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time time = kernel_time(access.at > now ? access.at - now : 0);
  const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, time);
  const bool begins_response = answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP;
  if (answer == tlm::TLM_COMPLETED || begins_response) [[likely]] {
    access.at = now + time.value();
    access.response = payload.get_response_status();
    payload.access = nullptr;
    if (answer == tlm::TLM_COMPLETED) [[likely]] {
      requesting_ = nullptr;
      payload.set_data_ptr(nullptr);
      keep(payload);
    } else {
      payload.end_response = true;
      end_request(payload, time.value());
      timers_.schedule(payload, access.at);
    }
    return Sent::AtOnce;
  }
  if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ) end_request(payload, time.value());
  return Sent::Later;
}

tlm::tlm_sync_enum MemoryPort::nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  auto& payload = static_cast<Payload&>(transaction);
  if (phase == tlm::END_REQ) {
    end_request(payload, delay.value());
  } else if (phase == tlm::BEGIN_RESP) {
    end_request(payload, delay.value());  // implied by the response, if not sent before
    payload.end_response = true;
    // Sends END_RESP explicitly, from a process of the model: some targets ignore the return value of this call.
    timers_.schedule(payload, kernel_now() + delay.value());
  }
  return tlm::TLM_ACCEPTED;
}

void MemoryPort::end_request(Payload& payload, Picoseconds after) {
  if (requesting_ != &payload) return;
  requesting_ = nullptr;
  request_ending_ = true;
  timers_.schedule(request_timer_, kernel_now() + after);
}

void MemoryPort::request_done() {
  request_ending_ = false;
  while (waiting_ != nullptr && requesting_ == nullptr && !request_ending_) {
    MemoryAccess& access = *waiting_;
    waiting_ = access.next;
    access.next = nullptr;
    if (send(access) == Sent::AtOnce) {
      // The caller expects on_complete(), so a payload of its own carries the time.
      Payload& carrier = take(access.write, access.address, access.bytes);
      carrier.access = &access;
      carrier.set_response_status(access.response);
      timers_.schedule(carrier, access.at);
    }
  }
}

void MemoryPort::respond(Payload& payload) {
  MemoryAccess* access = std::exchange(payload.access, nullptr);
  const tlm::tlm_response_status response = payload.get_response_status();
  if (payload.end_response) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time time = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(payload, phase, time);
  }
  payload.release();
  if (access != nullptr) {
    access->at = kernel_now();
    access->response = response;
    access->on_complete();
  }
}

void MemoryPort::Payload::drop() {
  if (std::exchange(access, nullptr) == nullptr || get_data_ptr() == nullptr) return;
  copy_.assign(get_data_ptr(), get_data_ptr() + get_data_length());
  set_data_ptr(copy_.data());
}

void MemoryPort::drop_all() {
  for (Payload& payload : payloads_) payload.drop();
  waiting_ = waiting_tail_ = nullptr;
}

void MemoryPort::invalidate_direct_mem_ptr(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) {}

}  // namespace flashloom
