// The object heap on the whole model: hand-worked times and counts, the same decisions as an untimed cache, correct
// data across any power cuts, and repeatable results.
#include <gtest/gtest.h>

#include "policies/replacement/cache_model.hpp"
#include "sc_main/assembly/report/report.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/stack/heap/heap_part.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/in_child.hpp"
#include "workloads/random.hpp"

namespace flashloom::heap_test {
namespace {

using enum ObjectOperation;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kGap = 10 * kMillisecond;  // a swap-out takes far less

class ListedObjects final : public ObjectSource {
 public:
  explicit ListedObjects(std::vector<ObjectRequest> requests) : requests_(std::move(requests)) {}
  bool next(ObjectRequest& request) override {
    if (at_ == requests_.size()) return false;
    request = requests_[at_++];
    return true;
  }
  std::uint64_t objects() const override { return 16; }

 private:
  std::vector<ObjectRequest> requests_;
  std::size_t at_ = 0;
};

ObjectRequest create(std::uint32_t object, std::uint64_t pages) {
  return {.operation = Create, .object = object, .length = pages * kPage};
}
ObjectRequest touch(ObjectOperation operation, std::uint32_t object, std::uint64_t page, std::uint64_t pages = 1) {
  return {.operation = operation, .object = object, .offset = page * kPage, .length = pages * kPage};
}
ObjectRequest remove(std::uint32_t object) { return {.operation = Delete, .object = object}; }

// Four pages of NVM, and four for pages in flight: see HeapLayout.WhatFits.
DeviceConfig with_heap(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"heap.nvram.kind=stt_mram", "heap.nvram.size=36 KiB", "heap.swap=1 MiB",
                                       "heap.objects=16", "heap.in_flight=4", "heap.cluster=1", "heap.read_ahead=1",
                                       "heap.mapping=never", "heap.replacement=lru", "nand.blocks=32"});
  return small_preset("tiny", overrides);
}

Json run(const DeviceConfig& config, const std::vector<std::vector<ObjectRequest>>& processes, bool apart = true) {
  const Json result = in_child([&] {
    LoadedConfig loaded;
    loaded.device = config;
    Simulation simulation(loaded.device);
    const PreconditionResult precondition = simulation.precondition();
    std::vector<HeapJob> jobs;
    for (std::vector<ObjectRequest> requests : processes) {
      for (std::size_t i = 0; apart && i < requests.size(); ++i) requests[i].arrival_ps = (i + 1) * kGap;
      jobs.push_back({.name = "process", .source = std::make_unique<ListedObjects>(std::move(requests))});
    }
    static_cast<HeapPart&>(*simulation.part()).take(std::move(jobs));
    simulation.run_part();
    Json json = make_result(loaded, {}, precondition, simulation);
    const std::uint64_t audited = simulation.audit();
    json["verify"] = verify_result(*simulation.oracle(), audited);
    return json;
  });
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  return result;
}

TEST(Heap, IsNotThereByDefault) {
  EXPECT_TRUE(simulate(small_preset("tiny"), {{{{.length = 4096}}, 1}})["heap"].is_null());
}

