// The persistent object heap: objects live in NVM (the memory socket) and are swapped to a block device (the block
// socket), page by page. Firmware-like coroutines on the host, without a processor of their own. docs/reference/heap.md has the
// rules, heap_layout.hpp what lies in the NVM.
//
// Guarantees across a power cut: a completed operation survives. An update that had not completed is atomic by page
// (heap.atomic = page) or as a whole (object); a create or delete is always atomic.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <systemc>
#include <vector>

#include "controllers/hardware/hardware.hpp"
#include "controllers/heap/extents.hpp"
#include "controllers/heap/heap_layout.hpp"
#include "controllers/heap/heap_pages.hpp"
#include "controllers/heap/heap_statistics.hpp"
#include "controllers/heap/swap_port.hpp"
#include "controllers/heap/swap_space.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "models/memory/memory_port.hpp"
#include "models/memory/nvram_contents.hpp"

namespace flashloom {

enum class HeapStatus : std::uint8_t {
  Ok,
  Exists,    ///< create: the object exists already
  NotFound,  ///< the object does not exist
  NoSpace,   ///< create: the address space has no free range of that length
  TooLarge,  ///< update with heap.atomic = object: it covers more pages than half of the frames
  /// Read or update: the swap device could not read a page, which is lost. A read returns all other pages. An update
  /// with heap.atomic = page has changed all other pages; with heap.atomic = object it has changed nothing.
  MediaError,
};
const char* to_string(HeapStatus status);

/// A read or update of an object.
struct HeapAccess {
  std::uint32_t object = 0;
  bool update = false;
  std::uint64_t offset = 0;  ///< bytes, whole sectors
  std::uint64_t length = 0;  ///< bytes, whole sectors
  /// One a sector: input of an update, output of a read (except lost pages); null: no contents are kept.
  SectorToken* tokens = nullptr;
};

/// Thrown when the swap device refuses a write: pages can no longer be evicted from the NVM.
struct SwapWornOut : std::runtime_error {
  SwapWornOut() : std::runtime_error("the swap device has become read-only: the heap cannot go on") {}
};

class ObjectHeap : public sc_core::sc_module {
 public:
  ObjectHeap(const sc_core::sc_module_name& name, const HeapConfig& config, const HeapLayout& layout,
             std::uint32_t queues);
  ~ObjectHeap() override;

  /// Sockets to the NVM and to the swap device, the latter one for each queue.
  MemoryPort& memory() { return memory_; }
  BlockInitiatorSocket& swap(std::uint32_t queue) { return device_.socket(queue); }
  /// The runtime of the coroutines that call the operations.
  Runtime& runtime() { return runtime_; }
  TimerQueue& timers() { return timers_; }

  // The operations, called within runtime(). Arguments outlive them. Offsets and lengths are within the object.
  Task<HeapStatus> create(std::uint32_t object, std::uint64_t bytes);
  Task<HeapStatus> remove(std::uint32_t object);
  Task<HeapStatus> map(std::uint32_t object);
  Task<HeapStatus> unmap(std::uint32_t object);
  Task<HeapStatus> access(HeapAccess& access);

  /// Power fails: drops all volatile state and destroys all coroutines of runtime().
  void power_cut();
  /// Power is back and the device serves: reads the tables in the NVM, repairs interrupted operations, calls `ready`.
  void power_on(std::function<void()> ready);

  const HeapLayout& layout() const { return layout_; }
  bool exists(std::uint32_t object) const { return state_->objects[object].exists; }
  /// Begin of the object's range of the address space, in bytes.
  std::uint64_t address(std::uint32_t object) const {
    return std::uint64_t{state_->objects[object].first} * layout_.page_bytes;
  }
  std::uint64_t bytes(std::uint32_t object) const { return state_->objects[object].bytes; }
  /// Whether page `page` of the object, counted from its begin, is lost.
  bool lost(std::uint32_t object, std::uint32_t page) const {
    return entry_of(state_->objects[object].first + page).kind == PagePlace::Kind::Lost;
  }
  /// Lost pages of all objects.
  std::uint64_t lost_pages() const;
  /// Requests that the swap device has failed with a media error since the begin.
  std::uint64_t device_media_errors() const { return device_.media_errors(); }
  const HeapPages& pages() const { return state_->pages; }
  const HeapStatistics& statistics() const { return statistics_; }
  const HeapRecovery& recovery() const { return recovery_; }
  void reset_statistics() { statistics_ = {}; }
  /// Recounts frames, slots and entries; call while nothing is under way. Throws std::logic_error for a wrong count.
  void check() const;

