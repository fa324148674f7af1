// The scheduler of firmware coroutines: one FIFO run queue, and the list of live frames so that a power cut can destroy
// them. It knows no clock and no SystemC: whoever completes an operation calls wake().
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "controllers/runtime/frame_pool.hpp"

namespace flashloom {

class Runtime;

/// Links a live coroutine frame into its runtime; base of every task promise.
class FrameLink {
 public:
  FrameLink(const FrameLink&) = delete;
  FrameLink& operator=(const FrameLink&) = delete;

  static void* operator new(std::size_t bytes) { return FramePool::allocate(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { FramePool::release(memory, bytes); }

 protected:
  inline FrameLink();
  inline ~FrameLink();

  Runtime* runtime_;
  std::coroutine_handle<> self_;

 private:
  friend class Runtime;
  FrameLink* previous_;
  FrameLink* next_;
};

/// Runs coroutines until all of them wait for something outside. Not copyable; outlives its frames by destroying them.
class Runtime {
 public:
  Runtime() : ring_(std::make_unique<std::coroutine_handle<>[]>(kFirstSize)), mask_(kFirstSize - 1) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime() { destroy_frames(); }

  /// The runtime that new coroutines join: the one that runs now, or the one of the innermost Scope.
  static Runtime& current() { return *current_; }

  /// Makes a runtime current, for creating its coroutines from outside.
  class Scope {
   public:
    explicit Scope(Runtime& runtime) : previous_(current_) { current_ = &runtime; }
    ~Scope() { current_ = previous_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Runtime* previous_;
  };

  /// Queues a suspended coroutine; runs the queue at once unless it runs already (then its turn comes in FIFO order).
  void wake(std::coroutine_handle<> coroutine) {
    push(coroutine);
    if (!running_) drain();
  }

  /// Creates a task by calling `make` and starts it; it owns itself and ends unobserved. An exception that leaves it
  /// leaves drain() too. A task made inside this runtime starts at once, inline.
  template <class Make>
  void spawn(Make&& make) {
    Scope scope(*this);
    auto task = make();
    const std::coroutine_handle<> handle = task.detach();
    if (running_)
      handle.resume();
    else
      wake(handle);
  }

  /// What leaves a coroutine during a wake-up from outside goes to `handler` in place of being thrown at the waker, who
  /// cannot know what to do with it.
  void on_failure(std::function<void(std::exception_ptr)> handler) { on_failure_ = std::move(handler); }

  /// No coroutine is runnable.
  bool idle() const { return head_ == tail_; }

  /// No coroutine is under way, not even one that waits.
  bool quiescent() const { return frames_ == nullptr; }

  /// Destroys all frames, newest first, and forgets the run queue: a power cut. Must not be called from a coroutine.
  void destroy_frames();

 private:
  friend class FrameLink;

  void push(std::coroutine_handle<> coroutine) {
    ring_[tail_++ & mask_] = coroutine;
    if (tail_ - head_ > mask_) [[unlikely]]
      grow();
  }
  void drain();
  [[gnu::cold]] void grow();

  static constexpr std::size_t kFirstSize = 1024;

  inline static Runtime* current_ = nullptr;
  std::unique_ptr<std::coroutine_handle<>[]> ring_;
  std::uint64_t mask_;  // its size, a power of two, less 1
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
  FrameLink* frames_ = nullptr;
  bool running_ = false;
  std::function<void(std::exception_ptr)> on_failure_;
};

FrameLink::FrameLink() : runtime_(&Runtime::current()), previous_(nullptr), next_(runtime_->frames_) {
  if (next_ != nullptr) next_->previous_ = this;
  runtime_->frames_ = this;
}

FrameLink::~FrameLink() {
  if (previous_ != nullptr)
    previous_->next_ = next_;
  else
    runtime_->frames_ = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

}  // namespace flashloom
