#include "sc_main/stack/heap/heap_torture.hpp"

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
constexpr SectorToken kUnread = ~SectorToken{0};  // no update's token: marks sectors that a read did not return

DeviceConfig with_verify(DeviceConfig config, std::uint64_t seed) {
  config.verify = true;
  config.seed = seed;
  config.power.cuts = 1;     // any number but 0: the device must expect cuts
  config.power.plp = false;  // a cut strikes at once here, without a flush before it
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

// Time to the next cut: from nanoseconds, within the copy of a page, to long after an operation.
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
    // All objects together are several times as large as the memory, and fit into the swap area.
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
  if (config_.nand.errors.on() && random_.chance(0.3)) {  // whole pages, since only these recover lost pages
    const std::uint64_t page = layout.page_bytes;
    request.offset = request.offset / page * page;
    request.length = std::min((request.length + page - 1) / page * page, expected.bytes - request.offset);
  }
  return request;
}

HeapTorture::Expected HeapTorture::made(std::uint64_t bytes) const {
  const std::uint64_t page = heap_.layout().page_bytes;
  return {true, bytes, std::vector<SectorToken>(bytes / sector_), std::vector<bool>((bytes + page - 1) / page)};
}

Task<void> HeapTorture::perform(Process& process, std::vector<SectorToken>& tokens) {
  using enum ObjectOperation;
  const ObjectRequest& request = process.request;
  HeapAccess access{.object = request.object,
                    .update = request.operation == Update,
                    .offset = request.offset,
                    .length = request.length};
  tokens.assign(request.length / sector_, access.update ? process.token : kUnread);
  process.failed = false;
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
    case Unmap:  // the object may be unmapped already
      co_await heap_.unmap(request.object);
      break;
    case Read:
    case Update:
      status = co_await heap_.access(access);
      break;
  }
  process.failed = status == HeapStatus::MediaError;
  if (status != HeapStatus::Ok && status != HeapStatus::NoSpace && !process.failed)
    throw std::runtime_error(text_of(request) + ": " + to_string(status));
  if (status == HeapStatus::NoSpace) process.request.length = 0;
}

void HeapTorture::complete(const Process& process, const std::vector<SectorToken>& tokens) {
  using enum ObjectOperation;
  const ObjectRequest& request = process.request;
  Expected& expected = expected_[request.object];
  counts_.failed_operations += process.failed ? 1 : 0;
  switch (request.operation) {
    case Create:
      if (request.length == 0) break;
      expected = made(request.length);
      break;
    case Delete:
      expected = {};
      break;
    case Update:
      take_update(request, process.token, process.failed);
      break;
    case Read:
      take_read(request, tokens, process.failed);
      break;
    case Map:
    case Unmap:
      break;
  }
}

// Pages that the update overwrites completely are readable again. Of the other pages those that are not lost take the
// update; with heap.atomic = object no page does unless all do.
void HeapTorture::take_update(const ObjectRequest& request, SectorToken token, bool failed) {
  Expected& expected = expected_[request.object];
  const std::uint32_t page_sectors = heap_.layout().page_sectors;
  const std::size_t first = request.offset / sector_;
  const std::size_t end = first + request.length / sector_;
  bool any_lost = false;
  for (std::size_t at = first; at != end;) {
    const std::size_t page = at / page_sectors;
    const std::size_t page_end = std::min<std::size_t>((page + 1) * page_sectors, expected.tokens.size());
    const bool whole = at == page * page_sectors && end >= page_end;
    const auto number = static_cast<std::uint32_t>(page);
    const bool lost = !whole && (failed ? heap_.lost(request.object, number) : expected.lost[page]);
    if (expected.lost[page] && !whole && (!failed || (!lost && config_.heap.atomic == "page")))
      throw std::runtime_error(fmt::format("{}: a part of page {}, which is lost, was taken", text_of(request), page));
    any_lost = any_lost || lost;
    const bool taken = !lost && (!failed || config_.heap.atomic == "page");
    for (const std::size_t last = std::min(end, page_end); at != last; ++at)
      if (taken) expected.tokens[at] = token;
    if (taken && expected.lost[page]) ++counts_.recovered_pages;
    if (lost || taken) expected.lost[page] = lost;
  }
  if (failed && !any_lost) throw std::runtime_error(text_of(request) + ": failed, and no page of it is lost");
}