 private:
  struct Object {
    bool exists = false;
    bool updating = false;      // locked exclusively, by an update
    std::uint32_t readers = 0;  // operations that share the lock
    std::uint32_t mappings = 0;
    std::uint32_t first = 0;  // page
    std::uint32_t pages = 0;
    std::uint32_t transaction = 0;  // number of the last committed one
    std::uint64_t bytes = 0;
    WaitList turn;
  };
  /// The state that a power cut destroys.
  struct Volatile final : MappedView {
    Volatile(const HeapConfig& config, const HeapLayout& layout);
    bool mapped(std::uint64_t page) const override { return objects[owners[page]].mappings != 0; }

    HeapPages pages;
    SwapSpace slots;
    Extents extents;
    std::deque<Object> objects;
    std::vector<std::uint32_t> owners;  // object of a page
    WaitList room;                      // a frame is free
    WaitList loaded;
    WaitList let_go;  // waits until no operation uses a page that is being written
    WaitList budget;  // frames that updates may hold
    std::uint32_t held = 0;
  };
  struct Transfer final : SwapCommand {
    struct Item {
      Slot place;
      std::uint32_t frame;
      std::uint32_t slot;
    };
    void on_timer() override {
      under_way = false;
      SwapCommand::on_timer();
    }
    std::vector<Item> items;
    std::vector<SectorToken> contents;
    bool under_way = false;
  };
  Task<void> lock(Object& object, bool alone);
  void unlock(Object& object, bool alone);
  Task<HeapStatus> remap(std::uint32_t object, bool mapped);
  // False: a page of the access is lost.
  Task<bool> read(HeapAccess& access, Object& object);
  Task<bool> update(HeapAccess& access, Object& object);
  Task<bool> update_together(HeapAccess& access, Object& object);

  /// The part of an access that lies in one page.
  struct Part {
    std::uint32_t page;     // of the address space
    std::uint32_t first;    // sector in the page
    std::uint32_t sectors;  // of them
    SectorToken* tokens;
  };
  Part part_of(const HeapAccess& access, const Object& object, std::uint64_t at) const;
  bool whole(const Part& part) const { return part.sectors == layout_.page_sectors; }
  bool all(const Part& part, const Object& object) const;

  /// New contents of a page.
  struct Change {
    std::uint32_t page;
    std::uint32_t frame;
    std::uint32_t old_frame = kNone;  // old_frame and old_slot are freed when the new entry is persistent
    std::uint32_t old_slot = kNone;
  };
  void change_over(Change& change);
  void give_up(const Change& change);
  Task<void> take_back(const std::vector<Change>& changes, std::uint32_t held);

  Task<Slot> bring_in(const Part& part, const Object& object, Access access);
  Task<bool> load(Slot slot, const Object& object, Access access);
  Task<bool> read_alone(Transfer& transfer);
  Task<void> lose(Slot slot, std::uint32_t swap_slot);
  void forget(Slot slot);
  Task<std::uint32_t> take_frame();
  void give_frame(std::uint32_t frame);
  void give_slot(std::uint32_t slot);
  void put_down(Slot slot);
  void settle(Slot slot);
  void admit(Slot slot, Access access);
  void evict();
  void send_away();
  Task<void> swap_out(Transfer& transfer);
  Task<void> name_slots(const Transfer& transfer);
  void finish(const Transfer::Item& item);
  Task<void> finish_later(Transfer::Item item);

  PagePlace entry_of(std::uint32_t page) const { return PagePlace::of(contents_.read(layout_.entry_at(page))); }
  NvramContents::Write begin_entry(std::uint32_t page, PagePlace place);
  NvramContents::Write begin_contents(std::uint32_t frame, const Part& part, std::uint32_t from);
  Task<void> persist(const NvramContents::Write* writes, std::size_t count, std::uint64_t bytes, std::uint64_t read);
  Hardware::MoveAwaiter move(bool write, std::uint64_t bytes, Picoseconds from = 0) {
    return {false, &memory_, write, bytes, from};
  }
  Transfer& take_transfer(IoOperation operation);
  void prepare(Transfer& transfer);
  Task<bool> submit(Transfer& transfer);

  Task<void> recover(std::function<void()> ready);
  bool recover_object(std::uint32_t number);
  void recover_page(std::uint32_t page, const Object* owner, NvramContents::Write& repairs, std::vector<bool>& frames);
  void repair(std::size_t word, std::uint64_t value, NvramContents::Write& repairs);

  HeapConfig config_;
  HeapLayout layout_;
  NvramContents contents_;
  MemoryPort memory_;
  SwapPort device_;
  TimerQueue timers_;
  Runtime runtime_;
  std::unique_ptr<Volatile> state_;
  std::deque<Transfer> transfers_;
  std::vector<Transfer*> free_transfers_;
  std::vector<Slot> left_;   // pages being evicted
  std::vector<Slot> dirty_;  // of them, those to write to the swap area
  std::vector<std::uint64_t> words_;
  std::uint32_t queue_ = 0;  // of the next transfer
  HeapStatistics statistics_;
  HeapRecovery recovery_;
};

}  // namespace flashloom
