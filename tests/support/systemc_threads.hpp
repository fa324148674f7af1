// A test that has SystemC threads calls note_systemc_threads().
#pragma once

namespace flashloom {

#if defined(__SANITIZE_ADDRESS__)
inline bool has_systemc_threads = false;
/// LeakSanitizer calls this at exit. It cannot see pointers on the stacks of SystemC threads, nor, when there are such
/// threads, on main's stack, and it may crash on their stacks.
extern "C" __attribute__((used)) inline int __lsan_is_turned_off() { return has_systemc_threads ? 1 : 0; }
inline void note_systemc_threads() { has_systemc_threads = true; }
#else
inline void note_systemc_threads() {}
#endif

}  // namespace flashloom
