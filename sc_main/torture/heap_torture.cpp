#include "sc_main/torture/heap_torture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kHeapHistory = 24;
constexpr std::size_t kProcesses = 3;
constexpr std::uint32_t kObjects = 15;
constexpr Picoseconds kOff = kMillisecond;

DeviceConfig with_verify(DeviceConfig config, std::uint64_t seed) {
  config.verify = true;
  config.seed = seed;
  config.power.cuts = 1;     // they are to be
  config.power.plp = false;  // a cut strikes at once here, and no flush comes before it
  config.heap.objects = std::max(config.heap.objects, kObjects);
  return config;
}

}  // namespace

HeapTorture::HeapTorture(DeviceConfig config, std::uint64_t seed)
    : config_(with_verify(std::move(config), seed)),
      seed_(seed),
      random_(seed),
      ssd_("ssd", config_),
      system_(config_, ssd_, nullptr),
      heap_(system_.heap()),
      sector_(config_.host_interface.sector_size),
      expected_(kObjects),
      processes_(kProcesses) {
  failure_.seed = seed;
  const auto fail = [this](std::exception_ptr error) {
    if (!error_) error_ = std::move(error);
    TimeLoop::pause();
  };
  heap_.runtime().on_failure(fail);
  ssd_.runtime().on_failure(fail);
}

HeapTorture::~HeapTorture() { heap_.runtime().destroy_frames(); }

void HeapTorture::note(const std::string& line) {
  if (failure_.history.size() == kHeapHistory) failure_.history.pop_front();
  failure_.history.push_back(line);
}

std::string HeapTorture::text_of(const ObjectRequest& request) const {
  return fmt::format("{} object {} {} + {}", to_string(request.operation), request.object, request.offset,
                     request.length);
}

// From nanoseconds, in the middle of a page, to long after.
Picoseconds HeapTorture::spacing() {
  Picoseconds scale = 100 * kNanosecond;
  for (std::uint64_t step = random_.below(6); step != 0; --step) scale *= 10;
  return 1 + random_.below(2 * scale);
}

ObjectRequest HeapTorture::choose(std::size_t number) {
  using enum ObjectOperation;
  ObjectRequest request;
  request.object = static_cast<std::uint32_t>(random_.below(kObjects / kProcesses) * kProcesses + number);
  const Expected& expected = expected_[request.object];
  const HeapLayout& layout = heap_.layout();
  if (!expected.exists) {
    // All of them together are several times the memory, and fit into the swap area.
    const std::uint64_t most = std::min<std::uint64_t>(layout.pages / kObjects, heap_.pages().capacity() / 3);
    request.operation = Create;
    request.length = (1 + random_.below(most * layout.page_sectors)) * sector_;
    return request;
  }
  const std::uint64_t kind = random_.below(100);
  request.operation = kind < 55 ? Update : kind < 75 ? Read : kind < 80 ? Delete : kind < 90 ? Map : Unmap;
  if (request.operation != Update && request.operation != Read) return request;
  const std::uint64_t sectors = expected.bytes / sector_;
  const std::uint64_t length = random_.chance(0.3) ? sectors : 1 + random_.below(sectors);
  request.length = length * sector_;
  request.offset = random_.below(sectors - length + 1) * sector_;
  return request;
}

Task<void> HeapTorture::perform(Process& process, std::vector<SectorToken>& tokens) {
  using enum ObjectOperation;
  const ObjectRequest& request = process.request;
  HeapAccess access{.object = request.object,
                    .update = request.operation == Update,
                    .offset = request.offset,
                    .length = request.length};
  tokens.assign(request.length / sector_, process.token);
  access.tokens = tokens.data();
  HeapStatus status = HeapStatus::Ok;
  switch (request.operation) {
    case Create:
      status = co_await heap_.create(request.object, request.length);
      break;
    case Delete:
      status = co_await heap_.remove(request.object);
      break;
    case Map:
      status = co_await heap_.map(request.object);
      break;
    case Unmap:  // it may not be mapped
      co_await heap_.unmap(request.object);
      break;
    case Read:
    case Update:
      status = co_await heap_.access(access);
      break;
  }
  if (status != HeapStatus::Ok && status != HeapStatus::NoSpace)
    throw std::runtime_error(text_of(request) + ": " + to_string(status));
  if (status == HeapStatus::NoSpace) process.request.length = 0;
}

