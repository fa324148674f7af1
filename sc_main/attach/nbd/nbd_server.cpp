#include "sc_main/attach/nbd/nbd_server.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "sc_main/attach/nbd/nbd_messages.hpp"
#include "sc_main/attach/serve/served_socket.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/program_files.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlugin = "flashloom-nbdkit-plugin.so";
constexpr int kThreads = 64;  // per connection: limits its requests in flight
constexpr int kFarDescriptor = 32;
constexpr int kCannotExecute = 127;

std::string plugin_path() {
  return beside_program(kPlugin, "install nbdkit-plugin-dev and nbdkit, and build flashloom again");
}

// Restores the signal handling in a child before exec().
void unblock_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  std::signal(SIGXFSZ, SIG_DFL);
}

std::string described(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

NbdServer::NbdServer(std::string path) : path_(std::move(path)) {
  plugin_path();  // throws before there is anything to clean up
  listener_ = serve_at("--unix", path_);
}

NbdServer::~NbdServer() {
  kill();
  wait();
  if (listener_) ::unlink(path_.c_str());
}

void NbdServer::start(const Shape& shape) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  channel_ = FileDescriptor(ends[0]);
  const FileDescriptor theirs(ends[1]);
  std::vector<std::string> words = {"nbdkit",
                                    "--foreground",
                                    "--exit-with-parent",
                                    "--threads",
                                    std::to_string(kThreads),
                                    plugin_path(),
                                    "size=" + std::to_string(shape.size),
                                    "sector=" + std::to_string(shape.sector),
                                    "preferred=" + std::to_string(shape.preferred)};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  std::fflush(nullptr);
  nbdkit_ = ::fork();
  if (nbdkit_ < 0) throw std::system_error(errno, std::generic_category(), "nbdkit cannot be started");
  if (nbdkit_ != 0) return;
  ::setpgid(0, 0);  // ^C must reach only the simulation, which tells nbdkit when to end
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) std::_Exit(kCannotExecute);
  unblock_signals();
  // First duplicates the descriptors to high numbers, so that none is overwritten.
  const int listener = ::fcntl(listener_.number(), F_DUPFD_CLOEXEC, kFarDescriptor);
  const int channel = ::fcntl(theirs.number(), F_DUPFD_CLOEXEC, kFarDescriptor);
  ::dup2(listener, kNbdListenDescriptor);
  ::dup2(channel, kNbdChannelDescriptor);
  ::setenv("LISTEN_FDS", "1", 1);
  ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
  ::unsetenv("LISTEN_FDNAMES");
  ::execvp(arguments[0], arguments.data());
  std::perror("flashloom: nbdkit cannot be started");
  std::_Exit(kCannotExecute);
}

std::string NbdServer::uri() const { return "nbd+unix:///?socket=" + fs::absolute(path_).string(); }

void NbdServer::kill() {
  if (nbdkit_ > 0) ::kill(nbdkit_, SIGKILL);
}

std::string NbdServer::wait() {
  if (nbdkit_ <= 0) return {};
  const int status = wait_for(nbdkit_);
  nbdkit_ = -1;
  return status == 0 ? std::string() : described(status);
}

NbdClient::NbdClient(const std::string& command, const NbdServer& server) {
  const std::string path = fs::absolute(server.path()).string();
  std::fflush(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "--run");
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    unblock_signals();
    ::setenv("uri", server.uri().c_str(), 1);
    ::setenv("unixsocket", path.c_str(), 1);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    std::_Exit(kCannotExecute);
  }
  ended_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  if (!ended_) throw std::system_error(errno, std::generic_category(), "pidfd_open");
}

NbdClient::~NbdClient() {
  stop();
  wait();
}

void NbdClient::stop() {
  if (process_ > 0) ::kill(process_, SIGTERM);
}

int NbdClient::wait() {
  if (process_ <= 0) return 0;
  const int status = wait_for(process_);
  process_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace flashloom
