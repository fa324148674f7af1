// A STUB of gem5's util/tlm for tests of main.cpp without gem5: own code, with the names that main.cpp uses. In place of gem5 a thread
// plays a processor that identifies the drive, and a vector its memory.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace Gem5SystemC {

class Gem5SimControlInterface : public sc_core::sc_interface {
 public:
  /// The stub's processor asks for this socket's transactions, one at a time.
  tlm::tlm_initiator_socket<>* processor = nullptr;
  sc_core::sc_event answered;
  std::vector<unsigned char> memory = std::vector<unsigned char>(1 << 20);
};

class Gem5SimControl : public sc_core::sc_module, public Gem5SimControlInterface {
 public:
  Gem5SimControl(sc_core::sc_module_name name, const std::string& config, std::uint64_t ticks, const std::string&)
      : sc_module(name), end_(ticks) {
    SC_HAS_PROCESS(Gem5SimControl);
    std::cout << "stub of gem5, which does not read " << config << '\n';
    SC_THREAD(run);
    SC_THREAD(stop);
  }

 private:
  static constexpr std::uint64_t kDrive = 0x40000000;
  static constexpr std::uint64_t kRegisters = kDrive + 0x10000;

  // As gem5's port in timing mode: four phases, and a target that answers TLM_COMPLETED is an error there.
  void access(bool write, std::uint64_t address, void* data, unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    if ((*processor)->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED)
      SC_REPORT_FATAL("gem5 stub", "TLM_COMPLETED");
    wait(answered);
    if (!payload.is_response_ok()) SC_REPORT_FATAL("gem5 stub", payload.get_response_string().c_str());
    phase = tlm::END_RESP;
    (*processor)->nb_transport_fw(payload, phase, delay);
  }
  template <class T>
  void write(std::uint64_t address, T value) {
    access(true, address, &value, sizeof value);
  }

  void run() {
    write<std::uint16_t>(kDrive + 4, 6);  // memory space, bus master
    write<std::uint32_t>(kRegisters + 0x24, 0x000f000f);
    write<std::uint64_t>(kRegisters + 0x28, 0x1000);
    write<std::uint64_t>(kRegisters + 0x30, 0x2000);
    write<std::uint32_t>(kRegisters + 0x14, 0x00460001);
    std::uint32_t status = 0;
    while ((status & 1U) == 0) {
      wait(1, sc_core::SC_US);
      access(false, kRegisters + 0x1c, &status, 4);
    }
    const std::array<std::uint32_t, 16> identify = {0x06, 0, 0, 0, 0, 0, 0x10000, 0, 0, 0, 1};
    std::memcpy(&memory[0x1000], identify.data(), sizeof identify);
    write<std::uint32_t>(kRegisters + 0x1000, 1);
    while ((memory[0x200e] & 1U) == 0) wait(1, sc_core::SC_US);
    std::cout << "identified: " << std::string(&memory[0x10000 + 24], &memory[0x10000 + 64]) << '\n';
  }
  void stop() {
    wait(sc_core::sc_time::from_value(end_));
    sc_core::sc_pause();
  }

  std::uint64_t end_;
};

}  // namespace Gem5SystemC
