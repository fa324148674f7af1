// See stream.h. Each write gives its unit a new number; each read must return the number of the last write.
#include "bench/firmware_steps/stream.h"

enum { IN_FLIGHT = 64, SET = 16 };

typedef struct {
  const Steps *steps, *prepare;
  Counts counts;
  uint32_t random, number, outstanding, turn;
} Run;

static uint32_t latest[LOGICAL_UNITS], flash[PLACES], buffer[DATA_BUFFERS];
static uint32_t expected[CONTEXTS];  // unit of each command
static uint16_t next_id;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition) && run->counts.wrong == 0) run->counts.wrong = __LINE__; \
  } while (0)

static uint32_t draw(Run* run, uint32_t below) {
  run->random ^= run->random << 13;
  run->random ^= run->random >> 17;
  run->random ^= run->random << 5;
  return (uint32_t)(((uint64_t)run->random * below) >> 32);
}

static void complete(Firmware* fw, Run* run, uint16_t context) {
  run->steps->command_complete(fw, context);
  --run->outstanding;
}

// Completes the die's active command. Completions of programs are no step of [cpu.cycles], so they are not counted.
static void finish_one(Firmware* fw, Run* run, uint32_t die) {
  Descriptor* const descriptor = &fw->descriptors[fw->dies[die].active];
  const int program = descriptor->command == FLASH_PROGRAM;
  descriptor->status = draw(run, SCRUB_BITS);
  const uint16_t context = (program ? run->prepare : run->steps)->flash_complete(fw, die);
  if (context != NONE16) complete(fw, run, context);
}

static void finish_die(Firmware* fw, Run* run, uint32_t die) {
  while (fw->dies[die].active != NONE16) finish_one(fw, run, die);
}

static void finish_any(Firmware* fw, Run* run) {
  uint32_t die = draw(run, DIES);
  while (fw->dies[die].active == NONE16) die = die + 1 == DIES ? 0 : die + 1;
  finish_one(fw, run, die);
}

static void note_place(Firmware* fw, Run* run, uint32_t unit, uint16_t data, uint32_t full) {
  flash[fw->map[unit]] = buffer[data];
  EXPECT(fw->reverse[fw->map[unit]] == unit);
  if (full == 0) return;
  ++run->counts.programs;
  while (fw->free_descriptor == NONE16) finish_any(fw, run);
  run->steps->flash_issue_program(fw, full - 1);
}

static void collect(Firmware* fw, Run* run, uint32_t die) {
  Collection collection;
  run->steps->victim_select(fw, die, &collection);
  EXPECT(collection.block != NONE16);
  for (;;) {
    const uint32_t place = run->steps->collect_next(fw, &collection);
    if (place == UNMAPPED) break;
    const uint32_t unit = fw->reverse[place];
    const uint16_t data = fw->data_ring[fw->data_head];
    if (++fw->data_head == DATA_BUFFERS) fw->data_head = 0;
    while (fw->free_descriptor == NONE16) finish_any(fw, run);
    run->steps->flash_issue_read(fw, place, data, NONE16, 0);
    finish_die(fw, run, die);
    buffer[data] = flash[place];
    note_place(fw, run, unit, data, run->steps->map_update_copy(fw, unit, data, place));
    ++run->counts.copies;
    ++run->counts.flash_reads;
  }
  EXPECT(fw->blocks[collection.block].valid == 0);
  run->steps->block_erased(fw, collection.block);
  ++run->counts.erases;
}

static void write_to_flash(Firmware* fw, Run* run, uint32_t unit, uint16_t data) {
  while (fw->dies[fw->turn].free_blocks < RESERVE) collect(fw, run, fw->turn);
  note_place(fw, run, unit, data, run->steps->map_update(fw, unit, data));
}

static void write_unit(Firmware* fw, Run* run, uint32_t unit) {
  Leaving leaving;
  const uint16_t slot = run->steps->buffer_write(fw, unit, &leaving);
  EXPECT(slot != NONE16 && fw->newest == slot && fw->slots[slot].unit == unit);
  if (latest[unit] != 0 && leaving.data == NONE16) ++run->counts.write_hits;
  if (leaving.data != NONE16) {
    EXPECT(buffer[leaving.data] == latest[leaving.unit]);
    write_to_flash(fw, run, leaving.unit, leaving.data);
  }
  latest[unit] = buffer[fw->slots[slot].data] = ++run->number;
}

static void read_unit(Firmware* fw, Run* run, uint16_t context, uint32_t unit) {
  const uint16_t slot = run->steps->buffer_read(fw, unit);
  if (slot != NONE16) {
    EXPECT(buffer[fw->slots[slot].data] == latest[unit]);
    --fw->slots[slot].users;  // the transfer to the host is done
    ++run->counts.read_hits;
    complete(fw, run, context);
    return;
  }
  const Lookup found = run->steps->map_lookup(fw, unit, UNMAPPED);
  if (found.kind != LOOKUP_FLASH) {
    EXPECT(found.kind == LOOKUP_BUFFERED && buffer[found.data] == latest[unit]);
    complete(fw, run, context);
    return;
  }
  EXPECT(flash[found.place] == latest[unit]);
  while (fw->free_descriptor == NONE16) finish_any(fw, run);
  run->steps->flash_issue_read(fw, found.place, (uint16_t)(context & 255), context, 0);
  ++run->counts.flash_reads;
}