// NVM at 2.666 GB/s and 35 ns; an entry or a record is a line of 64 bytes; a call and a fault cost 1 us each.
TEST(Heap, TakesTheTimeOfItsMemory) {
  const Json heap = run(with_heap({}), {{create(0, 2), touch(Update, 0, 0), touch(Update, 0, 0), touch(Read, 0, 0),
                                         touch(Read, 0, 1), remove(0)}})["heap"];
  const auto nvram = [](std::uint64_t bytes) {
    return static_cast<double>(transfer_time(bytes, 2'666'000'000) + 35'000) / 1000;
  };
  const auto& operations = heap["operations"];
  EXPECT_DOUBLE_EQ(operations["create"]["latency_ns"]["mean"], 1000 + nvram(64));
  EXPECT_DOUBLE_EQ(operations["map"]["latency_ns"]["mean"], 1000 + 0.0);
  EXPECT_DOUBLE_EQ(operations["update"]["latency_ns"]["min"], nvram(4096 + 64));         // resident
  EXPECT_DOUBLE_EQ(operations["update"]["latency_ns"]["max"], 2000 + nvram(4096 + 64));  // map, fault
  EXPECT_DOUBLE_EQ(operations["read"]["latency_ns"]["min"], nvram(4096));
  EXPECT_DOUBLE_EQ(operations["read"]["latency_ns"]["max"], 1000 + nvram(4096) + nvram(4096));  // zeroed first
  EXPECT_DOUBLE_EQ(operations["delete"]["latency_ns"]["mean"], 2000 + nvram(64) + nvram(16));
  EXPECT_EQ(heap["zero_filled"], 2);
  EXPECT_EQ(heap["hits"], 2);
}

// Four pages, LRU. Pages 0 to 5 are written, which evicts 0 and 1. Then 0, 0, 1, 2, 3, 4 are read.
TEST(Heap, CountsAsWorkedByHand) {
  std::vector<ObjectRequest> requests = {create(0, 6)};
  for (std::uint64_t page = 0; page < 6; ++page) requests.push_back(touch(Update, 0, page));
  for (const std::uint64_t page : {0, 0, 1, 2, 3, 4}) requests.push_back(touch(Read, 0, page));
  const Json result = run(with_heap({}), {requests});
  const Json& heap = result["heap"];
  EXPECT_EQ(heap["capacity_pages"], 4);
  EXPECT_EQ(heap["frames"], 8);
  EXPECT_EQ(heap["update_pages"], 6);
  EXPECT_EQ(heap["read_pages"], 6);
  EXPECT_EQ(heap["zero_filled"], 6);
  EXPECT_EQ(heap["hits"], 1);
  EXPECT_EQ(heap["leaving_hits"], 0);
  EXPECT_EQ(heap["swapped_in"], 5);
  EXPECT_EQ(heap["swapped_out"], 6);
  EXPECT_EQ(heap["dirty_evictions"], 6);
  EXPECT_EQ(heap["clean_evictions"], 1);  // page 0, whose slot is still valid
  EXPECT_EQ(heap["swap_outs"], 6);
  EXPECT_EQ(result["window"]["write"]["bytes"], 6 * kPage);
  EXPECT_EQ(result["window"]["read"]["bytes"], 5 * kPage);
}

// Twenty-three pages in NVM: evictions swap out clusters of four to neighbouring slots, and one fault swaps four back
// in.
TEST(Heap, SwapsClusters) {
  const DeviceConfig config =
      with_heap({"heap.nvram.size=128 KiB", "heap.in_flight=8", "heap.cluster=4", "heap.read_ahead=4"});
  const Json heap = run(config, {{create(0, 24), create(1, 8), touch(Update, 0, 0, 24), touch(Update, 1, 0, 8),
                                  touch(Read, 0, 0, 4), touch(Read, 0, 0)}})["heap"];
  EXPECT_EQ(heap["capacity_pages"], 23);
  // Evicted: pages 0 to 3 for page 23, the next eight for object 1, the next four for the pages that are swapped in.
  EXPECT_EQ(heap["swapped_out"], 16);
  EXPECT_EQ(heap["swap_outs"], 4);
  EXPECT_EQ(heap["swapped_in"], 4);
  EXPECT_EQ(heap["swap_ins"], 1);
  EXPECT_EQ(heap["read_ahead"], (Json{{"issued", 3}, {"used", 3}}));
}

TEST(Heap, WritesWholePagesWithoutReadingThem) {
  std::vector<ObjectRequest> requests = {create(0, 8)};
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t page = 0; page < 8; ++page) requests.push_back(touch(Update, 0, page));
  EXPECT_EQ(run(with_heap({}), {requests})["heap"]["swapped_in"], 8);
  const Json heap = run(with_heap({"heap.fetch_overwritten=false"}), {requests})["heap"];
  EXPECT_EQ(heap["swapped_in"], 0);
  EXPECT_EQ(heap["zero_filled"], 16);
}

