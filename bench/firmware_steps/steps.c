// The steps of a page-mapped NVMe firmware, written as for an ARM core with its tables in tightly coupled or on-chip
// memory: lists of 16-bit indices, bitmaps, no division, no calls of a library, only accesses to hardware registers.
#include "bench/firmware_steps/firmware.h"

#define STEP __attribute__((noinline))  // so that the trace shows each call

static inline uint32_t lowest(uint32_t word) { return (uint32_t)__builtin_ctz(word); }
static inline uint32_t highest(uint32_t word) { return 31u - (uint32_t)__builtin_clz(word); }

// --- Commands -------------------------------------------------------------------------------------------------------

static uint16_t refused(Context* context, uint16_t status, uint16_t index) {
  context->status = status;
  return index;
}

STEP uint16_t command_parse(Firmware* fw) {
  const uint32_t arrived = fw->arrived;
  if (arrived == 0 || fw->free_context == NONE16) return NONE16;
  const uint32_t from_turn = arrived & ~((1u << fw->queue_turn) - 1);  // round robin
  const uint32_t number = lowest(from_turn != 0 ? from_turn : arrived);
  fw->queue_turn = (number + 1) & (QUEUES - 1);
  Queue* const queue = &fw->queues[number];
  const SubmissionEntry* const entry = &queue->entries[queue->head];
  queue->head = (uint16_t)((queue->head + 1) & (QUEUE_ENTRIES - 1));
  if (queue->head == queue->tail) fw->arrived = arrived & ~(1u << number);
  ++queue->outstanding;

  const uint16_t index = fw->free_context;
  Context* const context = &fw->contexts[index];
  fw->free_context = context->next;
  context->id = entry->id;
  context->queue = (uint8_t)number;
  context->opcode = entry->opcode;
  context->status = STATUS_OK;
  context->flags = 0;
  context->prp_list = 0;
  context->units = 0;
  context->left = 0;
  if ((entry->flags & 0xC3u) != 0) return refused(context, STATUS_BAD_FIELD, index);  // fused, or SGL
  switch (entry->opcode) {
    case OPCODE_READ:
    case OPCODE_WRITE:
      break;
    case OPCODE_FLUSH:
    case OPCODE_DATASET:
      context->prp1 = entry->prp1;
      return index;
    default:
      return refused(context, STATUS_BAD_OPCODE, index);
  }
  if (entry->name_space != 1) return refused(context, STATUS_BAD_NAMESPACE, index);
  const uint32_t sectors = entry->sectors + 1u;
  const uint64_t lba = entry->lba;
  if (sectors > MAX_SECTORS) return refused(context, STATUS_BAD_FIELD, index);
  if (lba >= fw->sectors_of_namespace || sectors > fw->sectors_of_namespace - lba)
    return refused(context, STATUS_LBA_RANGE, index);
  const uint64_t prp1 = entry->prp1;
  const uint64_t prp2 = entry->prp2;
  if (((uint32_t)prp1 & 3u) != 0) return refused(context, STATUS_PRP_OFFSET, index);
  const uint32_t host_pages = (((uint32_t)prp1 & 4095u) + (sectors << SECTOR_SHIFT) + 4095u) >> 12;
  if (host_pages == 2 && ((uint32_t)prp2 & 4095u) != 0) return refused(context, STATUS_PRP_OFFSET, index);
  if (host_pages > 2) {
    if (((uint32_t)prp2 & 7u) != 0) return refused(context, STATUS_PRP_OFFSET, index);
    context->prp_list = (uint8_t)(host_pages - 1);  // the DMA engine fetches it
  }
  context->prp1 = prp1;
  context->prp2 = prp2;
  if ((entry->control & 0x4000u) != 0) context->flags = FLAG_FUA;
  const uint32_t shift = UNIT_SHIFT - SECTOR_SHIFT;
  const uint32_t first = (uint32_t)(lba >> shift);
  const uint32_t last = (uint32_t)((lba + sectors - 1) >> shift);
  context->unit = first;
  context->units = (uint16_t)(last - first + 1);
  context->left = context->units;
  context->sectors = (uint16_t)sectors;
  return index;
}

