// Runs the stream as a program for qemu-arm, without library and with direct system calls. Prints each count on a line;
// exit code 1 if an answer was wrong.
#include "bench/firmware_steps/stream.h"

#ifndef COMMANDS
#define COMMANDS 8000u
#endif
#ifndef SETS
#define SETS 200u
#endif

static Firmware firmware;

// warm_NAME: the routines of a second copy of steps.o, renamed by objcopy.
#define DECLARE(type, name, arguments) type warm_##name arguments
DECLARE(uint16_t, command_parse, (Firmware*));
DECLARE(void, command_complete, (Firmware*, uint16_t));
DECLARE(uint16_t, buffer_read, (Firmware*, uint32_t));
DECLARE(uint16_t, buffer_write, (Firmware*, uint32_t, Leaving*));
DECLARE(Lookup, map_lookup, (Firmware*, uint32_t, uint32_t));
DECLARE(uint32_t, map_update, (Firmware*, uint32_t, uint16_t));
DECLARE(uint32_t, map_update_copy, (Firmware*, uint32_t, uint16_t, uint32_t));
DECLARE(uint32_t, collect_next, (Firmware*, Collection*));
DECLARE(void, victim_select, (Firmware*, uint32_t, Collection*));
DECLARE(void, block_erased, (Firmware*, uint16_t));
DECLARE(uint16_t, flash_issue_read, (Firmware*, uint32_t, uint16_t, uint16_t, uint16_t));
DECLARE(uint16_t, flash_issue_program, (Firmware*, uint32_t));
DECLARE(uint16_t, flash_complete, (Firmware*, uint32_t));
DECLARE(uint32_t, set_detect, (Firmware*, uint32_t, uint32_t, uint16_t*));

#define STEPS(prefix)                                                                                               \
  {                                                                                                                 \
    prefix##command_parse, prefix##command_complete, prefix##buffer_read, prefix##buffer_write, prefix##map_lookup, \
        prefix##map_update, prefix##map_update_copy, prefix##collect_next, prefix##victim_select,                   \
        prefix##block_erased, prefix##flash_issue_read, prefix##flash_issue_program, prefix##flash_complete,        \
        prefix##set_detect                                                                                          \
  }
static const Steps counted = STEPS();
static const Steps warm = STEPS(warm_);

void* memset(void* to, int value, __SIZE_TYPE__ bytes);
void* memset(void* to, int value, __SIZE_TYPE__ bytes) {  // GCC calls it for initializers
  for (__SIZE_TYPE__ i = 0; i != bytes; ++i) ((volatile unsigned char*)to)[i] = (unsigned char)value;
  return to;
}

static int system_call(int number, int first, const void* second, int third) {
  register int r7 __asm__("r7") = number;
  register int r0 __asm__("r0") = first;
  register const void* r1 __asm__("r1") = second;
  register int r2 __asm__("r2") = third;
  __asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2) : "memory");
  return r0;
}

static void print(const char* name, uint32_t value) {
  char line[64];
  int end = 0;
  while (name[end] != 0) {
    line[end] = name[end];
    ++end;
  }
  line[end++] = ' ';
  uint32_t unit = 1000000000;
  while (unit > 1 && value < unit) unit /= 10;
  for (; unit != 0; unit /= 10) line[end++] = (char)('0' + value / unit % 10);
  line[end++] = '\n';
  system_call(4, 1, line, end);
}

void start(void) {
  const Counts counts = run_stream(&firmware, &warm, &counted, 20261125, COMMANDS, SETS);
  print("commands", counts.commands);
  print("reads", counts.reads);
  print("writes", counts.writes);
  print("read_hits", counts.read_hits);
  print("copies", counts.copies);
  print("erases", counts.erases);
  print("programs", counts.programs);
  print("flash_reads", counts.flash_reads);
  print("sets", counts.sets);
  print("set_members", counts.set_members);
  print("wrong", counts.wrong);
  system_call(1, counts.wrong == 0 ? 0 : 1, 0, 0);
}

__asm__(".thumb_func\n.global _start\n_start: bl start\n");
