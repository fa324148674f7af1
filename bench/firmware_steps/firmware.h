// The state of a small NVMe firmware, and its steps: what steps.c carries out and bench/firmware_cycles.py counts.
// Freestanding: no library, static tables, indices in place of pointers. C11, and valid C++.
#ifndef FLASHLOOM_BENCH_FIRMWARE_STEPS_FIRMWARE_H
#define FLASHLOOM_BENCH_FIRMWARE_STEPS_FIRMWARE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Geometry. The defaults are those of an R5-class drive, 1.5 GiB of it: one-shot programs of 2 planes x 3 pages x 16 KiB
// of 4 KiB units. bench/firmware_cycles.py states them for each core.
#ifndef DIES
#define DIES 32u
#endif
#ifndef UNITS_PER_PROGRAM
#define UNITS_PER_PROGRAM 24u
#endif
#ifndef UNITS_PER_BLOCK
#define UNITS_PER_BLOCK 192u
#endif
#ifndef UNITS_PER_PAGE_BITS
#define UNITS_PER_PAGE_BITS 2u  // log2
#endif
#ifndef UNIT_SHIFT
#define UNIT_SHIFT 12u  // log2 of a mapping unit's bytes
#endif
#ifndef BLOCKS_PER_DIE
#define BLOCKS_PER_DIE 64u
#endif
#ifndef LOGICAL_UNITS
#define LOGICAL_UNITS 320000u
#endif
#ifndef HASH_BITS
#define HASH_BITS 15u  // two buckets a slot
#endif
#ifndef BUFFER_SLOTS
#define BUFFER_SLOTS 16384u  // 64 MiB of 4 KiB
#endif

enum {
  QUEUES = 4,
  QUEUE_ENTRIES = 256,
  CONTEXTS = 256,
  DESCRIPTORS = 512,
  UNIT_BITS = 8,  // of a place in a block: UNITS_PER_BLOCK <= 256
  DIE_BITS = 5,
  PLACES = (int)(BLOCKS_PER_DIE << (DIE_BITS + UNIT_BITS)),
  BLOCKS = (int)(BLOCKS_PER_DIE << DIE_BITS),
  BITMAP_WORDS = (UNITS_PER_BLOCK + 31) / 32,
  DATA_BUFFERS = BUFFER_SLOTS + 4096,  // slots, and what is on its way from them to flash
  SECTOR_SHIFT = 9,
  MAX_SECTORS = 1024,  // MDTS
  RESERVE = 2          // free blocks of a die at which collection begins
};

#define NONE16 0xFFFFu
#define UNMAPPED 0xFFFFFFFFu

enum { OPCODE_FLUSH = 0x00, OPCODE_WRITE = 0x01, OPCODE_READ = 0x02, OPCODE_DATASET = 0x09 };
enum { STATUS_OK = 0x00, STATUS_BAD_OPCODE = 0x01, STATUS_BAD_FIELD = 0x02, STATUS_BAD_NAMESPACE = 0x0B,
       STATUS_LBA_RANGE = 0x80, STATUS_PRP_OFFSET = 0x13, STATUS_UNRECOVERED = 0x281 };

typedef struct {  // NVMe 1.4, figure 105 and 381; the hardware has fetched it into the queue's window
  uint8_t opcode, flags;
  uint16_t id;
  uint32_t name_space;
  uint32_t reserved[2];
  uint64_t metadata, prp1, prp2, lba;
  uint16_t sectors;  // less one
  uint16_t control;
  uint32_t dataset, tag, application;
} SubmissionEntry;

typedef struct {
  uint32_t result, reserved;
  uint16_t head, queue, id, status;
} CompletionEntry;

typedef struct {
  SubmissionEntry entries[QUEUE_ENTRIES];
  CompletionEntry completions[QUEUE_ENTRIES];
  uint16_t head, tail;  // submission: the hardware moves the tail
  uint16_t completion_tail, phase, unannounced, outstanding;
  uint32_t done;
} Queue;

typedef struct {
  uint64_t prp1, prp2;
  uint32_t unit;   // first
  uint16_t units;  // of the request
  uint16_t left;   // not yet read from flash
  uint16_t id, next, status, sectors;
  uint8_t opcode, queue, flags, prp_list;
} Context;

enum { FLAG_FUA = 1 };

typedef struct {
  uint32_t unit;
  uint16_t chain;  // next of its hash bucket
  uint16_t newer, older;
  uint16_t data;  // data buffer
  uint8_t dirty, users;
  uint16_t reserved;
} Slot;

typedef struct {  // a unit that leaves the buffer
  uint32_t unit;
  uint16_t data;
} Leaving;

typedef struct {
  uint32_t place;
  uint16_t kind, data;  // a LOOKUP_ value; of LOOKUP_BUFFERED the data buffer
} Lookup;
enum { LOOKUP_FLASH, LOOKUP_BUFFERED, LOOKUP_SAME_PAGE, LOOKUP_UNMAPPED };

