// The drive in a system of gem5, by gem5's TLM coupling (gem5: util/tlm), which runs gem5 inside of a SystemC simulation. README.md
// says how to build it.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <flashloom/nvme_ssd.hpp>
#include <iostream>
#include <master_transactor.hh>
#include <sim_control.hh>
#include <slave_transactor.hh>
#include <string>
#include <systemc>

constexpr sc_dt::uint64 kWindow = 0x40000000;  // the drive's addresses in gem5: configuration, and BAR0 behind it
constexpr sc_dt::uint64 kBar0 = 0x10000;       // its offset in the window
constexpr unsigned kCacheLine = 64;            // bytes; no packet of gem5 may cross lines

/// Between gem5's bridges and the drive. Blocking: the sockets turn gem5's timing packets into calls, each in a thread of its own.
class DriveOnBus : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<DriveOnBus> from_gem5;
  tlm_utils::simple_initiator_socket<DriveOnBus> bar0;
  tlm_utils::simple_initiator_socket<DriveOnBus> configuration;
  tlm_utils::simple_target_socket<DriveOnBus> from_drive;
  tlm_utils::simple_initiator_socket<DriveOnBus> to_gem5;

  explicit DriveOnBus(const sc_core::sc_module_name& name)
      : sc_module(name),
        from_gem5("from_gem5"),
        bar0("bar0"),
        configuration("configuration"),
        from_drive("from_drive"),
        to_gem5("to_gem5") {
    from_gem5.register_b_transport(this, &DriveOnBus::access_registers);
    from_drive.register_b_transport(this, &DriveOnBus::access_memory);
  }

 private:
  void access_registers(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
    const sc_dt::uint64 address = access.get_address();
    const sc_dt::uint64 offset = address - kWindow;
    const bool registers = offset >= kBar0;
    access.set_address(registers ? offset - kBar0 : offset);
    (registers ? bar0 : configuration)->b_transport(access, delay);
    access.set_address(address);
  }
  // The drive's DMA and its MSI-X messages, by cache lines.
  void access_memory(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    for (unsigned done = 0; done < access.get_data_length();) {
      const sc_dt::uint64 address = access.get_address() + done;
      const unsigned bytes = std::min<unsigned>(access.get_data_length() - done, kCacheLine - address % kCacheLine);
      tlm::tlm_generic_payload line;
      line.set_command(access.get_command());
      line.set_address(address);
      line.set_data_ptr(access.get_data_ptr() + done);
      line.set_data_length(bytes);
      line.set_streaming_width(bytes);
      to_gem5->b_transport(line, delay);
      wait(delay);
      delay = sc_core::SC_ZERO_TIME;
      access.set_response_status(line.get_response_status());
      if (line.is_response_error()) return;
      done += bytes;
    }
  }
};

int sc_main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: " << argv[0] << " CONFIG.INI TICKS [DEVICE]\n";
    return 2;
  }
  Gem5SystemC::Gem5SimControl gem5("gem5", argv[1], std::stoull(argv[2]), "");
  Gem5SystemC::Gem5SlaveTransactor registers("registers", "drive_registers");  // port_data of gem5's ExternalSlave
  Gem5SystemC::Gem5MasterTransactor memory("memory", "drive_memory");          // port_data of gem5's ExternalMaster
  registers.sim_control.bind(gem5);
  memory.sim_control.bind(gem5);

  flashloom::NvmeSsdModule drive("drive", argc > 3 ? argv[3] : "tiny");
  DriveOnBus bus("bus");
  registers.socket.bind(bus.from_gem5);
  bus.bar0.bind(drive.bar0());
  bus.configuration.bind(drive.configuration());
  drive.dma().bind(bus.from_drive);
  bus.to_gem5.bind(memory.socket);

  sc_core::sc_start();
  std::cout << "ended at " << sc_core::sc_time_stamp() << '\n' << drive.result().substr(0, 60) << "...\n";
  return 0;
}
