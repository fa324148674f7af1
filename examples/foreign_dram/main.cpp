// An SSD whose DRAM is a memory of yours: any target of TLM-2.0's base protocol. This one, loosely timed, takes 50 ns an access
// and 8 bytes a nanosecond, and counts.
#include <tlm_utils/simple_target_socket.h>

#include <flashloom/ssd.hpp>
#include <iostream>
#include <systemc>

class MyDram : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<MyDram> socket;
  std::uint64_t accesses = 0;
  std::uint64_t bytes = 0;

  explicit MyDram(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &MyDram::b_transport);
  }

 private:
  // The data pointer is null: an SSD asks its DRAM for time, and keeps no bytes there.
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
    ++accesses;
    bytes += access.get_data_length();
    delay += sc_core::sc_time(50.0 + access.get_data_length() / 8.0, sc_core::SC_NS);
    access.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

/// Writes and reads back a megabyte, one command after the other.
class Tester : public sc_core::sc_module, private flashloom::BlockBackward {
 public:
  flashloom::BlockInitiatorSocket socket;

  explicit Tester(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.bind(static_cast<flashloom::BlockBackward&>(*this));
    SC_HAS_PROCESS(Tester);
    SC_THREAD(run);
  }

 private:
  void run() {
    for (const flashloom::IoOperation operation : {flashloom::IoOperation::Write, flashloom::IoOperation::Read})
      for (std::uint64_t offset = 0; offset < (1U << 20); offset += 65536) {
        flashloom::IoCommand command;
        command.operation = operation;
        command.offset = offset;
        command.length = 65536;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        socket->nb_transport_fw(command, phase, delay);
        wait(complete_);
      }
    sc_core::sc_stop();
  }
  tlm::tlm_sync_enum nb_transport_bw(flashloom::IoCommand&, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    complete_.notify(delay);
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  sc_core::sc_event complete_;
};

int sc_main(int, char**) {
  MyDram dram("dram");
  flashloom::SsdModule ssd("ssd", "tiny", {.overrides = {"host.queues=1"}, .dram = &dram.socket});
  Tester tester("tester");
  tester.socket.bind(ssd.socket());
  sc_core::sc_start();
  std::cout << "the SSD has asked its DRAM " << dram.accesses << " times for " << dram.bytes << " B, until "
            << sc_core::sc_time_stamp() << '\n';
  return dram.bytes >= 2U << 20 ? 0 : 1;  // each byte in, and out
}
