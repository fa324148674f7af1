#include "sc_main/attach/linux/guest_process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace flashloom {
namespace {

constexpr int kFirstPipe = 3;  // the guest's descriptor of the first pipe

// The processors that the program could use at its start.
const std::vector<std::size_t>& all_processors() {
  static const std::vector<std::size_t> all = [] {
    std::vector<std::size_t> found;
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set)) found.push_back(i);
    return found;
  }();
  return all;
}

// Pins this process and its children. Errors are ignored, since this only improves speed.
void stay_on(std::size_t processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

bool has_room(const char* folder, std::uint64_t bytes) {
  struct statvfs space {};
  return ::statvfs(folder, &space) == 0 && std::uint64_t{space.f_bavail} * space.f_frsize >= bytes;
}

// The guest reads the terminal from a process group of its own, so it must be that of the foreground. Without the ignored
// signal the host would stop whoever sets a terminal from the background.
void take_terminal(int input) {
  ::signal(SIGTTOU, SIG_IGN);
  if (input >= 0 && ::isatty(input) != 0) ::tcsetpgrp(input, ::getpgrp());
}

[[noreturn]] void become(const GuestCommand& command, char* const* arguments, char* const* environment) {
  take_terminal(command.input);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int input = command.input >= 0 ? command.input : nothing;
  const int output = command.output >= 0 ? command.output : nothing;
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  // First duplicates the descriptors to high numbers, so that none is overwritten.
  std::vector<int> pipes;
  for (const int pipe : command.pipes) pipes.push_back(::fcntl(pipe, F_DUPFD_CLOEXEC, kFirstPipe + 16));
  for (std::size_t i = 0; i < pipes.size(); ++i) ::dup2(pipes[i], kFirstPipe + static_cast<int>(i));
  if (::chdir(command.directory.c_str()) == 0) ::execve(command.kernel.c_str(), arguments, environment);
  std::_Exit(127);
}

}  // namespace

unsigned processors() { return static_cast<unsigned>(std::max<std::size_t>(all_processors().size(), 1)); }

void use_processor(std::size_t number) {
  if (!all_processors().empty()) stay_on(all_processors()[number % all_processors().size()]);
}

GuestProcess::GuestProcess(const GuestCommand& command)
    : GuestProcess(
          [&command] {
            std::vector<char*> arguments = {const_cast<char*>("linux")};
            for (const std::string& argument : command.arguments)
              arguments.push_back(const_cast<char*>(argument.c_str()));
            arguments.push_back(nullptr);
            const std::string preload = "LD_PRELOAD=" + command.preload;
            const std::string seed = "FLASHLOOM_SEED=" + std::to_string(command.entropy_seed);
            std::vector<char*> environment = {const_cast<char*>("TERM=dumb"), const_cast<char*>("HOME=."),
                                              const_cast<char*>(seed.c_str())};
            const std::string memory = "TMPDIR=" + command.directory;
            if (!has_room("/dev/shm", command.memory)) environment.push_back(const_cast<char*>(memory.c_str()));
            if (!command.preload.empty()) environment.push_back(const_cast<char*>(preload.c_str()));
            environment.push_back(nullptr);
            become(command, arguments.data(), environment.data());
          },
          command.directory) {}

GuestProcess::GuestProcess(const std::function<void()>& body, const std::string& folder) {
  all_processors();  // determined before this process is pinned to one
  if (const int processor = ::sched_getcpu(); processor >= 0) stay_on(static_cast<std::size_t>(processor));
  start_guard(folder);
  std::fflush(nullptr);  // else parent and child would both write what is buffered
  process_ = ::fork();
  if (process_ == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::personality(ADDR_NO_RANDOMIZE);
    body();
    std::_Exit(0);
  }
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "the guest cannot be started");
  ::setpgid(process_, process_);  // both processes do this, since either may be first
  if (::write(guard_pipe_.number(), &process_, sizeof process_) != sizeof process_)
    throw std::runtime_error("the guest's guard has ended");
  ended_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  if (!ended_) throw std::system_error(errno, std::generic_category(), "pidfd_open");
}

GuestProcess::~GuestProcess() {
  kill();
  guard_pipe_.close();
  if (guard_ > 0) ::waitpid(guard_, nullptr, 0);
}

// With PR_SET_PDEATHSIG Linux ends a child with its parent, but not the processes that User-Mode Linux traces, which
// would run for ever. The guard kills the whole group when its pipe closes.
void GuestProcess::start_guard(const std::string& folder) {
  auto [out, in] = make_pipe();
  std::fflush(nullptr);
  guard_ = ::fork();
  if (guard_ < 0) throw std::system_error(errno, std::generic_category(), "the guest's guard cannot be started");
  if (guard_ != 0) {
    guard_pipe_ = std::move(in);
    return;
  }
  ::setsid();
  in.close();
  pid_t group = 0;
  char more = 0;
  if (::read(out.number(), &group, sizeof group) == sizeof group && group > 0) {
    while (::read(out.number(), &more, 1) != 0) {
    }
    ::kill(-group, SIGKILL);
    std::error_code ignored;
    if (!folder.empty()) std::filesystem::remove_all(folder, ignored);
  }
  std::_Exit(0);
}

void GuestProcess::kill() {
  if (process_ <= 0) return;
  ::kill(-process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

}  // namespace flashloom
