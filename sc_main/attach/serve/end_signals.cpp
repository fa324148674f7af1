#include "sc_main/attach/serve/end_signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace flashloom {

EndSignals::EndSignals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, &before_);
  descriptor_ = FileDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor_) throw std::system_error(errno, std::generic_category(), "signalfd");
}

EndSignals::~EndSignals() {
  take();
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool EndSignals::take() {
  signalfd_siginfo signal{};
  bool any = false;
  while (::read(descriptor_.number(), &signal, sizeof signal) == sizeof signal) any = true;
  return any;
}

}  // namespace flashloom
