// Initializes the tables at power-on: everything free, nothing mapped.
#include "bench/firmware_steps/firmware.h"

static void chain_contexts(Firmware* fw) {
  for (uint32_t i = 0; i != CONTEXTS; ++i) fw->contexts[i].next = (uint16_t)(i + 1 == CONTEXTS ? NONE16 : i + 1);
  for (uint32_t i = 0; i != DESCRIPTORS; ++i)
    fw->descriptors[i].next = (uint16_t)(i + 1 == DESCRIPTORS ? NONE16 : i + 1);
  fw->free_context = fw->free_descriptor = 0;
  for (uint32_t i = 0; i != QUEUES; ++i) fw->queues[i].phase = 1;
}

static void empty_buffer(Firmware* fw) {
  for (uint32_t i = 0; i != 1u << HASH_BITS; ++i) fw->hash[i] = NONE16;
  for (uint32_t i = 0; i != BUFFER_SLOTS; ++i) {
    fw->slots[i].chain = (uint16_t)(i + 1 == BUFFER_SLOTS ? NONE16 : i + 1);
    fw->slots[i].data = (uint16_t)i;
  }
  fw->free_slot = 0;
  fw->newest = fw->oldest = NONE16;
  for (uint32_t i = BUFFER_SLOTS; i != DATA_BUFFERS; ++i) fw->data_ring[fw->data_tail++] = (uint16_t)i;
}

static void empty_die(Firmware* fw, uint32_t number) {
  Die* const die = &fw->dies[number];
  for (uint32_t i = 0; i != UNITS_PER_BLOCK + 1; ++i) die->list[i] = NONE16;
  die->active = die->idle_head = die->idle_tail = NONE16;
  for (uint32_t block = 0; block != BLOCKS_PER_DIE; ++block)
    fw->blocks[(block << DIE_BITS) + number].next =
        (uint16_t)(block + 1 == BLOCKS_PER_DIE ? NONE16 : ((block + 1) << DIE_BITS) + number);
  fw->frontiers[number].base = number << UNIT_BITS;  // block 0 is open
  die->free = (uint16_t)((1u << DIE_BITS) + number);
  die->free_last = (uint16_t)(((BLOCKS_PER_DIE - 1) << DIE_BITS) + number);
  die->free_blocks = BLOCKS_PER_DIE - 1;
}

void initialize(Firmware* fw) {
  for (uint32_t i = 0; i != sizeof *fw / 4; ++i) ((volatile uint32_t*)fw)[i] = 0;
  fw->sectors_of_namespace = (uint64_t)LOGICAL_UNITS << (UNIT_SHIFT - SECTOR_SHIFT);
  chain_contexts(fw);
  empty_buffer(fw);
  for (uint32_t i = 0; i != LOGICAL_UNITS; ++i) fw->map[i] = UNMAPPED;
  for (uint32_t i = 0; i != DIES; ++i) empty_die(fw, i);
}
