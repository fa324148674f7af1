// The wish of somebody at a terminal that this process ends (SIGINT, SIGTERM).
#pragma once

#include <csignal>

namespace flashloom {

/// What the handler of the signals has noted. sc_main/run/interrupt_watch.hpp sets it.
inline volatile std::sig_atomic_t interruption_asked = 0;
/// Whether what has nothing to report yet gives up by Interrupted; else somebody ends the work in order.
inline bool interruption_throws = false;

/// There is nothing to report. No std::exception: no handler of failures takes it for one.
struct Interrupted {};

/// The exit code where somebody has ended the work: as shells have it.
inline constexpr int kInterruptedCode = 128 + SIGINT;

inline bool interrupted() { return interruption_asked != 0; }
/// For long loops, now and then. Throws Interrupted.
inline void give_up_if_interrupted() {
  if (interruption_asked != 0 && interruption_throws) throw Interrupted{};
}

}  // namespace flashloom