void HeapTorture::complete(Process& process, const std::vector<SectorToken>& tokens) {
  using enum ObjectOperation;
  const ObjectRequest& request = process.request;
  Expected& expected = expected_[request.object];
  const std::size_t first = request.offset / sector_;
  switch (request.operation) {
    case Create:
      if (request.length == 0) break;
      expected = {true, request.length, std::vector<SectorToken>(request.length / sector_)};
      break;
    case Delete:
      expected = {};
      break;
    case Update:
      std::copy(tokens.begin(), tokens.end(), expected.tokens.begin() + static_cast<std::ptrdiff_t>(first));
      break;
    case Read:
      if (!std::equal(tokens.begin(), tokens.end(), expected.tokens.begin() + static_cast<std::ptrdiff_t>(first)))
        throw std::runtime_error(text_of(request) + ": other contents than were written");
      break;
    case Map:
    case Unmap:
      break;
  }
}

Task<void> HeapTorture::live(std::size_t number) {
  Process& process = processes_[number];
  std::vector<SectorToken> tokens;
  while (true) {
    process.request = choose(number);
    process.token = ++token_;
    note(fmt::format("process {}: {}", number, text_of(process.request)));
    process.working = true;
    co_await perform(process, tokens);
    complete(process, tokens);
    process.working = false;
    ++counts_.operations;
  }
}

// Of a create or delete that was struck either may be; of everything else the one that was acknowledged.
void HeapTorture::settle_existence(std::uint32_t object) {
  using enum ObjectOperation;
  Expected& expected = expected_[object];
  Process& process = processes_[object % kProcesses];
  const bool found = heap_.exists(object);
  const bool struck = process.working && process.request.object == object;
  if (found != expected.exists) {
    if (!struck || process.request.operation != (found ? Create : Delete))
      throw std::runtime_error(fmt::format("object {} is {}there", object, found ? "" : "not "));
    expected = {found, process.request.length, std::vector<SectorToken>(process.request.length / sector_)};
    if (!found) expected = {};
  }
  if (found && heap_.bytes(object) != expected.bytes)
    throw std::runtime_error(
        fmt::format("object {} has {} bytes, not {}", object, heap_.bytes(object), expected.bytes));
}

void HeapTorture::compare_update(const Process& process, Expected& expected, const std::vector<SectorToken>& found) {
  const std::uint32_t page_sectors = heap_.layout().page_sectors;
  const std::size_t first = process.request.offset / sector_;
  const std::size_t end = first + process.request.length / sector_;
  std::uint64_t old_pages = 0;
  std::uint64_t new_pages = 0;
  for (std::size_t at = first; at != end;) {
    const std::size_t page_end = std::min<std::size_t>(end, (at / page_sectors + 1) * page_sectors);
    const bool is_new = found[at] == process.token;
    ++(is_new ? new_pages : old_pages);
    for (; at != page_end; ++at) {
      if ((found[at] == process.token) != is_new)
        throw std::runtime_error(fmt::format("{}: a page of it is torn at sector {}", text_of(process.request), at));
      if (is_new) expected.tokens[at] = process.token;
    }
  }
  counts_.old_pages += old_pages;
  counts_.new_pages += new_pages;
  if (old_pages == 0 || new_pages == 0) return;
  ++counts_.mixed_updates;
  if (config_.heap.atomic == "object")
    throw std::runtime_error(
        fmt::format("{}: {} of its pages are new, {} old", text_of(process.request), new_pages, old_pages));
}

