// The calendar of a guest whose time belongs to the simulation: Linux's time-travel protocol (User-Mode Linux,
// include/uapi/linux/um_timetravel.h, with the shared memory of Linux 6.12), the controller's side.
#pragma once

#include <cstdint>
#include <string>

#include "sc_main/attach/linux/file_descriptor.hpp"

namespace flashloom {

/// The calendar of one guest. While the guest runs, the simulation stands; when the guest waits, the simulation goes on
/// until the guest runs again. Times are nanoseconds of the simulation.
class Calendar {
 public:
  static constexpr std::uint64_t kForever = 0x7fff'ffff'ffff'ffff;

  /// Listens at `path`. `time_of_day`: the guest's clock at time 0, nanoseconds since 1970; `now`: time of its start.
  Calendar(const std::string& path, std::uint64_t time_of_day, std::uint64_t now);
  ~Calendar();
  Calendar(const Calendar&) = delete;
  Calendar& operator=(const Calendar&) = delete;

  /// Accepts the guest's connection. To be called after its start, when listener() is readable.
  void accept() { guest_ = accept_from(listener_); }
  const FileDescriptor& listener() const { return listener_; }
  int socket() const { return guest_.number(); }
  bool connected() const { return static_cast<bool>(guest_); }

  enum class Event { Nothing, Waits, Gone };
  /// Receives one message, which must be available.
  Event receive();

  /// The time of a running guest, at its last access to a device.
  std::uint64_t now() const;
  /// The time at which a waiting guest wants to run; kForever: only after an interrupt.
  std::uint64_t wanted() const;
  /// Allows the running guest to advance its time by itself before `until`.
  void allow_until(std::uint64_t until);
  /// Sets the time of a waiting guest for an interrupt.
  void set_now(std::uint64_t now);
  /// Lets a waiting guest run from `now` on, and advance its time by itself before `until`.
  void run(std::uint64_t now, std::uint64_t until);

 private:
  struct Shared;
  struct Message;
  void answer(const Message& message, std::uint64_t time);
  void begin(const Message& start);

  FileDescriptor listener_;
  FileDescriptor guest_;
  FileDescriptor memory_;
  FileDescriptor log_;
  Shared* shared_ = nullptr;
  std::uint64_t time_of_day_;
  std::uint64_t begin_;  // origin of the guest's own time
  std::uint32_t sequence_ = 0;
};

}  // namespace flashloom