// One request at a time, with each swap-out complete before the next: the heap decides like an untimed cache.
TEST(Heap, DecidesAsAnUntimedCache) {
  constexpr std::uint32_t kPages = 40;
  Random random(5);
  std::vector<ObjectRequest> requests = {create(0, kPages)};
  std::vector<PageReference> references;
  for (int i = 0; i < 400; ++i) {
    const auto page = static_cast<std::uint32_t>(random.below(1 + random.below(kPages)));
    const bool write = random.chance(0.4);
    requests.push_back(touch(write ? Update : Read, 0, page));
    references.emplace_back(page, write ? PageReference::Kind::Write : PageReference::Kind::Read);
  }
  for (const char* policy : {"lru", "fifo", "second_chance", "cflru", "arc", "two_q", "active_inactive", "uflru"}) {
    const Json heap =
        run(with_heap({std::string("heap.replacement=") + policy, "heap.nvram.size=60 KiB"}), {requests})["heap"];
    CacheModelContext context;
    context.policy.capacity = heap["capacity_pages"];
    context.directory.pages = kPages;
    context.future = references;
    const auto model = make_cache_model({policy, {}}, context);
    model->run(references);
    const CacheCounts counts = model->counts();
    EXPECT_EQ(heap["hits"], counts.hits[0] + counts.hits[1]) << policy;
    EXPECT_EQ(heap["dirty_evictions"], counts.dirty_evictions) << policy;
    EXPECT_EQ(heap["clean_evictions"], counts.clean_evictions) << policy;
    EXPECT_EQ(heap["swapped_out"], counts.pages_written) << policy;
  }
}

// Creating object 2 unmaps object 1. When room is needed, UFLRU evicts the page of object 1; the other policy evicts
// the older page of object 0, though it is still mapped, and then has to swap it in for the read.
TEST(Heap, UnmappedObjectsLeaveFirst) {
  const std::vector<ObjectRequest> requests = {create(0, 2),        create(1, 1),        create(2, 2),
                                               touch(Update, 0, 0), touch(Update, 1, 0), touch(Update, 0, 1),
                                               touch(Update, 2, 0), touch(Update, 2, 1), touch(Read, 0, 0)};
  const auto swapped_in = [&](const char* policy) {
    return run(with_heap({std::string("heap.replacement=") + policy, "heap.mapping=lru", "heap.mapped=2"}),
               {requests})["heap"]["swapped_in"];
  };
  EXPECT_EQ(swapped_in("uflru"), 0);
  EXPECT_EQ(swapped_in("active_inactive"), 1);
}

// Page 0 of object 0 is the oldest of four when a fifth comes. Process 1 has ended by then: object 1, which only it had
// mapped, is evicted, while object 0 stays as long as process 2 maps it, too; once both have ended, object 0 is
// evicted.
TEST(Heap, AnObjectStaysMappedUntilAllItsProcessesEnded) {
  const auto of = [](std::uint32_t process, ObjectRequest request, bool ends = false) {
    request.process = process;
    request.ends = ends;
    return request;
  };
  const auto heap = [&](std::uint32_t reader, std::uint32_t read, bool ends) {
    const std::vector<ObjectRequest> requests = {create(0, 2),
                                                 create(1, 1),
                                                 create(2, 2),
                                                 of(1, touch(Update, 0, 0)),
                                                 of(1, touch(Update, 1, 0)),
                                                 of(reader, touch(Update, 0, 1)),
                                                 of(3, touch(Update, 2, 0)),
                                                 of(2, touch(Read, 2, 0), ends),
                                                 of(1, touch(Read, 2, 0), true),
                                                 of(3, touch(Update, 2, 1)),
                                                 of(3, touch(Read, read, 0))};
    return run(with_heap({"heap.replacement={ name = 'uflru', order = 'fifo' }", "heap.mapping=process"}),
               {requests})["heap"];
  };
  EXPECT_EQ(heap(2, 0, false)["swapped_in"], 0);  // object 0: two processes mapped it, one ended
  EXPECT_EQ(heap(2, 1, false)["swapped_in"], 1);  // object 1 was evicted instead
  EXPECT_EQ(heap(2, 0, true)["swapped_in"], 1);   // both ended: the older page was evicted
  EXPECT_EQ(heap(1, 0, false)["swapped_in"], 1);  // only process 1 had mapped it
  const Json unmaps = heap(2, 0, false)["operations"];
  EXPECT_EQ(unmaps["map"]["count"], unmaps["unmap"]["count"]);
  EXPECT_EQ(unmaps["map"]["count"], 7);  // process 1: 0, 1, 2; 2: 0, 2; 3: 2, and finally 0
}

