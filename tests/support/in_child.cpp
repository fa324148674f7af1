#include "tests/support/in_child.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

namespace flashloom {
namespace {

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n <= 0) std::_Exit(3);
    done += static_cast<std::size_t>(n);
  }
}

std::string read_all(int file) {
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t n = ::read(file, part, sizeof part);
    if (n <= 0) return text;
    text.append(part, static_cast<std::size_t>(n));
  }
}

std::string answer_of(const std::function<nlohmann::ordered_json()>& body) {
  nlohmann::ordered_json answer;
  try {
    answer["value"] = body();
  } catch (const std::exception& error) {
    answer["error"] = error.what();
  }
  return answer.dump();
}

}  // namespace

nlohmann::ordered_json in_child(const std::function<nlohmann::ordered_json()>& body) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("in_child: no pipe");
  std::fflush(nullptr);  // what is buffered would be written twice
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("in_child: no process");
  if (child == 0) {
    ::close(ends[0]);
    write_all(ends[1], answer_of(body));
    ::close(ends[1]);
    std::exit(0);  // leak checks and coverage run at exit
  }
  ::close(ends[1]);
  const std::string text = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) throw std::runtime_error("in_child: ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    throw std::runtime_error("in_child: ended with code " + std::to_string(WEXITSTATUS(status)));
  const auto answer = nlohmann::ordered_json::parse(text);
  if (answer.contains("error")) throw std::runtime_error(answer["error"].get<std::string>());
  return answer["value"];
}

}  // namespace flashloom
