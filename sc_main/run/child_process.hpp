// Bodies in processes of their own: SystemC allows one simulation a process.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace flashloom {

/// Bodies that are forked off one by one, each from what this process is then, while it goes on. They end with it,
/// however it ends.
class ChildPool {
 public:
  /// What becomes of a body: its answer, or what it threw or the signal that ended it.
  struct Outcome {
    std::string answer;
    std::string error;  ///< empty: there is an answer
  };
  /// Of a child that has answered: it returns from nothing, and runs the handlers of exit(); or it is gone at once, as
  /// one must be that has a simulation.
  enum class Ends { Exit, AtOnce };

  /// At most `parallel` at the same time.
  explicit ChildPool(unsigned parallel, Ends ends = Ends::Exit);
  ~ChildPool();

  /// Starts a body when there is room; waits for that. Returns its number, from 0. Throws std::runtime_error.
  std::size_t start(const std::function<std::string()>& body);
  bool has_room() const { return running_.size() < parallel_; }
  /// Whether a body has, whose outcome nobody has taken.
  bool ended(std::size_t number) const { return outcomes_[number].has_value(); }
  /// Until one of the running bodies says something or ends, or for a tenth of a second.
  void wait();
  /// Of a body, once; waits for it, and takes what the others have to say meanwhile.
  Outcome outcome(std::size_t number);
  /// Takes what the running ones have said so far, so that none waits for its pipe. Waits for nothing.
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
/// returned, in order. No simulation may exist in this process yet. Throws std::runtime_error with the message of what
/// the first of them threw, or with the signal that ended it; all have ended then. They end with this process, however
/// it ends.
std::vector<nlohmann::ordered_json> in_children(std::size_t count, unsigned parallel,
                                                const std::function<nlohmann::ordered_json(std::size_t)>& body);

}  // namespace flashloom