STEP void command_complete(Firmware* fw, uint16_t index) {
  Context* const context = &fw->contexts[index];
  Queue* const queue = &fw->queues[context->queue];
  CompletionEntry* const entry = &queue->completions[queue->completion_tail];
  entry->result = 0;
  entry->head = queue->head;
  entry->queue = (uint16_t)(context->queue + 1);
  entry->id = context->id;
  entry->status = (uint16_t)((context->status << 1) | queue->phase);
  queue->completion_tail = (uint16_t)((queue->completion_tail + 1) & (QUEUE_ENTRIES - 1));
  if (queue->completion_tail == 0) queue->phase ^= 1;
  if (context->status == STATUS_OK) {
    if (context->opcode == OPCODE_READ)
      fw->sectors_read += context->sectors;
    else if (context->opcode == OPCODE_WRITE)
      fw->sectors_written += context->sectors;
  }
  ++queue->done;
  --queue->outstanding;
  context->next = fw->free_context;
  fw->free_context = index;
  // Interrupts are coalesced: the firmware announces every four entries, and the last outstanding one of a queue.
  if (++queue->unannounced == 4 || queue->outstanding == 0) {
    queue->unannounced = 0;
    fw->completion_doorbell[entry->queue - 1] = queue->completion_tail;
  }
}

// --- Data buffer: a hash table of the units, a list by age ----------------------------------------------------------

static inline uint32_t bucket_of(uint32_t unit) { return (unit * 2654435761u) >> (32 - HASH_BITS); }

static inline uint16_t find(const Firmware* fw, uint32_t unit) {
  uint16_t at = fw->hash[bucket_of(unit)];
  while (at != NONE16 && fw->slots[at].unit != unit) at = fw->slots[at].chain;
  return at;
}

static inline void unlink_slot(Firmware* fw, uint16_t at) {
  const Slot* const slot = &fw->slots[at];
  if (slot->newer != NONE16)
    fw->slots[slot->newer].older = slot->older;
  else
    fw->newest = slot->older;
  if (slot->older != NONE16)
    fw->slots[slot->older].newer = slot->newer;
  else
    fw->oldest = slot->newer;
}

static inline void make_newest(Firmware* fw, uint16_t at) {
  Slot* const slot = &fw->slots[at];
  slot->newer = NONE16;
  slot->older = fw->newest;
  if (fw->newest != NONE16)
    fw->slots[fw->newest].newer = at;
  else
    fw->oldest = at;
  fw->newest = at;
}

static inline void unhash(Firmware* fw, uint16_t at) {
  uint16_t* link = &fw->hash[bucket_of(fw->slots[at].unit)];
  while (*link != at) link = &fw->slots[*link].chain;
  *link = fw->slots[at].chain;
}

STEP uint16_t buffer_read(Firmware* fw, uint32_t unit) {
  const uint16_t at = find(fw, unit);
  if (at == NONE16) return NONE16;
  if (fw->newest != at) {
    unlink_slot(fw, at);
    make_newest(fw, at);
  }
  ++fw->slots[at].users;  // until the transfer of its data to the host is done
  return at;
}

STEP uint16_t buffer_write(Firmware* fw, uint32_t unit, Leaving* leaving) {
  leaving->data = NONE16;
  uint16_t at = find(fw, unit);
  if (at != NONE16) {
    fw->slots[at].dirty = 1;
    if (fw->newest == at) return at;
    unlink_slot(fw, at);
    make_newest(fw, at);
    return at;
  }
  at = fw->free_slot;
  if (at != NONE16) {
    fw->free_slot = fw->slots[at].chain;
  } else {
    at = fw->oldest;
    while (at != NONE16 && fw->slots[at].users != 0) at = fw->slots[at].newer;
    if (at == NONE16) return NONE16;
    unhash(fw, at);
    unlink_slot(fw, at);
    if (fw->slots[at].dirty != 0) {
      leaving->unit = fw->slots[at].unit;
      leaving->data = fw->slots[at].data;
      fw->slots[at].data = fw->data_ring[fw->data_head];
      if (++fw->data_head == DATA_BUFFERS) fw->data_head = 0;
    }
  }
  Slot* const slot = &fw->slots[at];
  uint16_t* const bucket = &fw->hash[bucket_of(unit)];
  slot->unit = unit;
  slot->chain = *bucket;
  *bucket = at;
  slot->dirty = 1;
  make_newest(fw, at);
  return at;
}

