// A Linux guest of a simulation: its folder with sockets, its kernel's command line, its successive boots.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/attach/linux/calendar.hpp"
#include "sc_main/attach/linux/guest_machine.hpp"
#include "sc_main/attach/linux/guest_process.hpp"
#include "sc_main/attach/linux/pci_slot.hpp"
#include "sc_main/program/run/program_files.hpp"

namespace flashloom {

class Guest {
 public:
  struct Settings {
    std::string kernel{};                             ///< file
    std::uint64_t memory = std::uint64_t{256} << 20;  ///< bytes
    std::string out{};                                ///< folder of the host that the guest may write to; empty: none
    std::string console{};                            ///< file for the kernel's messages; empty: deleted with the boot
    std::uint64_t seed = 1;                           ///< of its entropy
    double watchdog_s = 60;                           ///< see GuestMachine
    std::optional<std::uint64_t> busy_call_ns{};      ///< see LinuxOptions; none: the kernel's default
  };
  /// Makes a machine with PCI slots for so many drives. Throws std::runtime_error if it cannot be set up.
  Guest(Settings settings, std::size_t drives);
  ~Guest();

  PciSlot& slot(std::size_t number) { return *slots_[number]; }
  GuestMachine& machine() { return machine_; }
  /// Boots the guest now, to run a command line of /bin/sh; empty: a shell on this program's terminal.
  void boot(const std::string& command);
  /// Kills the guest if it still runs, and removes its folder.
  void switch_off();
  /// Exit code of the last script or shell; none: the guest ended without reporting it.
  const std::optional<int>& exit_code() const { return exit_code_; }
  /// Why the guest ended, in one line: an error of its first process, or its kernel's last message; empty: no error.
  std::string last_words() const;
  /// Called with each line that the guest writes to its serial line ttyS0.
  void on_report(std::function<void(std::string_view)> handler) { on_report_ = std::move(handler); }

 private:
  std::vector<std::string> kernel_arguments() const;
  void hear(std::string_view line);

  Settings settings_;
  std::unique_ptr<TemporaryFolder> folder_;  // of the present boot
  std::vector<std::unique_ptr<PciSlot>> slots_;
  GuestMachine machine_;
  std::unique_ptr<Calendar> calendar_;
  std::unique_ptr<GuestProcess> process_;
  FileDescriptor console_;
  std::string console_path_;
  std::optional<int> exit_code_;
  std::string error_;
  std::function<void(std::string_view)> on_report_;
};

/// A text as one word of /bin/sh.
std::string shell_word(const std::string& text);

/// The kernel that `flashloom linux` boots: `given`, else $FLASHLOOM_LINUX, else the newest kernel of
/// tools/linux-kernel/build in the cache ($XDG_CACHE_HOME/flashloom/linux). Throws UsageError, which says how to get
/// one.
std::string find_kernel(const std::string& given);

}  // namespace flashloom
