// A host, and flash without time, around the steps: the stream over which they are counted, and its judge.
#ifndef FLASHLOOM_BENCH_FIRMWARE_STEPS_STREAM_H
#define FLASHLOOM_BENCH_FIRMWARE_STEPS_STREAM_H

#include "bench/firmware_steps/firmware.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {  // the same routines, twice: those that are counted lie apart from those that prepare
  uint16_t (*command_parse)(Firmware*);
  void (*command_complete)(Firmware*, uint16_t);
  uint16_t (*buffer_read)(Firmware*, uint32_t);
  uint16_t (*buffer_write)(Firmware*, uint32_t, Leaving*);
  Lookup (*map_lookup)(Firmware*, uint32_t, uint32_t);
  uint32_t (*map_update)(Firmware*, uint32_t, uint16_t);
  uint32_t (*map_update_copy)(Firmware*, uint32_t, uint16_t, uint32_t);
  uint32_t (*collect_next)(Firmware*, Collection*);
  void (*victim_select)(Firmware*, uint32_t, Collection*);
  void (*block_erased)(Firmware*, uint16_t);
  uint16_t (*flash_issue_read)(Firmware*, uint32_t, uint16_t, uint16_t, uint16_t);
  uint16_t (*flash_issue_program)(Firmware*, uint32_t);
  uint16_t (*flash_complete)(Firmware*, uint32_t);
  uint32_t (*set_detect)(Firmware*, uint32_t, uint32_t, uint16_t*);
} Steps;

typedef struct {
  uint32_t commands, reads, writes, read_hits, write_hits, copies, erases, programs, flash_reads, sets, set_members;
  uint32_t wrong;  // 0, or the line of stream.c at which an answer was wrong first
} Counts;

// Fills the drive, overwrites it at random, fills the buffer: all by `prepare`. Then `commands` requests of one unit,
// half of them writes, at random addresses and 64 in flight, and `sets` of 16 units, by `count`. Deterministic by seed.
Counts run_stream(Firmware* fw, const Steps* prepare, const Steps* count, uint32_t seed, uint32_t commands,
                  uint32_t sets);

#ifdef __cplusplus
}
#endif
#endif
