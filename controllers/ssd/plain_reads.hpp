// Host reads from the fetched command to the completion entry as one object each, without coroutines.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "controllers/buffer/data_buffer.hpp"
#include "controllers/ftl/mapping/mapped_ftl.hpp"
#include "controllers/hardware/hardware.hpp"
#include "controllers/ssd/read_end.hpp"
#include "models/block/io_command.hpp"

namespace flashloom {

/// What Firmware::read() and MappedFtl::read() do, at the same instants and in the same order, for devices that let
/// nothing but cores and flash be waited for: all memories answer at once, and reads change no cache.
class PlainReads {
 public:
  PlainReads(DataBuffer& buffer, MappedFtl& ftl, Hardware& hardware)
      : buffer_(buffer), ftl_(ftl), hardware_(hardware) {}

  /// Begins a read of a range that exists, while a runtime is running.
  void begin(IoCommand& command, Picoseconds fetched, ReadEnd& end);

 private:
  struct alignas(kCacheLine) Read final : FlashReader::Batch, Hardware::CoreWork<Read> {
    PlainReads* reads = nullptr;
    IoCommand* command = nullptr;
    BufferRead* buffered = nullptr;  ///< set once it is parsed
    ReadEnd* end = nullptr;

    void over() {
      runtime->run([this] { buffered == nullptr ? reads->look_up(*this) : reads->dispatch(*this); });
    }
    void all_read() override;
  };

  void look_up(Read& read);
  void dispatch(Read& read);
  Task<void> dispatch_after(Read& read, WaitList* list);
  bool issue(Read& read);
  Task<void> finish_in_turn(Read& read);
  void finish(Read& read) {
    complete(read);
    end(read);
  }
  void complete(Read& read);
  void end(Read& read);

  DataBuffer& buffer_;
  MappedFtl& ftl_;
  Hardware& hardware_;
  std::deque<Read> reads_;
  std::vector<Read*> free_;
};

}  // namespace flashloom
