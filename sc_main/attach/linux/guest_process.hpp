// The process of a User-Mode Linux.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sc_main/attach/linux/file_descriptor.hpp"

namespace flashloom {

/// How a guest's process is started.
struct GuestCommand {
  std::string kernel;                  ///< file
  std::vector<std::string> arguments;  ///< of its command line
  std::string directory;               ///< working directory
  std::uint64_t memory = 0;            ///< bytes; in /dev/shm, or in `directory` if that has too little room
  std::string preload;                 ///< library for LD_PRELOAD; empty: none
  int input = -1;  ///< standard input; a terminal becomes the guest's own; next: standard output and error; -1: none
  int output = -1;
  std::vector<int> pipes;          ///< become its descriptors from 3 on
  std::uint64_t entropy_seed = 0;  ///< for `preload`
};

/// Number of processors that this program may use.
unsigned processors();
/// Pins this process and its future guests to one of these processors; for several processes that run guests.
void use_processor(std::size_t number);

/// A guest in its own process group, without address-space randomisation, on the same processor as this process (the
/// two take turns). It ends with this object, and with this process however that ends: a guard process sees to that,
/// and then removes the guest's folder.
class GuestProcess {
 public:
  /// Throws std::system_error if it cannot be started.
  explicit GuestProcess(const GuestCommand& command);
  /// The same for a function, which need not return.
  GuestProcess(const std::function<void()>& body, const std::string& folder);
  ~GuestProcess();
  GuestProcess(const GuestProcess&) = delete;
  GuestProcess& operator=(const GuestProcess&) = delete;

  /// A descriptor that is readable when the guest has ended.
  int descriptor() const { return ended_.number(); }
  /// Kills the guest and all its processes, and waits for their end.
  void kill();

 private:
  void start_guard(const std::string& folder);

  pid_t process_ = -1;
  pid_t guard_ = -1;
  FileDescriptor ended_;
  FileDescriptor guard_pipe_;
};

}  // namespace flashloom