static void submit(Firmware* fw, Run* run, uint8_t opcode, uint32_t unit) {
  const uint32_t number = draw(run, QUEUES);
  Queue* const queue = &fw->queues[number];
  SubmissionEntry* const entry = &queue->entries[queue->tail];
  entry->opcode = opcode;
  entry->flags = 0;
  entry->id = ++next_id;
  entry->name_space = 1;
  entry->prp1 = (uint64_t)unit << 12;
  entry->prp2 = (uint64_t)(unit + 1) << 12;
  entry->lba = (uint64_t)unit << (UNIT_SHIFT - SECTOR_SHIFT);
  entry->sectors = (1u << (UNIT_SHIFT - SECTOR_SHIFT)) - 1;
  entry->control = 0;
  queue->tail = (uint16_t)((queue->tail + 1) & (QUEUE_ENTRIES - 1));
  fw->arrived |= 1u << number;
  ++run->outstanding;
}

static void one_command(Firmware* fw, Run* run, uint8_t opcode) {
  const uint32_t unit = draw(run, LOGICAL_UNITS);
  submit(fw, run, opcode, unit);
  const uint16_t context = run->steps->command_parse(fw);
  EXPECT(context != NONE16 && fw->contexts[context].status == STATUS_OK);
  EXPECT(fw->contexts[context].unit == unit && fw->contexts[context].units == 1 && fw->contexts[context].id == next_id);
  expected[context] = unit;
  ++run->counts.commands;
  if (opcode == OPCODE_READ) {
    ++run->counts.reads;
    read_unit(fw, run, context, unit);
  } else {
    ++run->counts.writes;
    write_unit(fw, run, unit);
    complete(fw, run, context);
  }
  while (run->outstanding >= IN_FLIGHT) finish_any(fw, run);
}

static void prepare_drive(Firmware* fw, Run* run) {
  for (uint32_t die = 0; die != DIES; ++die) {  // staggers the dies, so that their blocks fill at different times
    const uint32_t skipped = UNITS_PER_BLOCK / DIES * die / UNITS_PER_PROGRAM * UNITS_PER_PROGRAM;
    fw->frontiers[die].next = (uint16_t)skipped;
  }
  for (uint32_t i = 0; i != 2 * LOGICAL_UNITS; ++i) {  // first sequentially, then at random
    const uint32_t unit = i < LOGICAL_UNITS ? i : draw(run, LOGICAL_UNITS);
    const uint16_t data = fw->data_ring[fw->data_head];
    if (++fw->data_head == DATA_BUFFERS) fw->data_head = 0;
    latest[unit] = buffer[data] = ++run->number;
    write_to_flash(fw, run, unit, data);
  }
  for (uint32_t i = 0; i != 2 * BUFFER_SLOTS; ++i) one_command(fw, run, OPCODE_WRITE);
}

// Writes SET consecutive units.
static void one_set(Firmware* fw, Run* run) {
  const uint32_t first = draw(run, LOGICAL_UNITS / SET) * SET;
  for (uint32_t i = 0; i != SET; ++i) write_unit(fw, run, first + i);
}

Counts run_stream(Firmware* fw, const Steps* prepare, const Steps* count, uint32_t seed, uint32_t commands,
                  uint32_t sets) {
  Run state = {prepare, prepare, {0}, seed, 0, 0, 0};
  Run* const run = &state;
  initialize(fw);
  prepare_drive(fw, run);
  const uint32_t wrong = run->counts.wrong;
  const Counts none = {0};
  run->counts = none;
  run->counts.wrong = wrong;
  run->steps = count;
  for (uint32_t i = 0; i != commands; ++i) one_command(fw, run, draw(run, 2) == 0 ? OPCODE_READ : OPCODE_WRITE);
  while (run->outstanding != 0) finish_any(fw, run);
  const Counts counted = run->counts;
  run->steps = prepare;
  for (uint32_t i = 0; i != 2 * BUFFER_SLOTS / SET; ++i) one_set(fw, run);
  run->counts = counted;
  for (uint32_t i = 0; i != sets; ++i) {
    uint16_t members[SET];
    run->counts.set_members += count->set_detect(fw, fw->slots[fw->oldest].unit, SET, members);
    ++run->counts.sets;
    one_set(fw, run);
  }
  const uint32_t set_wrong = run->counts.wrong;
  const uint32_t sets_done = run->counts.sets;
  const uint32_t members_found = run->counts.set_members;
  run->counts = counted;
  run->counts.wrong = set_wrong;
  run->counts.sets = sets_done;
  run->counts.set_members = members_found;
  return run->counts;
}
