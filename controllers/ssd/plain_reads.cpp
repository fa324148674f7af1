#include "controllers/ssd/plain_reads.hpp"

#include <algorithm>
#include <coroutine>

namespace flashloom {

namespace {

// Lets the coroutines go first that are about to go on.
struct NextTurn : std::suspend_always {
  void await_suspend(std::coroutine_handle<> waiter) const { Runtime::current().wake(waiter); }
};

}  // namespace

void PlainReads::begin(IoCommand& command, Picoseconds fetched, ReadEnd& end) {
  if (free_.empty()) [[unlikely]] {
    free_.push_back(&reads_.emplace_back());
    free_.back()->reads = this;
  }
  Read& read = *free_.back();
  free_.pop_back();
  read.command = &command;
  read.buffered = nullptr;
  read.end = &end;
  read.runtime = &Runtime::current();
  read.runtime->hold();
  ftl_.prefetch(buffer_.pieces().first(command));
  if (!hardware_.begin(read, FirmwareStep::CommandParse, 1, FirmwareStep::BufferLookup, buffer_.pieces().count(command),
                       fetched, command.queue))
    look_up(read);
}

// A core has parsed the command.
void PlainReads::look_up(Read& read) {
  IoCommand& command = *read.command;
  command.breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  BufferRead& request = buffer_.reads().look_up(command);
  read.buffered = &request;
  if (request.served != 0) [[unlikely]] {
    const Picoseconds in_hand = Hardware::end_of(
        hardware_.buffer_read(request.served, 0, hardware_.buffer_address(command.offset, request.served)));
    if (request.units.empty()) command.breakdown.attribute(LatencyPart::Dram, in_hand);
    request.data_done = Hardware::end_of(hardware_.data_to_host(request.served, in_hand));
  }
  if (request.units.empty()) return finish(read);
  const std::uint32_t first = request.units.front().unit, entries = ftl_.look_ups(request);
  const Picoseconds looked_up = Hardware::end_of(hardware_.map_read(entries, first));
  command.breakdown.attribute(LatencyPart::Map, looked_up);
  if (!hardware_.begin(read, FirmwareStep::MapLookup, entries, FirmwareStep::FlashIssue, ftl_.pages_of(request),
                       looked_up, first))
    dispatch(read);
}

// A core has looked up the map and prepared the flash commands.
void PlainReads::dispatch(Read& read) {
  read.command->breakdown.attribute(LatencyPart::Cpu, hardware_.now());
  if (WaitList* const list = ftl_.blocked(*read.buffered)) [[unlikely]]
    return Runtime::current().spawn([this, &read, list] { return dispatch_after(read, list); });
  if (!issue(read)) finish(read);
}

Task<void> PlainReads::dispatch_after(Read& read, WaitList* list) {
  for (; list != nullptr; list = ftl_.blocked(*read.buffered)) co_await list->wait();
  if (!issue(read)) Runtime::current().spawn([this, &read] { return finish_in_turn(read); });
}

// False: there is nothing to wait for.
bool PlainReads::issue(Read& read) {
  read.command->breakdown.attribute(LatencyPart::Buffer, hardware_.now());
  read.request = read.buffered;
  read.pages = 0;
  ftl_.issue(read);
  return read.pending != 0;
}

// If a coroutine ends the last page, it goes on first, as if it had woken one.
void PlainReads::Read::all_read() {
  if (!runtime->running()) return runtime->run([this] { reads->finish(*this); });
  const Runtime::Scope scope(*runtime);
  runtime->wake(reads->finish_in_turn(*this).detach());
}

// finish() among other coroutines that are about to go on: those go before each part, as if it were a task of its own.
Task<void> PlainReads::finish_in_turn(Read& read) {
  co_await NextTurn();
  complete(read);
  co_await NextTurn();
  end(read);
}

void PlainReads::complete(Read& read) {
  IoCommand& command = *read.command;
  BufferRead& request = *read.buffered;
  // Data that did not come from flash are sent too: zeroes of unmapped units, and sectors buffered meanwhile.
  if (const std::uint64_t rest = command.length - request.served - request.sent; rest != 0) [[unlikely]]
    request.data_done = std::max(request.data_done, Hardware::end_of(hardware_.data_to_host(rest, request.ready)));
  command.data_done = request.data_done;
  if (request.failed) command.status = IoStatus::MediaError;
  command.ready = std::max(request.ready, hardware_.charge(FirmwareStep::CommandComplete, 1, command.queue));
  buffer_.reads().release(request);
}

void PlainReads::end(Read& read) {
  free_.push_back(&read);
  Runtime& runtime = *read.runtime;
  read.end->read_done(*read.command);
  runtime.let_go();
}

}  // namespace flashloom
