// Repeated power cuts of an object heap: processes create, map, read, update and delete objects on the timed clock; the
// machine loses power at random instants, recovers (maybe with further cuts), and every object is read.
#pragma once

#include <array>
#include <deque>
#include <exception>
#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/stack/heap/heap_system.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "workloads/random.hpp"

namespace flashloom {

struct HeapTortureCounts {
  std::uint64_t cuts = 0;
  std::uint64_t in_recovery = 0;  ///< cuts that struck before everything was verified again
  /// Operations that cuts struck; a cut may strike one operation of each process.
  std::array<std::uint64_t, kObjectOperations> struck{};
  std::uint64_t idle = 0;  ///< cuts that struck no operation
  std::uint64_t operations = 0;
  std::uint64_t old_pages = 0;  ///< pages of struck updates that were found old, or new
  std::uint64_t new_pages = 0;
  std::uint64_t mixed_updates = 0;  ///< struck updates with both old and new pages
  std::uint64_t swapped_out = 0;
  std::uint64_t redone = 0;
  std::uint64_t undone = 0;
  std::uint64_t cleared = 0;
  std::uint64_t sectors_checked = 0;
  std::uint64_t lost_pages = 0;         ///< pages that the device could not read, with nand.errors
  std::uint64_t failed_operations = 0;  ///< operations that met a lost page
  std::uint64_t recovered_pages = 0;    ///< lost pages that were overwritten
  bool worn_out = false;                ///< the swap area's device wore out before all cuts were made
};

class HeapTorture {
 public:
  /// `seed` determines all random choices. `config` must be validated and have a heap; verify is switched on. There
  /// must be no other simulation in the process.
  HeapTorture(DeviceConfig config, std::uint64_t seed);
  ~HeapTorture();

  /// Cuts the power `cuts` times. False: see failure().
  bool run(std::uint64_t cuts);
  const HeapTortureCounts& counts() const { return counts_; }
  const TortureFailure& failure() const { return failure_; }

 private:
  /// The acknowledged state of an object.
  struct Expected {
    bool exists = false;
    std::uint64_t bytes = 0;
    std::vector<SectorToken> tokens;
    std::vector<bool> lost;  ///< by page: a read of it has failed
  };
  struct Process {
    bool working = false;
    ObjectRequest request;  ///< in progress; after a cut until its outcome is known
    SectorToken token = 0;  ///< written by an update
    bool failed = false;    ///< the request met a lost page
  };

  Task<void> live(std::size_t number);
  Task<void> verify();
  Task<void> perform(Process& process, std::vector<SectorToken>& tokens);
  ObjectRequest choose(std::size_t number);
  void complete(const Process& process, const std::vector<SectorToken>& tokens);
  void compare(std::uint32_t object, const std::vector<SectorToken>& found);
  void compare_update(const Process& process, Expected& expected, const std::vector<SectorToken>& found);
  void take_update(const ObjectRequest& request, SectorToken token, bool failed);
  void take_read(const ObjectRequest& request, const std::vector<SectorToken>& found, bool failed);
  Expected made(std::uint64_t bytes) const;
  void check_losses() const;
  void settle_existence(std::uint32_t object);
  void cut();
  void restart();
  void advance(Picoseconds time);
  void note(const std::string& line);
  std::string text_of(const ObjectRequest& request) const;
  Picoseconds spacing();

  DeviceConfig config_;
  std::uint64_t seed_;
  Random random_;
  Ssd ssd_;
  HeapSystem system_;
  ObjectHeap& heap_;
  std::uint32_t sector_;
  std::vector<Expected> expected_;
  std::deque<Process> processes_;
  SectorToken token_ = 0;
  bool verified_ = true;
  bool living_ = false;
  std::exception_ptr error_;
  HeapTortureCounts counts_;
  TortureFailure failure_;
};

}  // namespace flashloom
