// The scheduler of firmware coroutines: one FIFO run queue, and a register of live frames so that a power cut can
// destroy them. It uses neither a clock nor SystemC: whoever completes an operation calls wake().
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "controllers/runtime/frame_pool.hpp"

namespace flashloom {

class Runtime;

/// Enters a live coroutine frame into its runtime's register; base of every task promise.
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
  std::uint32_t place_;  // in the register
};

/// Runs coroutines until all of them wait for something outside. Not copyable; its destructor destroys its frames.
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

  /// Queues a suspended coroutine, and runs the queue unless it is being run already (the order is FIFO).
  void wake(std::coroutine_handle<> coroutine) {
    push(coroutine);
    if (!running_) drain();
  }

  /// Creates a task by calling `make` and starts it; the task releases itself when it ends. An exception that leaves it
  /// also leaves drain(). If this runtime is running, the task starts at once, inline.
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

  /// Runs `step`, then the coroutines that it wakes, as wake() does with a coroutine. Called from outside, while no
  /// coroutine runs.
  template <class Step>
  void run(Step&& step) {
    const Running running(*this);
    try {
      step();
    } catch (...) {
      failed();
    }
    resume_all();
  }

  /// As spawn(), for a step that needs no coroutine frame.
  template <class Step>
  void begin(Step&& step) {
    if (!running_) return run(step);
    const Scope scope(*this);
    step();
  }

  /// Counts something that is under way without a coroutine of its own, until let_go().
  void hold() { ++live_; }
  void let_go() { --live_; }

  /// An exception that leaves a coroutine during a wake-up from outside goes to `handler`. It is not thrown at the
  /// caller of wake(), who could not handle it.
  void on_failure(std::function<void(std::exception_ptr)> handler) { on_failure_ = std::move(handler); }

  /// No coroutine is runnable.
  bool idle() const { return head_ == tail_; }

  /// Some coroutine runs now.
  bool running() const { return running_; }

  /// Nothing is under way, not even a coroutine that waits.
  bool quiescent() const { return live_ == 0; }

  /// Destroys all frames, newest first, and forgets the run queue: a power cut. Must not be called from a coroutine.
  void destroy_frames();

 private:
  friend class FrameLink;

  void push(std::coroutine_handle<> coroutine) {
    ring_[tail_++ & mask_] = coroutine;
    if (tail_ - head_ > mask_) [[unlikely]]
      grow();
  }
  struct Running {
    explicit Running(Runtime& runtime) : scope(runtime), of(runtime) { of.running_ = true; }
    ~Running() { of.running_ = false; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    const Scope scope;
    Runtime& of;
  };
  void drain();
  void resume_all();
  [[gnu::cold]] void failed();
  [[gnu::cold]] void grow();
  [[gnu::cold]] void enlarge_register();

  static constexpr std::size_t kFirstSize = 1024;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // An array of frames instead of an intrusive list: the begin or end of a frame touches no other frame, which could be
  // a miss in the CPU's cache.
  struct Live {
    FrameLink* frame = nullptr;  // null: a free place
    std::uint64_t number = 0;    // of a frame: its number in the order of creation; of a free place: the next free one
  };

  inline static Runtime* current_ = nullptr;
  std::unique_ptr<std::coroutine_handle<>[]> ring_;
  std::uint64_t mask_;  // its size, a power of two, less 1
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
  std::vector<Live> register_;
  std::uint32_t first_free_ = kNone;
  std::uint32_t live_ = 0;
  std::uint64_t births_ = 0;
  bool running_ = false;
  std::function<void(std::exception_ptr)> on_failure_;
};

FrameLink::FrameLink() : runtime_(&Runtime::current()) {
  Runtime& runtime = *runtime_;
  if (runtime.first_free_ == Runtime::kNone) [[unlikely]]
    runtime.enlarge_register();
  place_ = runtime.first_free_;
  Runtime::Live& live = runtime.register_[place_];
  runtime.first_free_ = static_cast<std::uint32_t>(live.number);
  live = {this, ++runtime.births_};
  ++runtime.live_;
}

FrameLink::~FrameLink() {
  Runtime& runtime = *runtime_;
  runtime.register_[place_] = {nullptr, std::exchange(runtime.first_free_, place_)};
  --runtime.live_;
}

}  // namespace flashloom
