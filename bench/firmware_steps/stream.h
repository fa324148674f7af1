// Drives the steps with a simulated host and a flash that takes no time: the stream over which they are counted. It
// also checks all answers.
#ifndef FLASHLOOM_BENCH_FIRMWARE_STEPS_STREAM_H
#define FLASHLOOM_BENCH_FIRMWARE_STEPS_STREAM_H

#include "bench/firmware_steps/firmware.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {  // a set of the routines; a second copy of them prepares the drive, so that its calls are not counted
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
  uint32_t wrong;  // 0, or the line of stream.c that found the first wrong answer
} Counts;

// With the routines `prepare` it fills the drive, overwrites it at random, and fills the buffer. Then with the routines
// `count` it serves `commands` random requests of one unit, half of them writes, 64 in flight, and detects `sets` sets
// of 16 units. The seed determines everything.
Counts run_stream(Firmware* fw, const Steps* prepare, const Steps* count, uint32_t seed, uint32_t commands,
                  uint32_t sets);

#ifdef __cplusplus
}
#endif
#endif
