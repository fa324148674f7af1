// What a test says that has SystemC threads.
#pragma once

namespace flashloom {

#if defined(__SANITIZE_ADDRESS__)
inline bool has_systemc_threads = false;
/// LeakSanitizer asks this at the end. It does not find what only SystemC's threads point to, nor, beside them, what
/// main's stack does; and it may break down on their stacks.
extern "C" __attribute__((used)) inline int __lsan_is_turned_off() { return has_systemc_threads ? 1 : 0; }
inline void note_systemc_threads() { has_systemc_threads = true; }
#else
inline void note_systemc_threads() {}
#endif

}  // namespace flashloom