STEP uint32_t set_detect(Firmware* fw, uint32_t unit, uint32_t limit, uint16_t* members) {
  uint32_t count = 0;
  uint32_t first = unit;
  while (first != 0 && unit - first < limit && find(fw, first - 1) != NONE16) --first;
  for (uint32_t at = first; count < limit; ++at) {
    const uint16_t slot = find(fw, at);
    if (slot == NONE16) {
      if (at >= unit) break;
      continue;
    }
    members[count++] = slot;
  }
  return count;
}

// --- Map and blocks -------------------------------------------------------------------------------------------------

#define DIE_OF(place) (((place) >> UNIT_BITS) & ((1u << DIE_BITS) - 1))
#define BLOCK_OF(place) ((place) >> UNIT_BITS)  // over all dies: block * 2^DIE_BITS + die
#define UNIT_OF(place) ((place) & ((1u << UNIT_BITS) - 1))

STEP Lookup map_lookup(Firmware* fw, uint32_t unit, uint32_t page) {
  Lookup found = {UNMAPPED, LOOKUP_UNMAPPED, NONE16};
  const uint32_t place = fw->map[unit];
  if (place == UNMAPPED) return found;
  found.place = place;
  const Frontier* const frontier = &fw->frontiers[DIE_OF(place)];
  const uint32_t behind = place - frontier->start;  // below `filled`: in the program unit that still fills
  if (behind < frontier->filled) {
    found.kind = LOOKUP_BUFFERED;
    found.data = frontier->data[behind];
  } else {
    found.kind = place >> UNITS_PER_PAGE_BITS == page ? LOOKUP_SAME_PAGE : LOOKUP_FLASH;
  }
  return found;
}

// Lists of closed blocks by number of invalid units, as in the Cosmos+ firmware, plus a bitmap to find the list with
// the most.
static inline void list_victim(Firmware* fw, uint32_t index, uint32_t invalid) {
  Die* const die = &fw->dies[index & ((1u << DIE_BITS) - 1)];
  Block* const block = &fw->blocks[index];
  block->previous = NONE16;
  block->next = die->list[invalid];
  if (block->next != NONE16) fw->blocks[block->next].previous = (uint16_t)index;
  die->list[invalid] = (uint16_t)index;
  die->occupied[invalid >> 5] |= 1u << (invalid & 31);
  die->occupied_words |= 1u << (invalid >> 5);
}

static inline void unlist_victim(Firmware* fw, uint32_t index, uint32_t invalid) {
  Die* const die = &fw->dies[index & ((1u << DIE_BITS) - 1)];
  const Block* const block = &fw->blocks[index];
  if (block->next != NONE16) fw->blocks[block->next].previous = block->previous;
  if (block->previous != NONE16) {
    fw->blocks[block->previous].next = block->next;
    return;
  }
  die->list[invalid] = block->next;
  if (block->next != NONE16) return;
  const uint32_t word = die->occupied[invalid >> 5] & ~(1u << (invalid & 31));
  die->occupied[invalid >> 5] = word;
  if (word == 0) die->occupied_words &= ~(1u << (invalid >> 5));
}

static inline void invalidate(Firmware* fw, uint32_t place) {
  const uint32_t index = BLOCK_OF(place);
  const uint32_t unit = UNIT_OF(place);
  Block* const block = &fw->blocks[index];
  block->bitmap[unit >> 5] &= ~(1u << (unit & 31));
  const uint32_t valid = --block->valid;
  if (block->closed == 0) return;
  unlist_victim(fw, index, UNITS_PER_BLOCK - valid - 1);
  list_victim(fw, index, UNITS_PER_BLOCK - valid);
}

static void open_block(Firmware* fw, uint32_t die_number) {
  Die* const die = &fw->dies[die_number];
  const uint16_t index = die->free;
  die->free = fw->blocks[index].next;
  --die->free_blocks;
  fw->frontiers[die_number].base = (uint32_t)index << UNIT_BITS;
  fw->frontiers[die_number].next = 0;
}

