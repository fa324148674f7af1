// Host reads from flash: units of one page form one command, and each page streams through DRAM and link to the host as
// it arrives. Shared by all FTLs.
#pragma once

#include <memory>
#include <vector>

#include "controllers/flash/read_group.hpp"
#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

class FlashReader {
 public:
  FlashReader(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout);

  /// One host read. A block is not erased between add() and the end of its page read.
  struct Batch {
    explicit Batch(ReadRequest* of = nullptr) : request(of) {}
    virtual ~Batch() = default;
    /// All pages are read and in flight to the host, and no coroutine waits for that.
    virtual void all_read() {}

    ReadRequest* request;
    std::uint32_t pages = 0;
    std::uint32_t pending = 0;
    std::coroutine_handle<> waiter{};
    Runtime* runtime = nullptr;
  };

  /// Adds a unit that can be read at `where` (ProgramReads::readable()); consecutive calls for consecutive units of a page
  /// share a command.
  void add(Batch& batch, const ReadUnit& unit, PhysicalUnit where);
  /// Issues the collected reads. Then `co_await all(batch)` waits until all pages are read and in flight to the host;
  /// or batch.all_read() is called then, if there are any.
  void issue(Batch& batch);
  struct AllPages {
    Batch& batch;
    bool await_ready() const noexcept { return batch.pending == 0; }
    void await_suspend(std::coroutine_handle<> waiter) const { batch.waiter = waiter; }
    void await_resume() const noexcept {}
  };
  static AllPages all(Batch& batch) { return {batch}; }

 private:
  /// One page read. Pooled.
  struct alignas(kCacheLine) PageRead final : FlashCompletion, Hardware::MoveWork<PageRead> {
    /// Next step of the data on their way from flash to the host.
    enum class Stage : std::uint8_t { Store, Fetch, Setup, Send, End };

    FlashReader* reader = nullptr;
    Batch* batch = nullptr;
    ReadRequest* request = nullptr;         ///< of the batch
    LatencyBreakdown* breakdown = nullptr;  ///< of the request
    PageRead* next = nullptr;
    BlockNumber block = 0;
    PhysicalUnit first = 0;
    boost::container::small_vector<ReadUnit, 1> units;  ///< by unit of the command
    boost::container::small_vector<OobWord, 1> oob;
    OnfiCommand command;
    std::vector<SectorToken> tokens;
    Stage stage = Stage::Store;
    std::uint64_t wanted = 0;  ///< bytes for the host
    std::uint32_t bytes = 0;   ///< bytes written to DRAM
    std::uint64_t place = 0;   ///< address in DRAM
    Picoseconds noted = 0;     ///< a core has processed the completion
    Picoseconds stored = 0;    ///< in DRAM
    Picoseconds fetched = 0;   ///< read from DRAM
    Picoseconds set_up = 0;    ///< the host knows that data will come
    void on_flash_complete(OnfiCommand&) override { reader->complete(*this); }
    void foresee() const override;
    void moved() {
      batch->runtime->run([this] {
        note_moved();
        reader->resume_stream(*this);
      });
    }
  };

  [[gnu::cold]] void enlarge_pool();
  /// Commands and groups of the batch, linked through OnfiCommand::next.
  OnfiCommand* commands_of(Batch& batch);
  /// Each of them waits for the queue of its die, in parallel.
  void submit_in_turn(OnfiCommand* first);
  Task<void> submit_after(OnfiCommand& first, WaitList& place);
  void complete(PageRead& page);
  Task<void> recover(PageRead& page);
  [[gnu::always_inline]] inline void finish(PageRead& page);
  [[gnu::always_inline]] inline void begin_stream(PageRead& page);
  [[gnu::always_inline]] inline void stream(PageRead& page);
  void resume_stream(PageRead& page);
  [[gnu::always_inline]] inline void end_stream(PageRead& page);
  [[gnu::always_inline]] inline void deliver(PageRead& page);

  const FtlContext& context_;
  BlockTable& blocks_;
  Programmer& programmer_;
  const OobLayout& layout_;
  std::vector<std::unique_ptr<PageRead>> pages_;
  std::vector<PageRead*> free_;
  ReadGroups groups_;  ///< of the batch, while issue() runs; none if the dies read page by page
  /// Pages of the batch being collected, in the order of their units; nothing suspends between add() calls.
  PageRead* first_ = nullptr;
  PageRead* last_ = nullptr;
};

}  // namespace flashloom