std::vector<std::vector<ObjectRequest>> mixture(std::uint64_t seed, std::size_t processes, int requests) {
  std::vector<std::vector<ObjectRequest>> all(processes);
  for (std::size_t process = 0; process < processes; ++process) {
    Random random(seed + process);
    std::vector<std::uint64_t> pages(16);  // of existing objects
    for (int i = 0; i < requests; ++i) {
      const auto object = static_cast<std::uint32_t>(random.below(16 / processes) * processes + process);
      if (pages[object] == 0) {
        pages[object] = 1 + random.below(12);
        all[process].push_back(create(object, pages[object]));
      } else if (random.chance(0.05)) {
        pages[object] = 0;
        all[process].push_back(remove(object));
      } else {
        ObjectRequest request{.operation = random.chance(0.4) ? Read : Update, .object = object};
        const std::uint64_t sectors = pages[object] * 8;
        const std::uint64_t length = 1 + random.below(sectors);
        request.offset = random.below(sectors - length + 1) * 512;
        request.length = length * 512;
        all[process].push_back(request);
      }
    }
  }
  return all;
}

TEST(Heap, KeepsTheData) {
  for (const char* atomic : {"page", "object"})
    for (const char* mapping : {"accesses", "lru", "never", "process"})
      for (const char* policy : {"uflru", "cflru", "dld_arc"}) {
        const Json result = run(with_heap({std::string("heap.atomic=") + atomic, std::string("heap.mapping=") + mapping,
                                           std::string("heap.replacement=") + policy, "heap.nvram.size=256 KiB",
                                           "heap.in_flight=16", "heap.cluster=4", "heap.read_ahead=4"}),
                                mixture(3, 4, 300), false);
        EXPECT_GT(result["heap"]["swapped_in"], 100);
        EXPECT_GT(result["verify"]["reads_checked"], 1000);
      }
}

TEST(Heap, KeepsTheDataAcrossPowerCuts) {
  for (const char* atomic : {"page", "object"}) {
    const Json result =
        run(with_heap({std::string("heap.atomic=") + atomic, "heap.nvram.size=256 KiB", "heap.in_flight=16",
                       "heap.replacement=uflru", "power.cuts=8", "power.cut_spacing=2 ms", "power.off_time=1 ms"}),
            mixture(9, 3, 400), false);
    EXPECT_EQ(result["power"]["cuts"], 8);
    EXPECT_GT(result["heap"]["struck"], 0);
    EXPECT_GT(result["heap"]["recovery"]["objects"], 0);
    EXPECT_GT(result["verify"]["reads_checked"], 1000);
  }
}

TEST(Heap, RunsAlikeTwice) {
  const DeviceConfig config = with_heap({"heap.nvram.size=256 KiB", "heap.in_flight=16", "heap.replacement=uflru"});
  EXPECT_EQ(run(config, mixture(1, 3, 200), false).dump(), run(config, mixture(1, 3, 200), false).dump());
}

TEST(Heap, SaysWhatAProcessDidWrong) {
  const DeviceConfig config = with_heap({});
  const auto message = [&](const std::vector<ObjectRequest>& requests) {
    try {
      run(config, {requests});
      return std::string();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_NE(message({create(1, 1), create(1, 1)}).find("create of object 1: the object exists already"),
            std::string::npos);
  EXPECT_NE(message({create(1, 300)}).find("no free range of the heap is so long"), std::string::npos);
  EXPECT_NE(message({remove(1)}).find("delete of object 1: there is no such object"), std::string::npos);
}

}  // namespace
}  // namespace flashloom::heap_test
