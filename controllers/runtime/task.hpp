// Task<T>: a lazy coroutine of firmware. It is awaited exactly once (or handed to Runtime::spawn).
//
// Shape, and why:
//  * await_suspend resumes the child inline and returns false when the child has finished, so chains of awaits that
//    never wait use no stack (symmetric transfer overflows it at -O0 and under AddressSanitizer).
//  * Task and its awaiter are trivially destructible: GCC 12 miscompiles owning temporaries inside co_await
//    expressions. The frame is released in await_resume; frames that a power cut leaves behind are released by their
//    Runtime.
//  * A child that did wait resumes its parent through the run queue, so wake-ups keep one FIFO order.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "controllers/runtime/runtime.hpp"

namespace flashloom {

namespace detail {

class TaskPromiseBase : public FrameLink {
 public:
  std::suspend_always initial_suspend() const noexcept { return {}; }

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    // A detached frame does not suspend here, and so releases itself.
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) const noexcept {
      return handle.promise().ended();
    }
    void await_resume() const noexcept {}
  };
  FinalAwaiter final_suspend() const noexcept { return {}; }

  void unhandled_exception() {
    if (detached_) throw;
    failure_ = std::current_exception();
  }
  void set_parent(std::coroutine_handle<> parent) { parent_ = parent; }
  void detach() { detached_ = true; }
  void rethrow() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  bool ended() noexcept {
    if (detached_) return false;
    if (parent_) runtime_->wake(parent_);
    return true;
  }

 private:
  bool detached_ = false;  // the first member: it fits into the padding of the base class
  std::coroutine_handle<> parent_;
  std::exception_ptr failure_;
};

template <class T>
class TaskPromise;

}  // namespace detail

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  /// A completed task without a coroutine frame, for work that did not have to wait. It can only be awaited.
  static Task over() requires std::is_void_v<T> { return Task(Handle{}); }

  struct Awaiter {
    Handle child;
    bool await_ready() const noexcept { return std::is_void_v<T> && !child; }
    bool await_suspend(std::coroutine_handle<> parent) const {
      child.resume();
      if (child.done()) return false;
      child.promise().set_parent(parent);
      return true;
    }
    T await_resume() const {
      if constexpr (std::is_void_v<T>)
        if (!child) return;
      return promise_type::take(child);
    }
  };
  Awaiter operator co_await() const noexcept { return Awaiter{handle_}; }

  /// True for a task made by over().
  bool is_over() const { return !handle_; }

  /// Gives up the frame: it runs on its own and releases itself.
  std::coroutine_handle<> detach() const {
    handle_.promise().detach();
    return handle_;
  }

 private:
  Handle handle_;
};

namespace detail {

template <class T>
class TaskPromise final : public TaskPromiseBase {
 public:
  Task<T> get_return_object() {
    const auto handle = std::coroutine_handle<TaskPromise>::from_promise(*this);
    self_ = handle;
    return Task<T>(handle);
  }
  template <class U>
  void return_value(U&& value) {
    result_.emplace(std::forward<U>(value));
  }
  static T take(std::coroutine_handle<TaskPromise> handle) {
    struct Release {
      std::coroutine_handle<TaskPromise> frame;
      ~Release() { frame.destroy(); }
    } release{handle};
    handle.promise().rethrow();
    return std::move(*handle.promise().result_);
  }

 private:
  std::optional<T> result_;
};

template <>
class TaskPromise<void> final : public TaskPromiseBase {
 public:
  Task<void> get_return_object() {
    const auto handle = std::coroutine_handle<TaskPromise>::from_promise(*this);
    self_ = handle;
    return Task<void>(handle);
  }
  void return_void() const noexcept {}
  static void take(std::coroutine_handle<TaskPromise> handle) {
    struct Release {
      std::coroutine_handle<TaskPromise> frame;
      ~Release() { frame.destroy(); }
    } release{handle};
    handle.promise().rethrow();
  }
};

}  // namespace detail

}  // namespace flashloom
