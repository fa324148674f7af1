// A data buffer's parts over an FTL without flash that does what the test tells it.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "controllers/buffer/data_buffer.hpp"
#include "controllers/ftl/zones/zones.hpp"
#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"

namespace flashloom::buffer_bench {

/// Records the calls it gets. Units that it took are durable when the test calls program().
class NotingFtl final : public Ftl, private Zones {
 public:
  std::vector<WriteUnit*> taken;     ///< and not on flash yet, oldest first
  std::vector<std::uint32_t> order;  ///< the calls in their order: a write as its unit, a trim as 1000 + its first
                                     ///< unit, a seal as 2000, a finish as 3000 + its zone
  bool closed = false;               ///< trims wait until open()
  bool refuses = false;

  void program() {
    WriteUnit& unit = *taken.front();
    taken.erase(taken.begin());
    unit.listener->on_durable(unit, {});
  }
  void open() {
    closed = false;
    opened_.wake_all();
  }
  void wear_out() { refuses = out_of_room_ = true; }

  Task<void> recover() override { return Task<void>::over(); }
  Task<void> write(WriteUnit& unit) override {
    unit.refused = refuses;
    if (!refuses) taken.push_back(&unit);
    order.push_back(unit.unit);
    return Task<void>::over();
  }
  Task<void> seal() override {
    order.push_back(2000);
    return Task<void>::over();
  }
  Task<void> come_to_rest() override { return Task<void>::over(); }
  std::uint64_t newest_version() const override { return 0; }
  Task<void> read(ReadRequest&) override { return Task<void>::over(); }
  Task<void> trim(std::uint32_t first, std::uint32_t, std::uint64_t) override {
    while (closed) co_await opened_.wait();
    order.push_back(1000 + first);
  }
  Task<void> persist_trims() override { return Task<void>::over(); }
  std::uint32_t waiting_units() const override { return 1; }
  void state(StateArchive&, FrontBuffer&) override {}
  const FtlStatistics& statistics() const override { return statistics_; }
  std::uint32_t least_free_blocks() const override { return 0; }
  void check() const override {}
  Zones* zones() override { return this; }
  const Zones* zones() const override { return this; }

 private:
  ZoneTable& table() override { return table_; }
  const ZoneTable& table() const override { return table_; }
  const ZoneCosts& costs() const override { return costs_; }
  std::uint32_t blocks_per_zone() const override { return 1; }
  std::uint64_t map_bytes() const override { return 0; }
  std::uint32_t unit_bytes() const override { return 4096; }
  Task<void> finish(std::uint32_t zone) override {
    order.push_back(3000 + zone);
    return Task<void>::over();
  }
  std::uint32_t padding_members() const override { return 0; }
  Task<bool> before_padding(std::uint32_t, std::uint32_t) override { co_return false; }
  Task<void> pad(std::uint32_t, std::uint32_t) override { return Task<void>::over(); }
  void give_area(std::uint32_t) override {}
  Task<void> commit(std::uint32_t, std::uint32_t) override { return Task<void>::over(); }
  Task<void> settled(std::uint32_t) override { return Task<void>::over(); }
  void tell(ZoneListener&) override {}

  ZoneTable table_{{.zones = 10, .zone_size = 10, .capacity = 10, .max_open = 10, .max_active = 10}};
  ZoneCosts costs_;
  WaitList opened_;
  FtlStatistics statistics_;
};

class NoFlash final : public FlashPort {
 public:
  bool submit(OnfiCommand&) override { throw std::logic_error("there is no flash"); }
  std::uint32_t queued(Die) const override { return 0; }
};

/// Units of 4 KiB, sectors of 1 KiB, one part, LRU.
inline BufferShape shape_of(std::uint32_t units, std::uint32_t destage_units) {
  return {.units = units,
          .destage_units = destage_units,
          .read_cache = true,
          .read_ahead_units = 0,
          .read_ahead_piece = 1,
          .logical_units = 1000,
          .program_units = 1,
          .unit_bytes = 4096,
          .sector_bytes = 1024,
          .write_through = false,
          .nvram = false,
          .held_up = false,
          .verify = true};
}
inline std::vector<BufferPart> one_part(const BufferShape& shape) {
  const std::uint32_t room = shape.units - shape.destage_units;
  std::vector<BufferPart> parts;
  parts.push_back({.room = room,
                   .clean_units = room,
                   .high_units = room,
                   .low_units = room,
                   .victims = Family<ReplacementPolicy>::make({"lru", {}}, {.capacity = room, .slots = shape.units}),
                   .clean_victims = nullptr});
  return parts;
}

/// An entry store and its destager.
struct Bench {
  explicit Bench(std::uint32_t units = 8, std::uint32_t destage_units = 2)
      : shape(shape_of(units, destage_units)),
        store(shape, one_part(shape), nullptr, nullptr, statistics),
        destager(shape, store, ftl, hardware, statistics) {}

  /// Writes the sectors of a unit that `sectors` names (all by default) and leaves it dirty.
  BufferEntry& put(std::uint32_t unit, SectorToken token = 7, std::uint64_t sectors = 0xF) {
    std::vector<SectorToken> tokens(4, token);
    return store.place({.unit = unit, .sectors = sectors, .tokens = tokens.data(), .stream = 0, .request = 1},
                       store.find(unit));
  }
  /// The token that a read finds in a sector of the buffer; -1 if the buffer does not hold it.
  int look(std::uint32_t unit, std::uint32_t sector) {
    SectorToken token = 0;
    return store.serve(unit, std::uint64_t{1} << sector, &token, sector) == 0 ? static_cast<int>(token) : -1;
  }
  void send(BufferEntry& entry) {
    store.leave(entry, true, 0);
    destager.order_write(entry);
  }

  Runtime runtime;
  Runtime::Scope scope{runtime};
  BufferShape shape;
  BufferStatistics statistics;
  NoFlash flash;
  Hardware hardware{flash};
  NotingFtl ftl;
  EntryStore store;
  Destager destager;
};

}  // namespace flashloom::buffer_bench
