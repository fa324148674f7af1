// Runs functions in forked child processes: SystemC allows one simulation per process.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace flashloom {

/// Runs bodies in forked child processes. Each child starts from the parent's state at that moment, while the parent
/// goes on. Children end with the parent, however it ends.
class ChildPool {
 public:
  /// Outcome of a body: its answer, or the message of its exception, or the signal that killed it.
  struct Outcome {
    std::string answer;
    std::string error;  ///< empty: there is an answer
  };
  /// How a child ends after its answer: by exit(), which runs its handlers, or by _Exit(), as a child with a simulation
  /// must.
  enum class Ends { Exit, AtOnce };

  /// At most `parallel` at the same time.
  explicit ChildPool(unsigned parallel, Ends ends = Ends::Exit);
  ~ChildPool();

  /// Waits for room, then starts a body. Returns its number, from 0. Throws std::runtime_error.
  std::size_t start(const std::function<std::string()>& body);
  bool has_room() const { return running_.size() < parallel_; }
  /// Whether a body has ended; before outcome() has returned its outcome.
  bool ended(std::size_t number) const { return outcomes_[number].has_value(); }
  /// Waits until a running body writes output or ends, at most a tenth of a second.
  void wait();
  /// Waits for a body and returns its outcome, once; reads the other bodies' output meanwhile.
  Outcome outcome(std::size_t number);
  /// Reads the output of the running bodies so that none blocks on a full pipe. Does not wait.
  void look();

 private:
  class Child;
  void take(int wait_ms);

  unsigned parallel_;
  Ends ends_;
  std::vector<std::unique_ptr<Child>> running_;
  std::vector<std::optional<Outcome>> outcomes_;
};

/// Calls body(0) .. body(count - 1), each in a forked child, at most `parallel` at the same time; returns what they
/// returned, in order. No simulation may exist in this process yet. After all have ended, throws std::runtime_error if
/// any failed, with the first one's message or the signal that killed it. Children end with this process, however it
/// ends.
std::vector<nlohmann::ordered_json> in_children(std::size_t count, unsigned parallel,
                                                const std::function<nlohmann::ordered_json(std::size_t)>& body);

}  // namespace flashloom
