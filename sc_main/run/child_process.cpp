#include "sc_main/run/child_process.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "sc_main/run/interrupt_watch.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLookAgain = 100;  // ms

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) std::_Exit(3);
    done += static_cast<std::size_t>(n);
  }
}

std::string answer_of(const std::function<Json(std::size_t)>& body, std::size_t number) {
  Json answer;
  try {
    answer["value"] = body(number);
  } catch (const std::exception& error) {
    answer["error"] = error.what();
  }
  return answer.dump();
}

/// A child, and what it has written so far.
class Child {
 public:
  Child(const std::function<Json(std::size_t)>& body, std::size_t number) : number_(number) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe to a child process");
    std::fflush(nullptr);  // what is buffered would be written twice
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ == 0) {
      // Without the parent nobody hears the answer; it may have ended before it could be said so.
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) std::_Exit(3);
      InterruptWatch::forget();
      ::close(ends[0]);
      write_all(ends[1], answer_of(body, number));
      ::close(ends[1]);
      std::exit(0);  // leak checks and coverage run at exit
    }
    ::close(ends[1]);
    pipe_ = ends[0];
    if (process_ < 0) {
      ::close(pipe_);
      throw std::runtime_error("no child process can be started");
    }
  }

  std::size_t number() const { return number_; }
  int pipe() const { return pipe_; }

  /// Takes what is there; false when the child has closed its end.
  bool read() {
    char part[4096];
    const ssize_t n = ::read(pipe_, part, sizeof part);
    if (n > 0) text_.append(part, static_cast<std::size_t>(n));
    return n > 0 || (n < 0 && errno == EINTR);
  }

  /// After the end: {"value": ...} or {"error": "..."}.
  Json finish() {
    ::close(pipe_);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) return {{"error", "ended by signal " + std::to_string(WTERMSIG(status))}};
    if (WEXITSTATUS(status) != 0) return {{"error", "ended with code " + std::to_string(WEXITSTATUS(status))}};
    return Json::parse(text_);
  }

 private:
  std::size_t number_;
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string text_;
};

}  // namespace

std::vector<Json> in_children(std::size_t count, unsigned parallel, const std::function<Json(std::size_t)>& body) {
  std::vector<Json> answers(count);
  std::vector<Child> running;
  std::size_t started = 0;
  while (started < count || !running.empty()) {
    while (started < count && running.size() < std::max(parallel, 1U)) running.emplace_back(body, started++);
    std::vector<pollfd> pipes;
    for (const Child& child : running) pipes.push_back({.fd = child.pipe(), .events = POLLIN, .revents = 0});
    // A signal that comes just before poll() does not end it.
    if (::poll(pipes.data(), pipes.size(), kLookAgain) < 0 && errno != EINTR) throw std::runtime_error("poll failed");
    give_up_if_interrupted();  // children end with their parent
    for (std::size_t i = running.size(); i-- > 0;) {
      if (pipes[i].revents == 0 || running[i].read()) continue;
      answers[running[i].number()] = running[i].finish();
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  give_up_if_interrupted();  // the same signal may have ended them
  for (Json& answer : answers) {
    if (answer.contains("error")) throw std::runtime_error(answer["error"].get<std::string>());
    answer = Json(std::move(answer["value"]));
  }
  return answers;
}

}  // namespace flashloom
