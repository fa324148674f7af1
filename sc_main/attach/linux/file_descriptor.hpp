// A file descriptor that closes itself, and messages with descriptors on Unix sockets.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flashloom {

/// Most file descriptors that one message carries.
inline constexpr std::size_t kMostDescriptors = 8;

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { close(); }

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  void close();

 private:
  int number_ = -1;
};

/// The read end and the write end of a pipe. Throws std::system_error.
std::pair<FileDescriptor, FileDescriptor> make_pipe();

/// Listens at `path`. Throws std::system_error, which names the path.
FileDescriptor listen_at(const std::string& path);
/// Accepts the next connection to a listening socket.
FileDescriptor accept_from(const FileDescriptor& listener);

/// Reads exactly `bytes`; false: the peer has closed. Throws std::system_error.
bool read_whole(int socket, void* into, std::size_t bytes);
/// The same for the first bytes of a message, with the file descriptors that it carries.
bool read_whole(int socket, void* into, std::size_t bytes, std::vector<FileDescriptor>& descriptors);
/// Receives at most `bytes`, as recvmsg(2) does: its result, and the file descriptors that the bytes carry. Retries after
/// a signal.
ssize_t receive_some(int socket, void* into, std::size_t bytes, std::vector<FileDescriptor>& descriptors,
                     int flags = 0);
/// Writes all bytes; false: the peer has closed.
bool write_whole(int socket, const void* from, std::size_t bytes, std::span<const int> descriptors = {});

}  // namespace flashloom
