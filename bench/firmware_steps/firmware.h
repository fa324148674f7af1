// The state of a small NVMe firmware, and the steps that steps.c implements and bench/firmware_cycles.py counts.
// Freestanding: no library, static tables, indices in place of pointers. C11, and valid C++.
#ifndef FLASHLOOM_BENCH_FIRMWARE_STEPS_FIRMWARE_H
#define FLASHLOOM_BENCH_FIRMWARE_STEPS_FIRMWARE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Geometry. The defaults are those of an R5-class drive, cut down to 1.5 GiB: one-shot programs of 2 planes x 3 pages x
// 16 KiB of 4 KiB units. bench/firmware_cycles.py overrides them for some cores.
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
#define HASH_BITS 15u  // twice as many buckets as slots
#endif
#ifndef BUFFER_SLOTS
#define BUFFER_SLOTS 16384u  // of 4 KiB: 64 MiB
#endif

enum {
  QUEUES = 4,
  QUEUE_ENTRIES = 256,
  CONTEXTS = 256,
  DESCRIPTORS = 512,
  UNIT_BITS = 8,  // bits of a place for the unit in its block: UNITS_PER_BLOCK <= 256
  DIE_BITS = 5,
  PLACES = (int)(BLOCKS_PER_DIE << (DIE_BITS + UNIT_BITS)),
  BLOCKS = (int)(BLOCKS_PER_DIE << DIE_BITS),
  BITMAP_WORDS = (UNITS_PER_BLOCK + 31) / 32,
  DATA_BUFFERS = BUFFER_SLOTS + 4096,  // one for each slot, and room for units on their way to flash
  SECTOR_SHIFT = 9,
  MAX_SECTORS = 1024,  // MDTS
  RESERVE = 2          // collection begins when a die has fewer free blocks
};

#define NONE16 0xFFFFu
#define UNMAPPED 0xFFFFFFFFu

enum { OPCODE_FLUSH = 0x00, OPCODE_WRITE = 0x01, OPCODE_READ = 0x02, OPCODE_DATASET = 0x09 };
enum {
  STATUS_OK = 0x00,
  STATUS_BAD_OPCODE = 0x01,
  STATUS_BAD_FIELD = 0x02,
  STATUS_BAD_NAMESPACE = 0x0B,
  STATUS_LBA_RANGE = 0x80,
  STATUS_PRP_OFFSET = 0x13,
  STATUS_UNRECOVERED = 0x281
};

typedef struct {  // NVMe 1.4, figures 105 and 381; the hardware has already fetched it into the queue's window
  uint8_t opcode, flags;
  uint16_t id;
  uint32_t name_space;
  uint32_t reserved[2];
  uint64_t metadata, prp1, prp2, lba;
  uint16_t sectors;  // minus one
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
  uint16_t head, tail;  // of the submission queue; the hardware moves the tail
  uint16_t completion_tail, phase, unannounced, outstanding;
  uint32_t done;
} Queue;

typedef struct {
  uint64_t prp1, prp2;
  uint32_t unit;   // first unit of the request
  uint16_t units;  // number of units
  uint16_t left;   // units not yet read from flash
  uint16_t id, next, status, sectors;
  uint8_t opcode, queue, flags, prp_list;
} Context;

enum { FLAG_FUA = 1 };

typedef struct {
  uint32_t unit;
  uint16_t chain;  // next slot in the hash bucket
  uint16_t newer, older;
  uint16_t data;  // number of the data buffer
  uint8_t dirty, users;
  uint16_t reserved;
} Slot;

typedef struct {  // a unit evicted from the buffer
  uint32_t unit;
  uint16_t data;
} Leaving;

typedef struct {
  uint32_t place;
  uint16_t kind, data;  // a LOOKUP_ value; the data buffer if it is LOOKUP_BUFFERED
} Lookup;
enum { LOOKUP_FLASH, LOOKUP_BUFFERED, LOOKUP_SAME_PAGE, LOOKUP_UNMAPPED };

typedef struct {  // a die's open block and the program unit that fills
  uint32_t base;  // place of the block's first unit
  uint16_t next, filled;
  uint32_t start;                                                // place of the program unit's first unit
  uint16_t data[UNITS_PER_PROGRAM > 1 ? UNITS_PER_PROGRAM : 2];  // GCC 12 warns about an array of one
} Frontier;

