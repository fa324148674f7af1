// Runs the tests of a program, as its main does.
#pragma once

namespace flashloom {

inline constexpr int kSkipped = 77;  ///< exit code: all tests were skipped

/// Runs the tests that the arguments choose, in this process. Returns the exit code: 0, 1 (one failed, or called exit(),
/// or there is none), or kSkipped.
int run_tests(int argc, char** argv);

/// The same with a child process for each test: SystemC allows one simulation per process. A fork costs a hundredth of
/// a program's start. One test alone runs in this process, for a debugger.
int run_tests_apart(int argc, char** argv);

}  // namespace flashloom
