#include "sc_main/program/run/child_process.hpp"

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

#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/program/run/interrupt_watch.hpp"
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

// "+" and the body's answer, or "-" and the message of its exception.
std::string said_by(const std::function<std::string()>& body) {
  try {
    return '+' + body();
  } catch (const std::exception& error) {
    return std::string("-") + error.what();
  }
}

}  // namespace

/// A child, and its output so far.
class ChildPool::Child {
 public:
  Child(const std::function<std::string()>& body, std::size_t number, Ends end) : number_(number) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe to a child process");
    std::fflush(nullptr);  // else parent and child would both write what is buffered
    const pid_t parent = ::getpid();
    process_ = ::fork();
    if (process_ == 0) {
      // The child ends with its parent, which may have ended already before prctl().
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) std::_Exit(3);
      InterruptWatch::forget();
      ::close(ends[0]);
      write_all(ends[1], said_by(body));
      ::close(ends[1]);
      if (end == Ends::AtOnce) std::_Exit(0);
      std::exit(0);  // leak checks and coverage run at exit
    }
    ::close(ends[1]);
    pipe_ = ends[0];
    if (process_ < 0) {
      ::close(pipe_);
      throw std::runtime_error("no child process can be started");
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    finish();
  }

  std::size_t number() const { return number_; }
  int pipe() const { return pipe_; }

  /// Reads the available output; false when the child has closed its end.
  bool read() {
    char part[1 << 16];
    const ssize_t n = ::read(pipe_, part, sizeof part);
    if (n > 0) text_.append(part, static_cast<std::size_t>(n));
    return n > 0 || (n < 0 && errno == EINTR);
  }

  /// Waits for the child to exit, and returns its outcome.
  Outcome finish() {
    ::close(pipe_);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    if (WIFSIGNALED(status)) return {.answer = {}, .error = "ended by signal " + std::to_string(WTERMSIG(status))};
    if (WEXITSTATUS(status) != 0 || text_.empty())
      return {.answer = {}, .error = "ended with code " + std::to_string(WEXITSTATUS(status))};
    if (text_.front() == '-') return {.answer = {}, .error = text_.substr(1)};
    return {.answer = text_.substr(1), .error = {}};
  }

 private:
  std::size_t number_;
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string text_;
};

ChildPool::ChildPool(unsigned parallel, Ends ends) : parallel_(std::max(parallel, 1U)), ends_(ends) {}

ChildPool::~ChildPool() = default;

std::size_t ChildPool::start(const std::function<std::string()>& body) {
  while (running_.size() >= parallel_) take(kLookAgain);
  const std::size_t number = outcomes_.size();
  outcomes_.emplace_back();
  running_.push_back(std::make_unique<Child>(body, number, ends_));
  return number;
}

ChildPool::Outcome ChildPool::outcome(std::size_t number) {
  while (!outcomes_[number]) take(kLookAgain);
  return std::move(*outcomes_[number]);
}

void ChildPool::look() {
  if (!running_.empty()) take(0);
}

void ChildPool::wait() { take(kLookAgain); }

void ChildPool::take(int wait_ms) {
  std::vector<pollfd> pipes;
  for (const auto& child : running_) pipes.push_back({.fd = child->pipe(), .events = POLLIN, .revents = 0});
  // A signal that comes just before poll() does not interrupt it: hence the limit `wait_ms`.
  if (::poll(pipes.data(), pipes.size(), wait_ms) < 0 && errno != EINTR) throw std::runtime_error("poll failed");
  give_up_if_interrupted();  // children end with their parent
  for (std::size_t i = running_.size(); i-- > 0;) {
    if (pipes[i].revents == 0 || running_[i]->read()) continue;
    outcomes_[running_[i]->number()] = running_[i]->finish();
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::vector<Json> in_children(std::size_t count, unsigned parallel, const std::function<Json(std::size_t)>& body) {
  ChildPool pool(parallel);
  for (std::size_t number = 0; number < count; ++number) pool.start([&] { return json_text(body(number)); });
  std::vector<Json> answers;
  std::string error;
  for (std::size_t number = 0; number < count; ++number) {
    const ChildPool::Outcome outcome = pool.outcome(number);
    if (error.empty()) error = outcome.error;
    answers.push_back(outcome.error.empty() ? Json::parse(outcome.answer) : Json());
  }
  give_up_if_interrupted();  // the same signal may have ended the children
  if (!error.empty()) throw std::runtime_error(error);
  return answers;
}

}  // namespace flashloom
