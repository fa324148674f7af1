// The process of a User-Mode Linux.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sc_main/linux/file_descriptor.hpp"

namespace flashloom {

/// What a guest's process is made from.
struct GuestCommand {
  std::string kernel;                  ///< file
  std::vector<std::string> arguments;  ///< of its command line
  std::string directory;               ///< where it runs
  std::uint64_t memory = 0;            ///< bytes: in /dev/shm, or in `directory` if there is not so much room
  std::string preload;                 ///< library that comes before its own; empty: none
  int input = -1;                      ///< its standard input, output and error; -1: nothing
  int output = -1;
  std::vector<int> pipes;          ///< its descriptors from 3 on
  std::uint64_t entropy_seed = 0;  ///< for `preload`
};

/// How many processors this program may use.
unsigned processors();
/// From now on guests, and this process with them, stay on a processor of these; for several processes that run guests.
void use_processor(std::size_t number);

/// A process group of its own, without address-space randomisation, on one processor with this process (the two take
/// turns). It ends with this object, and with this process however that ends: a second process, which does nothing
/// else, sees to it, and then removes the folder that the guest ran in.
class GuestProcess {
 public:
  /// Throws std::system_error if it cannot be started.
  explicit GuestProcess(const GuestCommand& command);
  /// The same of a function, which need not return.
  GuestProcess(const std::function<void()>& body, const std::string& folder);
  ~GuestProcess();
  GuestProcess(const GuestProcess&) = delete;
  GuestProcess& operator=(const GuestProcess&) = delete;

  /// Readable when it has ended.
  int descriptor() const { return ended_.number(); }
  /// Ends it and all that it has started; waits for that.
  void kill();

 private:
  void start_guard(const std::string& folder);

  pid_t process_ = -1;
  pid_t guard_ = -1;
  FileDescriptor ended_;
  FileDescriptor guard_pipe_;
};

}  // namespace flashloom