static inline uint32_t take_place(Firmware* fw, uint32_t unit, uint16_t data) {
  const uint32_t die = fw->turn;
  Frontier* const frontier = &fw->frontiers[die];
  const uint32_t at = frontier->next++;
  const uint32_t place = frontier->base + at;
  const uint32_t index = BLOCK_OF(place);
  Block* const block = &fw->blocks[index];
  fw->map[unit] = place;
  fw->reverse[place] = unit;
  ++block->valid;
  block->bitmap[at >> 5] |= 1u << (at & 31);
  if (frontier->filled == 0) frontier->start = place;
  frontier->data[frontier->filled++] = data;
  if (frontier->filled != UNITS_PER_PROGRAM) return 0;
  fw->turn = die + 1 == DIES ? 0 : die + 1;
  if (frontier->next == UNITS_PER_BLOCK) {
    block->closed = 1;
    list_victim(fw, index, UNITS_PER_BLOCK - block->valid);
    open_block(fw, die);
  }
  return die + 1;
}

STEP uint32_t map_update(Firmware* fw, uint32_t unit, uint16_t data) {
  const uint32_t old = fw->map[unit];
  if (old != UNMAPPED) invalidate(fw, old);
  return take_place(fw, unit, data);
}

STEP uint32_t map_update_copy(Firmware* fw, uint32_t unit, uint16_t data, uint32_t place) {
  if (fw->map[unit] != place) {  // the host has overwritten the unit meanwhile
    fw->data_ring[fw->data_tail] = data;
    if (++fw->data_tail == DATA_BUFFERS) fw->data_tail = 0;
    return 0;
  }
  invalidate(fw, place);
  return take_place(fw, unit, data);
}

STEP void victim_select(Firmware* fw, uint32_t die_number, Collection* collection) {
  Die* const die = &fw->dies[die_number];
  if (die->occupied_words == 0) {
    collection->block = NONE16;
    return;
  }
  const uint32_t word = highest(die->occupied_words);
  const uint32_t invalid = (word << 5) + highest(die->occupied[word]);
  const uint16_t index = die->list[invalid];
  unlist_victim(fw, index, invalid);
  fw->blocks[index].closed = 0;  // it is in no list
  collection->block = index;
  collection->first = (uint32_t)index << UNIT_BITS;
  collection->word = 0;
  collection->left = fw->blocks[index].valid;
}

STEP uint32_t collect_next(Firmware* fw, Collection* collection) {
  const Block* const block = &fw->blocks[collection->block];
  uint32_t word = collection->word;
  uint32_t bits = 0;
  while (word != BITMAP_WORDS && (bits = block->bitmap[word]) == 0) ++word;
  collection->word = (uint16_t)word;
  if (word == BITMAP_WORDS) return UNMAPPED;
  return collection->first + (word << 5) + lowest(bits);
}

STEP void block_erased(Firmware* fw, uint16_t index) {
  Block* const block = &fw->blocks[index];
  Die* const die = &fw->dies[index & ((1u << DIE_BITS) - 1)];
  ++block->erases;
  block->scrub = 0;
  block->next = NONE16;
  if (die->free_blocks++ == 0)
    die->free = index;
  else
    fw->blocks[die->free_last].next = index;
  die->free_last = index;
}

// --- Flash ----------------------------------------------------------------------------------------------------------

static inline void enqueue(Firmware* fw, uint32_t die_number, uint16_t index) {
  Die* const die = &fw->dies[die_number];
  fw->descriptors[index].next = NONE16;
  if (die->active == NONE16) {
    die->active = index;
    fw->flash_doorbell[die_number] = index;
  } else if (die->idle_tail == NONE16) {
    die->idle_head = die->idle_tail = index;
  } else {
    fw->descriptors[die->idle_tail].next = index;
    die->idle_tail = index;
  }
}

