// A file descriptor that closes itself, and messages with descriptors on sockets of the file system.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flashloom {

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

/// The ends of a pipe: to read from, to write to. Throws std::system_error.
std::pair<FileDescriptor, FileDescriptor> make_pipe();

/// Listens at `path`. Throws std::system_error, which names the path.
FileDescriptor listen_at(const std::string& path);
/// The next connection to a socket that listens.
FileDescriptor accept_from(const FileDescriptor& listener);

/// Reads exactly so many bytes; false: the other side is gone. Throws std::system_error.
bool read_whole(int socket, void* into, std::size_t bytes);
/// The same of the first bytes of a message, with the descriptors that come along.
bool read_whole(int socket, void* into, std::size_t bytes, std::vector<FileDescriptor>& descriptors);
/// Writes all of it; false: the other side is gone.
bool write_whole(int socket, const void* from, std::size_t bytes, std::span<const int> descriptors = {});

}  // namespace flashloom
