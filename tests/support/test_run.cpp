#include "tests/support/test_run.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace flashloom {
namespace {

bool ended = false;
pid_t runner = 0;  ///< the process that runs tests; a test may have children of its own

/// A test that calls exit() has not passed, whatever code it gives.
void fail_early_exits() {
  runner = getpid();
  std::atexit([] {
    if (!ended && getpid() == runner) _exit(1);
  });
}

int run_all() {
  const int code = RUN_ALL_TESTS();
  ended = true;
  return code;
}

int run_chosen() {
  if (run_all() != 0) return 1;
  if (GTEST_FLAG_GET(list_tests)) return 0;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  if (all.test_to_run_count() == 0) return 1;  // a filter that chooses nothing
  return all.skipped_test_count() == all.test_to_run_count() ? kSkipped : 0;
}

/// Calls `body` in a child, with the standard output at `out` unless that is negative.
template <typename Body>
pid_t fork_with(int out, const Body& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child != 0) return child;
  runner = getpid();
  if (out >= 0) dup2(out, STDOUT_FILENO);
  const int code = body();
  std::fflush(nullptr);
#ifdef __SANITIZE_ADDRESS__  // what only the stack of a SystemC thread refers to would count as leaked
  _exit(code);
#endif
  std::exit(code);
}

/// The names of the tests that the filter chooses. GoogleTest tells them only by printing them: in a child.
std::vector<std::string> chosen_tests() {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = fork_with(ends[1], [] {
    GTEST_FLAG_SET(list_tests, true);
    return run_all();
  });
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t size = 0; (size = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the tests cannot be listed");
  std::vector<std::string> names;
  std::istringstream lines(text);
  std::string suite;
  for (std::string line; std::getline(lines, line);) {
    line.resize(line.find_last_not_of(" ", line.find("  #")) + 1);  // without the comment of a parameter
    if (line.starts_with("  ")) {
      names.push_back(suite + line.substr(2));
    } else {
      suite = line;
    }
  }
  return names;
}

}  // namespace

int run_tests(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  fail_early_exits();
  return run_chosen();
}

int run_tests_apart(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  fail_early_exits();
  if (GTEST_FLAG_GET(list_tests)) return run_chosen();
  const std::vector<std::string> names = chosen_tests();
  if (names.size() < 2) return run_chosen();
  std::size_t failed = 0;
  std::size_t skipped = 0;
  for (const std::string& name : names) {
    int status = 0;
    waitpid(fork_with(-1,
                      [&name] {
                        GTEST_FLAG_SET(filter, name);
                        GTEST_FLAG_SET(brief, true);
                        return run_chosen();
                      }),
            &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    const bool skips = WIFEXITED(status) && WEXITSTATUS(status) == kSkipped;
    ++(skips ? skipped : failed);
    std::printf("%s %s\n", skips ? "[  SKIPPED ]" : "[  FAILED  ]", name.c_str());
  }
  ended = true;
  std::printf("%zu tests, %zu failed, %zu skipped\n", names.size(), failed, skipped);
  return failed != 0 ? 1 : skipped == names.size() ? kSkipped : 0;
}

}  // namespace flashloom