STEP uint16_t flash_issue_read(Firmware* fw, uint32_t place, uint16_t data, uint16_t context, uint16_t part) {
  const uint16_t index = fw->free_descriptor;
  if (index == NONE16) return NONE16;
  Descriptor* const descriptor = &fw->descriptors[index];
  fw->free_descriptor = descriptor->next;
  const uint32_t die = DIE_OF(place);
  const uint32_t unit = UNIT_OF(place);
  const uint32_t page = unit >> UNITS_PER_PAGE_BITS;
  const uint32_t block = place >> (DIE_BITS + UNIT_BITS);
  descriptor->command = FLASH_READ;
  descriptor->row = (block << 12) | page;
  descriptor->column = (unit & ((1u << UNITS_PER_PAGE_BITS) - 1)) << UNIT_SHIFT;
  descriptor->bytes = 1u << UNIT_SHIFT;
  descriptor->address[0] = (uint32_t)data << UNIT_SHIFT;
  descriptor->ecc = fw->blocks[BLOCK_OF(place)].erases >> 8;  // selects read levels by wear
  descriptor->status = 0;
  descriptor->context = context;
  descriptor->part = part;
  descriptor->data = data;
  enqueue(fw, die, index);
  return index;
}

STEP uint16_t flash_issue_program(Firmware* fw, uint32_t die) {
  const uint16_t index = fw->free_descriptor;
  if (index == NONE16) return NONE16;
  Descriptor* const descriptor = &fw->descriptors[index];
  Frontier* const frontier = &fw->frontiers[die];
  fw->free_descriptor = descriptor->next;
  const uint32_t place = frontier->start;
  descriptor->command = FLASH_PROGRAM;
  descriptor->row = ((place >> (DIE_BITS + UNIT_BITS)) << 12) | (UNIT_OF(place) >> UNITS_PER_PAGE_BITS);
  descriptor->column = 0;
  descriptor->bytes = UNITS_PER_PROGRAM << UNIT_SHIFT;
  for (uint32_t i = 0; i != UNITS_PER_PROGRAM; ++i) {
    const uint16_t data = frontier->data[i];
    descriptor->address[i] = (uint32_t)data << UNIT_SHIFT;
    fw->data_ring[fw->data_tail] = data;  // freed early: the ring reuses it long after the program is done
    if (++fw->data_tail == DATA_BUFFERS) fw->data_tail = 0;
  }
  frontier->filled = 0;
  descriptor->ecc = fw->blocks[BLOCK_OF(place)].erases >> 8;
  descriptor->status = 0;
  descriptor->context = NONE16;
  descriptor->part = 0;
  descriptor->data = NONE16;
  enqueue(fw, die, index);
  return index;
}

STEP uint16_t flash_complete(Firmware* fw, uint32_t die_number) {
  Die* const die = &fw->dies[die_number];
  const uint16_t index = die->active;
  Descriptor* const descriptor = &fw->descriptors[index];
  const uint32_t status = descriptor->status;
  const uint16_t next = die->idle_head;
  die->active = next;
  if (next != NONE16) {
    die->idle_head = fw->descriptors[next].next;
    if (die->idle_head == NONE16) die->idle_tail = NONE16;
    fw->flash_doorbell[die_number] = next;
  }
  const uint16_t number = descriptor->context;
  descriptor->next = fw->free_descriptor;
  fw->free_descriptor = index;
  const uint32_t block = ((descriptor->row >> 12) << DIE_BITS) | die_number;
  if ((status & FLASH_BITS) > SCRUB_BITS && fw->blocks[block].scrub == 0) {
    fw->blocks[block].scrub = 1;
    ++fw->scrubs;
  }
  if (number == NONE16) return NONE16;
  Context* const context = &fw->contexts[number];
  if ((status & FLASH_FAILED) != 0) {  // real firmware retries first, in a slow path
    context->status = STATUS_UNRECOVERED;
    ++fw->unrecovered;
  } else {
    HostTransfer* const transfer = &fw->transfers[fw->transfer_tail];
    transfer->data = descriptor->address[0];
    transfer->offset = (uint32_t)descriptor->part << UNIT_SHIFT;
    transfer->tag = number;
    fw->transfer_tail = (fw->transfer_tail + 1) & (CONTEXTS - 1);
    fw->transfer_doorbell = fw->transfer_tail;
  }
  return --context->left == 0 ? number : NONE16;
}
