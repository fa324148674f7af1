// Interruption of this process by SIGINT or SIGTERM.
#pragma once

#include <csignal>

namespace flashloom {

/// Not 0 once a signal has arrived. The signal handler of sc_main/program/run/interrupt_watch.hpp sets it.
inline volatile std::sig_atomic_t interruption_asked = 0;
/// Whether give_up_if_interrupted() throws, because there is no result to report yet. If not, the caller checks
/// interrupted() and ends its work in order.
inline bool interruption_throws = false;

/// Thrown on an interruption when there is no result to report. Not derived from std::exception, so that handlers of
/// failures do not catch it.
struct Interrupted {};

/// The exit code of an interrupted process, by the convention of shells.
inline constexpr int kInterruptedCode = 128 + SIGINT;

inline bool interrupted() { return interruption_asked != 0; }
/// Long loops call this regularly. Throws Interrupted if interruption_throws is set.
inline void give_up_if_interrupted() {
  if (interruption_asked != 0 && interruption_throws) throw Interrupted{};
}

}  // namespace flashloom
