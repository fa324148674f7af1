// The calendar of a guest whose time belongs to the simulation: Linux's time-travel protocol (User-Mode Linux,
// include/uapi/linux/um_timetravel.h, with the shared memory of Linux 6.12), the controller's side.
#pragma once

#include <cstdint>
#include <string>

#include "sc_main/linux/file_descriptor.hpp"

namespace flashloom {

/// One guest. It runs while the simulation stands, until it waits; then the simulation goes on, until the guest runs
/// again. Times are nanoseconds of the simulation.
class Calendar {
 public:
  static constexpr std::uint64_t kForever = 0x7fff'ffff'ffff'ffff;

  /// Listens at `path`. `time_of_day`: of the guest's clock at time 0, nanoseconds since 1970; `now`: when it starts.
  Calendar(const std::string& path, std::uint64_t time_of_day, std::uint64_t now);
  ~Calendar();
  Calendar(const Calendar&) = delete;
  Calendar& operator=(const Calendar&) = delete;

  /// The guest connects. To be called when it is started and its listener() is readable.
  void accept() { guest_ = accept_from(listener_); }
  const FileDescriptor& listener() const { return listener_; }
  int socket() const { return guest_.number(); }
  bool connected() const { return static_cast<bool>(guest_); }

  enum class Event { Nothing, Waits, Gone };
  /// Takes one message, which must be there.
  Event receive();

  /// Guest's time, while it runs: at the last thing that it told a device.
  std::uint64_t now() const;
  /// When the guest that waits wants to run; kForever: only when something happens.
  std::uint64_t wanted() const;
  /// The guest that runs may go on by itself before `until`.
  void allow_until(std::uint64_t until);
  /// An interrupt comes to the guest that waits: its time.
  void set_now(std::uint64_t now);
  /// The guest that waits runs from `now` on, and may go on by itself before `until`.
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
  std::uint64_t begin_;  // the guest itself counts from here
  std::uint32_t sequence_ = 0;
};

}  // namespace flashloom
