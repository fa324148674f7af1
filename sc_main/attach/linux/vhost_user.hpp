// The device's end of a vhost-user connection, with the subset that User-Mode Linux uses: in-band notifications, each
// of them answered, so that a device and its guest never run at the same time (QEMU, docs/interop/vhost-user.rst).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sc_main/attach/linux/file_descriptor.hpp"
#include "sc_main/attach/linux/guest_memory.hpp"
#include "sc_main/attach/linux/virtqueue.hpp"

namespace flashloom {

class VhostUser {
 public:
  static constexpr std::size_t kQueues = 2;

  /// Listens at `path`.
  explicit VhostUser(const std::string& path) : listener_(listen_at(path)) {}

  /// Accepts the guest's connection. To be called when listener() is readable.
  void accept() { guest_ = accept_from(listener_); }
  const FileDescriptor& listener() const { return listener_; }
  int socket() const { return guest_.number(); }
  bool connected() const { return static_cast<bool>(guest_); }

  enum class Event { Nothing, Kick, Gone };
  /// Receives one message, which must be available. After a kick the guest waits for answer_kick().
  /// Throws std::runtime_error for messages that User-Mode Linux does not send.
  Event receive();
  void answer_kick();
  /// Interrupts the guest for the queues of a mask; it must wait in its calendar. answered() then waits for the
  /// answers.
  bool call(std::uint32_t queues);
  /// Reads the guest's answer to each interrupt of call(); false: the guest has closed.
  bool answered();
  /// The socket on which the answers arrive.
  int answers() const { return calls_.number(); }

  Virtqueue& queue(std::size_t number) { return queues_[number]; }
  const GuestMemory& memory() const { return memory_; }

 private:
  struct Header;
  struct Message;
  void answer(const Header& header, std::uint64_t value);
  void map_memory(const Message& message, std::vector<FileDescriptor>& files);
  Virtqueue& queue_of(std::uint32_t number);
  std::uint64_t guest_address(std::uint64_t user_address) const;

  FileDescriptor listener_;
  FileDescriptor guest_;
  FileDescriptor calls_;
  GuestMemory memory_;
  std::array<Virtqueue, kQueues> queues_;
  std::uint64_t user_offset_ = 0;  // offset between the guest's user and physical addresses
  std::uint32_t unanswered_ = 0;   // number of unanswered calls
};

}  // namespace flashloom