// An unreadable page stays lost until it is overwritten completely; every sector of all other pages must be right.
void HeapTorture::take_read(const ObjectRequest& request, const std::vector<SectorToken>& found, bool failed) {
  Expected& expected = expected_[request.object];
  const std::uint32_t page_sectors = heap_.layout().page_sectors;
  const std::size_t first = request.offset / sector_;
  bool any_lost = false;
  for (std::size_t i = 0; i != found.size(); ++i) {
    const std::size_t page = (first + i) / page_sectors;
    if (found[i] == kUnread && failed) {
      any_lost = expected.lost[page] = true;
    } else if (expected.lost[page]) {
      throw std::runtime_error(fmt::format("{}: page {} was lost, and is there again", text_of(request), page));
    } else if (found[i] != expected.tokens[first + i]) {
      throw std::runtime_error(fmt::format("{}: sector {} holds update {}, not {}", text_of(request), first + i,
                                           found[i], expected.tokens[first + i]));
    }
  }
  if (failed && !any_lost) throw std::runtime_error(text_of(request) + ": failed, and all of it is there");
}

// Every lost page must be due to a read that the device failed, which it may do for bit errors only.
void HeapTorture::check_losses() const {
  const std::uint64_t lost = counts_.lost_pages + heap_.statistics().lost_pages;
  const EccEngine* const ecc = ssd_.ecc();
  const std::uint64_t unreadable =
      ecc == nullptr ? 0 : ecc->statistics().uncorrectable_total() + ecc->statistics().lost_units;
  if (lost > heap_.device_media_errors() || (lost != 0 && unreadable == 0))
    throw std::runtime_error(fmt::format("{} pages are lost; the device has failed {} requests, for {} reads", lost,
                                         heap_.device_media_errors(), unreadable));
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

// Checks whether an object exists: after a struck create or delete it may or may not; else as acknowledged.
void HeapTorture::settle_existence(std::uint32_t object) {
  using enum ObjectOperation;
  Expected& expected = expected_[object];
  Process& process = processes_[object % kProcesses];
  const bool found = heap_.exists(object);
  const bool struck = process.working && process.request.object == object;
  if (found != expected.exists) {
    if (!struck || process.request.operation != (found ? Create : Delete))
      throw std::runtime_error(fmt::format("object {} is {}there", object, found ? "" : "not "));
    expected = found ? made(process.request.length) : Expected{};
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
    const std::size_t page = at / page_sectors;
    if (found[at] != kUnread) ++(is_new ? new_pages : old_pages);
    if (is_new && at == page * page_sectors && end >= std::min((page + 1) * page_sectors, found.size()))
      expected.lost[page] = false;
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
  take_read({.operation = ObjectOperation::Read, .object = object, .length = expected.bytes}, found,
            std::find(found.begin(), found.end(), kUnread) != found.end());
}

Task<void> HeapTorture::verify() {
  std::vector<SectorToken> tokens;
  for (std::uint32_t object = 0; object < kObjects; ++object) {
    settle_existence(object);
    if (!expected_[object].exists) continue;
    tokens.assign(expected_[object].tokens.size(), kUnread);
    HeapAccess access{.object = object, .length = expected_[object].bytes, .tokens = tokens.data()};
    const HeapStatus status = co_await heap_.access(access);
    const bool unread = std::find(tokens.begin(), tokens.end(), kUnread) != tokens.end();
    if (status != (unread ? HeapStatus::MediaError : HeapStatus::Ok))
      throw std::runtime_error(fmt::format("object {}: {}", object, to_string(status)));
    compare(object, tokens);
    Process& process = processes_[object % kProcesses];
    if (process.working && process.request.object == object) process.working = false;
  }
  for (Process& process : processes_) process.working = false;
  check_losses();
  verified_ = true;
  TimeLoop::pause();
}

// Simulates for `time`; 0: until the time loop is paused, or no activity is pending.
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
  counts_.lost_pages += heap_.statistics().lost_pages;
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
      advance(0);  // until no activity is pending
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
