#include "sc_main/program/run/interrupt_watch.hpp"

#include <cstddef>
#include <iterator>

#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

constexpr int kWatched[] = {SIGINT, SIGTERM};

void note_interruption(int /*signal*/) {
  interruption_asked = 1;
  InterruptWatch::forget();
}

}  // namespace

InterruptWatch::InterruptWatch() {
  interruption_asked = 0;
  interruption_throws = true;
  struct sigaction action {};
  action.sa_handler = note_interruption;  // without SA_RESTART: a blocked system call returns, and the caller polls
  for (std::size_t i = 0; i < std::size(kWatched); ++i) {
    ::sigaction(kWatched[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kWatched[i], &action, nullptr);
  }
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t i = 0; i < std::size(kWatched); ++i) ::sigaction(kWatched[i], &before_[i], nullptr);
  interruption_throws = false;
}

void InterruptWatch::finish_in_order() { interruption_throws = false; }

// Async-signal-safe: it calls only sigaction() and signal().
void InterruptWatch::forget() {
  for (const int signal : kWatched) {
    struct sigaction now {};
    ::sigaction(signal, nullptr, &now);
    if (now.sa_handler == note_interruption) ::signal(signal, SIG_DFL);
  }
}

}  // namespace flashloom
