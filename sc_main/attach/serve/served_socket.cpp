#include "sc_main/attach/serve/served_socket.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

sockaddr_un address_of(const std::string& option, const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw UsageError(option + ": '" + path + "' is too long for a socket; valid: " +
                     std::to_string(sizeof address.sun_path - 1) + " characters");
  path.copy(address.sun_path, path.size());
  return address;
}

// Removes a socket that a killed process has left. Throws UsageError if another process serves it, or it is no socket.
void remove_stale(const std::string& option, const std::string& path, const sockaddr_un& address) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return;
  if (!fs::is_socket(status)) throw UsageError(option + ": '" + path + "' is there, and is no socket");
  const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    throw UsageError(option + ": another process serves '" + path + "'");
  fs::remove(path, error);
}

}  // namespace

FileDescriptor serve_at(const std::string& option, const std::string& path) {
  const sockaddr_un address = address_of(option, path);
  remove_stale(option, path, address);
  FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener || ::bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.number(), SOMAXCONN) != 0)
    throw UsageError(option + ": cannot make '" + path + "': " + std::generic_category().message(errno));
  return listener;
}

}  // namespace flashloom
