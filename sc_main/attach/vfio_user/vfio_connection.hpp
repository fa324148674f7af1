// The socket to one client of vfio-user: whole messages in both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "sc_main/attach/vfio_user/vfio_messages.hpp"

namespace flashloom {

/// Never blocks but in transfer(). What cannot be sent at once is kept.
class VfioConnection {
 public:
  explicit VfioConnection(FileDescriptor socket) : socket_(std::move(socket)) {}

  int socket() const { return socket_.number(); }
  /// False: the client has closed, or has sent what is no message.
  bool open() const { return open_; }
  /// Sends what is left, and nothing more.
  void close();

  /// The next request; none: it has not arrived, or too many replies wait to be sent.
  std::optional<vfio::Message> take();
  /// Replies with a structure and data, unless the request wants no reply.
  void reply(const vfio::Header& to, std::span<const std::byte> head = {}, std::span<const std::byte> data = {});
  void refuse(const vfio::Header& to, int error);
  void write_out();
  bool unsent() const { return sent_ < output_.size(); }
  /// It takes requests, so its socket is worth reading.
  bool listens() const { return open_ && output_.size() - sent_ < kMostUnsent; }

  /// The client takes messages with at most so many bytes of data.
  void limit_transfers(std::uint32_t bytes) { transfer_limit_ = bytes; }
  /// Reads or writes the client's memory by messages, and waits for its replies; requests that arrive meanwhile wait for
  /// take(). False: the client refuses, does not answer, or is gone, or `give_up` is readable.
  bool transfer(bool write, std::uint64_t address, std::byte* data, std::uint64_t bytes, int give_up);

 private:
  static constexpr std::size_t kMostUnsent = std::size_t{4} << 20;  // bytes

  bool read_some();
  void finish_message();
  void put(const void* from, std::size_t bytes);
  bool ask(bool write, std::uint64_t address, std::byte* data, std::uint32_t bytes, int give_up);
  bool await_reply(int give_up);

  FileDescriptor socket_;
  bool open_ = true;
  vfio::Message incoming_;
  std::size_t read_ = 0;  // bytes of the incoming message
  std::deque<vfio::Message> requests_;
  std::vector<std::byte> output_;
  std::size_t sent_ = 0;
  std::uint32_t transfer_limit_ = vfio::kMostTransfer;
  std::uint16_t last_id_ = 0;
  std::optional<std::uint16_t> awaited_;
  std::optional<vfio::Message> replied_;
  bool mute_ = false;  // it has not answered once
};

}  // namespace flashloom