typedef struct {  // a die's open block, and the program unit that is being filled
  uint32_t base;  // place of the block's first unit
  uint16_t next, filled;
  uint32_t start;  // place of the program unit's first unit
  uint16_t data[UNITS_PER_PROGRAM > 1 ? UNITS_PER_PROGRAM : 2];  // GCC 12 warns of one
} Frontier;

typedef struct {  // a block's bookkeeping; links are those of a victim list or of the free list
  uint16_t valid, erases;
  uint16_t next, previous;
  uint32_t bitmap[BITMAP_WORDS];
  uint8_t closed, scrub;
} Block;

typedef struct {
  uint16_t list[UNITS_PER_BLOCK + 1];           // closed blocks by the number of their invalid units
  uint32_t occupied[UNITS_PER_BLOCK / 32 + 1];  // which of those lists have any
  uint32_t occupied_words;                      // which of those words are not 0
  uint16_t free, free_blocks;                 // by first in, first out: wear
  uint16_t free_last;
  uint16_t active, idle_head, idle_tail;      // descriptor at the die; those that wait
} Die;

typedef struct {
  uint32_t first;  // place of the victim's first unit
  uint16_t block, word, left;
} Collection;

typedef struct {  // what a channel's hardware reads, and where it leaves its status
  uint32_t command, row, column, bytes;
  uint32_t address[UNITS_PER_PROGRAM];  // DMA
  uint32_t ecc;
  volatile uint32_t status;
  uint16_t next, context, part, data;  // part: number of the unit in its request
} Descriptor;
enum { FLASH_READ = 0x30000000, FLASH_PROGRAM = 0x10800000 };
enum { FLASH_FAILED = 1u << 31, FLASH_BITS = 0xFF, SCRUB_BITS = 40 };

typedef struct {  // for the host's DMA engine, which walks the PRPs of a context by the offset, as that of the Cosmos+ does
  uint32_t data, offset, tag;
} HostTransfer;

typedef struct {
  volatile uint32_t arrived;  // a bit for each queue with entries: the hardware sets it
  volatile uint32_t completion_doorbell[QUEUES];
  volatile uint32_t flash_doorbell[DIES];
  uint32_t queue_turn;
  uint64_t sectors_of_namespace;
  Queue queues[QUEUES];

  Context contexts[CONTEXTS];
  uint16_t free_context;

  Slot slots[BUFFER_SLOTS];
  uint16_t hash[1u << HASH_BITS];
  uint16_t free_slot, newest, oldest;
  uint16_t data_ring[DATA_BUFFERS];  // free data buffers
  uint32_t data_head, data_tail;

  uint32_t map[LOGICAL_UNITS];
  uint32_t reverse[PLACES];
  Block blocks[BLOCKS];
  Die dies[DIES];
  Frontier frontiers[DIES];
  uint32_t turn;  // die of the next program unit

  Descriptor descriptors[DESCRIPTORS];
  uint16_t free_descriptor;
  HostTransfer transfers[CONTEXTS];
  uint32_t transfer_tail;
  volatile uint32_t transfer_doorbell;

  uint64_t sectors_read, sectors_written;
  uint32_t unrecovered, scrubs;
} Firmware;

void initialize(Firmware* fw);

// The steps, by the names of [cpu.cycles]; where a step has several routines bench/firmware_cycles.py says which.

// The next command: its context, or NONE16 without entry or context. context->status is not 0 where it is refused.
uint16_t command_parse(Firmware* fw);
void command_complete(Firmware* fw, uint16_t context);
// A unit of a read: its slot, newest now and in use, or NONE16.
uint16_t buffer_read(Firmware* fw, uint32_t unit);
// A unit of a write: its slot, newest and dirty; leaving->data is not NONE16 if another had to leave for it.
uint16_t buffer_write(Firmware* fw, uint32_t unit, Leaving* leaving);
// Where a unit is; `page` is the one that the request reads last.
Lookup map_lookup(Firmware* fw, uint32_t unit, uint32_t page);
// A place for a unit, whose old one becomes invalid. Nonzero: the die, plus one, whose program unit is full.
uint32_t map_update(Firmware* fw, uint32_t unit, uint16_t data);
// The same for a copy from `place`; 0 too if the unit was written anew.
uint32_t map_update_copy(Firmware* fw, uint32_t unit, uint16_t data, uint32_t place);
// The next valid place of a victim, UNMAPPED behind the last.
uint32_t collect_next(Firmware* fw, Collection* collection);
void victim_select(Firmware* fw, uint32_t die, Collection* collection);
void block_erased(Firmware* fw, uint16_t block);
// Descriptors: NONE16 when there is none left.
uint16_t flash_issue_read(Firmware* fw, uint32_t place, uint16_t data, uint16_t context, uint16_t part);
uint16_t flash_issue_program(Firmware* fw, uint32_t die);
// The command that a die has finished; its context where that is complete now, or NONE16.
uint16_t flash_complete(Firmware* fw, uint32_t die);
// How many buffered units stand in one run with `unit` (itself included), found by address, up to `limit`.
uint32_t set_detect(Firmware* fw, uint32_t unit, uint32_t limit, uint16_t* members);

#ifdef __cplusplus
}
#endif
#endif