void HeapTorture::compare(std::uint32_t object, const std::vector<SectorToken>& found) {
  Expected& expected = expected_[object];
  const Process& process = processes_[object % kProcesses];
  if (process.working && process.request.object == object && process.request.operation == ObjectOperation::Update)
    compare_update(process, expected, found);
  counts_.sectors_checked += found.size();
  const auto [a, b] = std::mismatch(found.begin(), found.end(), expected.tokens.begin());
  if (a != found.end())
    throw std::runtime_error(
        fmt::format("object {}, sector {} holds update {}, not {}", object, a - found.begin(), *a, *b));
}

Task<void> HeapTorture::verify() {
  std::vector<SectorToken> tokens;
  for (std::uint32_t object = 0; object < kObjects; ++object) {
    settle_existence(object);
    if (!expected_[object].exists) continue;
    tokens.assign(expected_[object].tokens.size(), ~SectorToken{0});
    HeapAccess access{.object = object, .length = expected_[object].bytes, .tokens = tokens.data()};
    const HeapStatus status = co_await heap_.access(access);
    if (status != HeapStatus::Ok) throw std::runtime_error(fmt::format("object {} cannot be read", object));
    compare(object, tokens);
    Process& process = processes_[object % kProcesses];
    if (process.working && process.request.object == object) process.working = false;
  }
  for (Process& process : processes_) process.working = false;
  verified_ = true;
  TimeLoop::pause();
}

// 0: until somebody pauses, or nothing is left to do.
void HeapTorture::advance(Picoseconds time) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_WARNING,
                                          sc_core::SC_DO_NOTHING);
  if (time == 0)
    TimeLoop::instance().run();
  else
    TimeLoop::instance().run_for(time);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void HeapTorture::cut() {
  ++counts_.cuts;
  if (!verified_) ++counts_.in_recovery;
  bool any = false;
  failure_.struck.clear();
  for (const Process& process : processes_) {
    if (!process.working) continue;
    any = true;
    failure_.struck += (failure_.struck.empty() ? "" : "; ") + text_of(process.request);
    if (living_) ++counts_.struck[static_cast<std::size_t>(process.request.operation)];
  }
  if (!any) ++counts_.idle;
  if (failure_.struck.empty()) failure_.struck = "no operation";
  note(fmt::format("cut {} at {} ps{}", counts_.cuts, kernel_now(), verified_ ? "" : ", in the recovery"));
  counts_.swapped_out += heap_.statistics().swapped_out;
  heap_.reset_statistics();
  system_.power_lost();
  ssd_.power_cut(kOff);
  verified_ = living_ = false;
  advance(kOff);
}

void HeapTorture::restart() {
  ssd_.power_on([this] {
    heap_.power_on([this] {
      counts_.redone += heap_.recovery().redone;
      counts_.undone += heap_.recovery().undone;
      counts_.cleared += heap_.recovery().cleared;
      heap_.runtime().spawn([this] { return verify(); });
    });
  });
}

bool HeapTorture::run(std::uint64_t cuts) {
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    ssd_.start_timed();
    while (true) {
      living_ = true;
      for (std::size_t number = 0; number < processes_.size(); ++number)
        heap_.runtime().spawn([this, number] { return live(number); });
      if (error_) std::rethrow_exception(error_);
      advance(spacing());
      if (counts_.cuts == cuts || interrupted()) return true;
      cut();
      restart();
      // A third of the recoveries are cut themselves, some of them again.
      while (counts_.cuts < cuts && random_.chance(0.33)) {
        const Picoseconds time = spacing();
        advance(time);
        if (verified_) break;
        cut();
        restart();
      }
      if (!verified_) advance(0);
      if (!verified_) throw std::logic_error("the heap does not come up");
      advance(0);  // until nothing is under way
      heap_.check();
    }
  } catch (const SwapWornOut&) {
    counts_.worn_out = true;
    return true;
  } catch (const std::exception& error) {
    failure_.what = error.what();
    failure_.cut = counts_.cuts;
    return false;
  }
}

}  // namespace flashloom
