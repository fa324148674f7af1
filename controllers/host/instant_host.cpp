#include "controllers/host/instant_host.hpp"

#include <stdexcept>

#include "controllers/host/host_driver.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

// A trim of several ranges is carried out range by range.
std::uint32_t pieces_of(const Request& request) { return request.range_count == 0 ? 1 : request.range_count; }

// The request itself, or one of its ranges, in `range`.
const Request& piece_of(const Request& request, std::uint32_t number, Request& range) {
  if (request.range_count == 0) [[likely]]
    return request;
  range = {.offset = request.ranges[number].offset + request.offset - request.ranges[0].offset,
           .length = request.ranges[number].length,
           .kind = RequestKind::Trim,
           .stream = request.stream};
  return range;
}

void require_done(bool done) {
  if (!done) throw std::logic_error("the firmware waits for something that an instant back end does not do");
}

}  // namespace

Task<void> InstantHost::execute(IoCommand& command, bool& done) {
  co_await firmware_.execute(command);
  done = true;
}

IoStatus InstantHost::run(const Request& request) {
  IoStatus status = IoStatus::Ok;
  Request range;
  for (std::uint32_t piece = 0; piece < pieces_of(request) && status == IoStatus::Ok; ++piece) {
    const std::optional<IoStatus> done = try_run(piece_of(request, piece, range));
    require_done(done.has_value());
    status = *done;
  }
  return status;
}

IoStatus InstantHost::write(const Request& request, const std::byte* bytes) {
  bytes_ = bytes;
  const IoStatus status = run(request);
  bytes_ = nullptr;
  return status;
}

std::optional<IoStatus> InstantHost::try_run(const Request& request) {
  IoCommand command;
  to_command(request, command);
  if (oracle_ != nullptr) {
    if (moves_data(command.operation)) tokens_.resize(command.length / sector_bytes_);
    command.tokens = tokens_.data();
    oracle_->submitted(command);
    if (bytes_ != nullptr)
      payloads_->put(tokens_[0], command.offset / sector_bytes_, command.length / sector_bytes_, bytes_);
  }
  bool done = false;
  runtime_.spawn([&] { return execute(command, done); });
  if (!done) command.status = IoStatus::PowerLost;
  if (oracle_ != nullptr) oracle_->completed(command);
  return done ? std::optional(command.status) : std::nullopt;
}

IoStatus InstantHost::read(const Request& request, SectorToken* tokens) {
  IoCommand command;
  to_command(request, command);
  command.tokens = tokens;
  carry_out(command);
  return command.status;
}

void InstantHost::carry_out(IoCommand& command) {
  bool done = false;
  runtime_.spawn([&] { return execute(command, done); });
  require_done(done);
}

Firmware::FillSpan InstantHost::fill_span(std::uint64_t units, std::uint64_t request_bytes) const {
  if (oracle_ != nullptr) return {.why = "each write is noted, to be checked (verify)"};
  return firmware_.fill_span(units, request_bytes);
}

std::uint64_t InstantHost::fill_by_rule(const Firmware::FillSpan& span, std::uint64_t request_bytes) {
  constexpr std::uint64_t kWaits = ~std::uint64_t{0};
  std::uint64_t next = kWaits;
  runtime_.spawn([&] { return firmware_.fill_by_rule(span, request_bytes, next); });
  require_done(next != kWaits);
  return next;
}

void InstantHost::come_to_rest() {
  if (runtime_.quiescent()) return;
  runtime_.spawn([this] { return firmware_.come_to_rest(); });
  require_done(runtime_.quiescent());
}

Task<void> InstantHost::step(bool& more) { more = co_await firmware_.idle(); }

std::uint64_t InstantHost::idle(std::uint64_t steps) {
  std::uint64_t done = 0;
  for (bool more = true; more && done < steps; done += more ? 1 : 0) runtime_.spawn([&] { return step(more); });
  return done;
}

// Carries out all requests in one coroutine, each as run(request) does. The run queue empties before the next one.
Task<void> InstantHost::execute_all(RequestSource& source, bool& done) {
  struct Others {
    Runtime& runtime;
    bool await_ready() const { return runtime.idle(); }
    void await_suspend(std::coroutine_handle<> self) const { runtime.wake(self); }
    void await_resume() const {}
  };
  IoCommand command;
  Request request;
  Request range;
  const auto plain = [](const Request& write) {
    return write.kind == RequestKind::Write && !write.fua && write.stream == 0 &&
           write.directive == RequestDirective::None && write.range_count == 0;
  };
  while (source.next(request)) {
    if (plain(request) && firmware_.take_whole(request.offset, request.length)) {
      if (!firmware_.whole_is_due()) continue;
      give_up_if_interrupted();
      co_await firmware_.write_whole();
      while (!runtime_.idle()) co_await Others{runtime_};
      continue;
    }
    give_up_if_interrupted();
    if (firmware_.taking_whole()) co_await firmware_.end_whole();
    command.status = IoStatus::Ok;
    for (std::uint32_t piece = 0; piece < pieces_of(request) && command.status == IoStatus::Ok; ++piece) {
      to_command(piece_of(request, piece, range), command);
      co_await firmware_.execute(command);
      while (!runtime_.idle()) co_await Others{runtime_};
    }
  }
  if (firmware_.taking_whole()) co_await firmware_.end_whole();
  while (!runtime_.idle()) co_await Others{runtime_};
  done = true;
}

void InstantHost::run(RequestSource& source) {
  Request request;
  if (oracle_ != nullptr) {
    while (source.next(request)) {
      give_up_if_interrupted();
      run(request);
    }
    return;
  }
  bool done = false;
  runtime_.spawn([&] { return execute_all(source, done); });
  require_done(done);
}

}  // namespace flashloom