typedef struct {  // a block's bookkeeping; `next` and `previous` link a victim list or the free list
  uint16_t valid, erases;
  uint16_t next, previous;
  uint32_t bitmap[BITMAP_WORDS];
  uint8_t closed, scrub;
} Block;

typedef struct {
  uint16_t list[UNITS_PER_BLOCK + 1];           // heads of lists of closed blocks, by number of invalid units
  uint32_t occupied[UNITS_PER_BLOCK / 32 + 1];  // a bit for each list: not empty
  uint32_t occupied_words;                      // a bit for each word of `occupied`: not 0
  uint16_t free, free_blocks;                   // head of a first-in, first-out list, which evens out wear
  uint16_t free_last;
  uint16_t active, idle_head, idle_tail;  // the descriptor in execution; the queue of waiting ones
} Die;

typedef struct {
  uint32_t first;  // place of the victim's first unit
  uint16_t block, word, left;
} Collection;

typedef struct {  // a flash command that the channel's hardware reads, with the status that it writes
  uint32_t command, row, column, bytes;
  uint32_t address[UNITS_PER_PROGRAM];  // DMA addresses
  uint32_t ecc;
  volatile uint32_t status;
  uint16_t next, context, part, data;  // part: number of the unit in its request
} Descriptor;
enum { FLASH_READ = 0x30000000, FLASH_PROGRAM = 0x10800000 };
enum { FLASH_FAILED = 1u << 31, FLASH_BITS = 0xFF, SCRUB_BITS = 40 };

typedef struct {  // an order for the host DMA engine, which finds PRPs by the offset, as that of the Cosmos+ does
  uint32_t data, offset, tag;
} HostTransfer;

typedef struct {
  volatile uint32_t arrived;  // a bit for each queue with entries, set by the hardware
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
  uint32_t turn;  // die that takes the next program unit

  Descriptor descriptors[DESCRIPTORS];
  uint16_t free_descriptor;
  HostTransfer transfers[CONTEXTS];
  uint32_t transfer_tail;
  volatile uint32_t transfer_doorbell;

  uint64_t sectors_read, sectors_written;
  uint32_t unrecovered, scrubs;
} Firmware;

void initialize(Firmware* fw);

// The steps, named as in [cpu.cycles]; bench/firmware_cycles.py lists the routines of steps that have several.

// Takes the next command. Returns its context, or NONE16 if there is no entry or no free context. A nonzero
// context->status means that the command is refused.
uint16_t command_parse(Firmware* fw);
void command_complete(Firmware* fw, uint16_t context);
// Looks up a unit for a read. Returns its slot, made the newest and marked in use, or NONE16.
uint16_t buffer_read(Firmware* fw, uint32_t unit);
// Puts a unit of a write into the buffer. Returns its slot, the newest and dirty. If a dirty unit was evicted for it,
// leaving->data is not NONE16.
uint16_t buffer_write(Firmware* fw, uint32_t unit, Leaving* leaving);
// Finds a unit's place; `page` is the last page that the request reads already.
Lookup map_lookup(Firmware* fw, uint32_t unit, uint32_t page);
// Gives a unit a new place and invalidates the old one. Returns 0, or the number plus one of a die whose program unit
// is now full.
uint32_t map_update(Firmware* fw, uint32_t unit, uint16_t data);
// The same for a garbage-collection copy from `place`. Returns 0, without a new place, if the host has overwritten the
// unit.
uint32_t map_update_copy(Firmware* fw, uint32_t unit, uint16_t data, uint32_t place);
// Returns the next valid place of a victim, or UNMAPPED after the last one.
uint32_t collect_next(Firmware* fw, Collection* collection);
void victim_select(Firmware* fw, uint32_t die, Collection* collection);
void block_erased(Firmware* fw, uint16_t block);
// Both return the number of the command's descriptor, or NONE16 if no descriptor is free.
uint16_t flash_issue_read(Firmware* fw, uint32_t place, uint16_t data, uint16_t context, uint16_t part);
uint16_t flash_issue_program(Firmware* fw, uint32_t die);
// Completes the command that a die has finished. Returns its context if the request is now complete, else NONE16.
uint16_t flash_complete(Firmware* fw, uint32_t die);
// Returns the number of buffered units, up to `limit`, with consecutive addresses around `unit` (included), and their
// slots.
uint32_t set_detect(Firmware* fw, uint32_t unit, uint32_t limit, uint16_t* members);

#ifdef __cplusplus
}
#endif
#endif
