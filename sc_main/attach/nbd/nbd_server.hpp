// nbdkit with our plug-in, as a child process: it talks NBD to the clients, and to the simulation by a socket.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "sc_main/attach/linux/file_descriptor.hpp"

namespace flashloom {

/// Listens at a path from its construction on, so that clients can connect at once. The destructor removes the path and
/// ends nbdkit with its connections; nbdkit also ends with this process, however that ends.
class NbdServer {
 public:
  struct Shape {
    std::uint64_t size;       ///< bytes
    std::uint32_t sector;     ///< bytes: the smallest request
    std::uint32_t preferred;  ///< bytes: requests should be multiples of this
  };
  /// `path`: of the socket. Removes a socket that a killed process has left there. Throws UsageError, which names
  /// --unix, if the socket cannot be made or another process serves it, and std::runtime_error if nbdkit or the plug-in
  /// is missing.
  explicit NbdServer(std::string path);
  ~NbdServer();
  NbdServer(const NbdServer&) = delete;
  NbdServer& operator=(const NbdServer&) = delete;

  void start(const Shape& shape);
  /// nbd+unix:///?socket=PATH
  std::string uri() const;
  const std::string& path() const { return path_; }
  /// The socket to the plug-in (nbd_messages.hpp).
  const FileDescriptor& channel() const { return channel_; }
  /// Kills nbdkit, which else ends when the channel closes.
  void kill();
  /// Waits for the end of nbdkit. Returns its failure; empty: it ended without one.
  std::string wait();

 private:
  std::string path_;
  FileDescriptor listener_;
  FileDescriptor channel_;
  pid_t nbdkit_ = -1;
};

/// A shell command that uses the server; its environment has uri and unixsocket, as with nbdkit --run.
class NbdClient {
 public:
  NbdClient(const std::string& command, const NbdServer& server);
  ~NbdClient();
  NbdClient(const NbdClient&) = delete;
  NbdClient& operator=(const NbdClient&) = delete;

  /// A descriptor that is readable when the command has ended.
  const FileDescriptor& ended() const { return ended_; }
  void stop();
  /// Waits for the end. Returns the exit code, or 128 plus the signal's number, as a shell does.
  int wait();

 private:
  pid_t process_ = -1;
  FileDescriptor ended_;
};

}  // namespace flashloom
