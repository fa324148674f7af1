// nbdkit with our plug-in, as a child: it speaks NBD with the clients, and with the simulation on a socket.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "sc_main/linux/file_descriptor.hpp"

namespace flashloom {

/// Listens at a path from the beginning, so that clients can connect at once. The path, nbdkit and what it has open go
/// with this object; nbdkit goes with this process however that ends.
class NbdServer {
 public:
  struct Shape {
    std::uint64_t size;       ///< bytes
    std::uint32_t sector;     ///< bytes: the smallest request
    std::uint32_t preferred;  ///< bytes: what a request should be a multiple of
  };
  /// `path` of the socket. A socket that a killed process has left there goes. Throws UsageError, which names --unix, if
  /// it cannot be made or somebody serves it, and std::runtime_error if nbdkit or the plug-in are missing.
  explicit NbdServer(std::string path);
  ~NbdServer();
  NbdServer(const NbdServer&) = delete;
  NbdServer& operator=(const NbdServer&) = delete;

  void start(const Shape& shape);
  /// nbd+unix:///?socket=PATH
  std::string uri() const;
  const std::string& path() const { return path_; }
  /// The plug-in's requests (nbd_messages.hpp).
  const FileDescriptor& channel() const { return channel_; }
  /// Ends nbdkit at once; by itself it ends when the channel does.
  void kill();
  /// Waits for its end; empty: it ended well, else what it ended with.
  std::string wait();

 private:
  std::string path_;
  FileDescriptor listener_;
  FileDescriptor channel_;
  pid_t nbdkit_ = -1;
};

/// A shell command that works with the server for as long as it runs; its environment has uri and unixsocket, as that of
/// nbdkit --run.
class NbdClient {
 public:
  NbdClient(const std::string& command, const NbdServer& server);
  ~NbdClient();
  NbdClient(const NbdClient&) = delete;
  NbdClient& operator=(const NbdClient&) = delete;

  /// Readable when it has ended.
  const FileDescriptor& ended() const { return ended_; }
  void stop();
  /// Waits for its end. Its exit code, or 128 and the signal's number, as a shell has it.
  int wait();

 private:
  pid_t process_ = -1;
  FileDescriptor ended_;
};

}  // namespace flashloom
