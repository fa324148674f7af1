// The routines from which [cpu.cycles] is counted work like firmware: hand-worked values for the geometry of
// firmware.h: 32 dies, program units of 24 mapping units, blocks of 192 units, places with 8 bits within a block and 5
// for the die.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/firmware_steps/stream.h"
#include "tests/support/source_dir.hpp"

namespace flashloom::firmware_steps {
namespace {

class FirmwareSteps : public testing::Test {
 protected:
  FirmwareSteps() : memory_(std::make_unique<Firmware>()), fw_(memory_.get()) { initialize(fw_); }

  SubmissionEntry& submit(std::uint32_t queue, std::uint8_t opcode, std::uint64_t lba, std::uint32_t sectors) {
    Queue& to = fw_->queues[queue];
    SubmissionEntry& entry = to.entries[to.tail++];
    entry = {};
    entry.opcode = opcode;
    entry.id = static_cast<std::uint16_t>(100 + queue);
    entry.name_space = 1;
    entry.prp1 = 0x12345000;
    entry.prp2 = 0x23456000;
    entry.lba = lba;
    entry.sectors = static_cast<std::uint16_t>(sectors - 1);
    fw_->arrived = fw_->arrived | (1u << queue);
    return entry;
  }
  Context& parsed() { return fw_->contexts[command_parse(fw_)]; }
  std::uint16_t status_of_one() { return parsed().status; }
  /// Writes units first, first + 1, ... in the map, with data buffers of the same numbers.
  std::uint32_t update(std::uint32_t first, std::uint32_t count) {
    std::uint32_t full = 0;
    for (std::uint32_t i = 0; i != count; ++i) full = map_update(fw_, first + i, static_cast<std::uint16_t>(first + i));
    return full;
  }
  /// Fills blocks of die 0: every die is written, round by round.
  void fill_blocks(std::uint32_t rounds) {
    for (std::uint32_t i = 0; i != rounds * UNITS_PER_BLOCK / UNITS_PER_PROGRAM * DIES; ++i) {
      const std::uint32_t die = update(written_, UNITS_PER_PROGRAM) - 1;
      fw_->frontiers[die].filled = 0;
      written_ += UNITS_PER_PROGRAM;
    }
  }

  std::unique_ptr<Firmware> memory_;
  Firmware* fw_;
  std::uint32_t written_ = 0;
};

TEST_F(FirmwareSteps, ParsesARead) {
  submit(2, OPCODE_READ, 8 * 1000 + 3, 16);  // sectors 8003 to 8018: units 1000 to 1002
  const Context& context = parsed();
  EXPECT_EQ(context.status, STATUS_OK);
  EXPECT_EQ(context.id, 102);
  EXPECT_EQ(context.queue, 2);
  EXPECT_EQ(context.unit, 1000u);
  EXPECT_EQ(context.units, 3);
  EXPECT_EQ(context.left, 3);
  EXPECT_EQ(context.prp_list, 0);  // 8 KiB: two pages of the host, which need no list
  EXPECT_EQ(fw_->arrived, 0u);
  EXPECT_EQ(command_parse(fw_), NONE16);
}

TEST_F(FirmwareSteps, ReadsAListOfHostPages) {
  submit(0, OPCODE_WRITE, 0, 256).prp1 = 0x12345E00;  // 128 KiB from 512 bytes before a page's end: 33 pages
  EXPECT_EQ(parsed().prp_list, 32);
}

TEST_F(FirmwareSteps, TakesQueuesInTurn) {
  for (const std::uint32_t queue : {3u, 0u, 0u, 2u}) submit(queue, OPCODE_READ, 0, 8);
  EXPECT_EQ(parsed().queue, 0);
  EXPECT_EQ(parsed().queue, 2);
  EXPECT_EQ(parsed().queue, 3);
  EXPECT_EQ(parsed().queue, 0);
}

TEST_F(FirmwareSteps, RefusesWhatNoCommandCanBe) {
  const std::uint64_t sectors = 8ull * LOGICAL_UNITS;
  submit(0, 0x55, 0, 8);
  EXPECT_EQ(status_of_one(), STATUS_BAD_OPCODE);
  submit(0, OPCODE_READ, 0, 8).name_space = 2;
  EXPECT_EQ(status_of_one(), STATUS_BAD_NAMESPACE);
  submit(0, OPCODE_READ, 0, 8).flags = 0x40;
  EXPECT_EQ(status_of_one(), STATUS_BAD_FIELD);
  submit(0, OPCODE_READ, 0, 1025);
  EXPECT_EQ(status_of_one(), STATUS_BAD_FIELD);
  submit(0, OPCODE_READ, sectors - 7, 8);
  EXPECT_EQ(status_of_one(), STATUS_LBA_RANGE);
  submit(0, OPCODE_READ, ~0ull, 8);
  EXPECT_EQ(status_of_one(), STATUS_LBA_RANGE);
  submit(0, OPCODE_READ, sectors - 8, 8);
  EXPECT_EQ(status_of_one(), STATUS_OK);
  submit(0, OPCODE_READ, 0, 8).prp1 = 0x1002;
  EXPECT_EQ(status_of_one(), STATUS_PRP_OFFSET);
  submit(0, OPCODE_READ, 0, 16).prp2 = 0x1008;
  EXPECT_EQ(status_of_one(), STATUS_PRP_OFFSET);
}

TEST_F(FirmwareSteps, CompletesAndTellsOfFourEntriesOrTheLast) {
  std::uint16_t contexts[5];
  for (std::uint16_t& context : contexts) {
    submit(1, OPCODE_READ, 0, 8);
    context = command_parse(fw_);
  }
  fw_->completion_doorbell[1] = 999;
  for (int i = 0; i != 3; ++i) command_complete(fw_, contexts[i]);
  EXPECT_EQ(fw_->completion_doorbell[1], 999u);
  command_complete(fw_, contexts[3]);
  EXPECT_EQ(fw_->completion_doorbell[1], 4u);
  fw_->contexts[contexts[4]].status = STATUS_UNRECOVERED;
  command_complete(fw_, contexts[4]);
  EXPECT_EQ(fw_->completion_doorbell[1], 5u);
  const CompletionEntry& entry = fw_->queues[1].completions[4];
  EXPECT_EQ(entry.id, 101);
  EXPECT_EQ(entry.head, 5);
  EXPECT_EQ(entry.queue, 2);
  EXPECT_EQ(entry.status, 0x281 << 1 | 1);
  EXPECT_EQ(fw_->sectors_read, 4u * 8);  // excludes the failed command
}

TEST_F(FirmwareSteps, ThePhaseTurnsWithTheRing) {
  for (int i = 0; i != 300; ++i) {
    fw_->queues[0].tail &= QUEUE_ENTRIES - 1;
    submit(0, OPCODE_FLUSH, 0, 8);
    fw_->queues[0].tail &= QUEUE_ENTRIES - 1;
    command_complete(fw_, command_parse(fw_));
  }
  EXPECT_EQ(fw_->queues[0].completions[255].status & 1, 1);
  EXPECT_EQ(fw_->queues[0].completions[43].status & 1, 0);  // 300 - 256 = 44 of the second round
  EXPECT_EQ(fw_->queues[0].completions[44].status & 1, 1);
}

TEST_F(FirmwareSteps, TheOldestUnitLeavesAFullBuffer) {
  Leaving leaving;
  for (std::uint32_t unit = 0; unit != BUFFER_SLOTS; ++unit) {
    buffer_write(fw_, unit, &leaving);
    ASSERT_EQ(leaving.data, NONE16);
  }
  EXPECT_EQ(buffer_read(fw_, BUFFER_SLOTS), NONE16);
  const std::uint16_t read = buffer_read(fw_, 0);  // now the newest, and in use
  EXPECT_EQ(fw_->slots[read].unit, 0u);
  fw_->slots[fw_->oldest].users = 1;  // unit 1: its data are in flight
  const std::uint16_t data_of_two = fw_->slots[buffer_write(fw_, 2, &leaving)].data;
  EXPECT_EQ(leaving.data, NONE16);
  buffer_write(fw_, 500000, &leaving);
  EXPECT_EQ(leaving.unit, 3u);  // 1 is in use, 2 was just used
  buffer_write(fw_, 500001, &leaving);
  EXPECT_EQ(leaving.unit, 4u);
  EXPECT_EQ(buffer_read(fw_, 3), NONE16);
  EXPECT_EQ(fw_->slots[buffer_read(fw_, 2)].data, data_of_two);
}

TEST_F(FirmwareSteps, FindsTheRunOfAUnit) {
  Leaving leaving;
  for (const std::uint32_t unit : {10u, 11u, 12u, 13u, 15u}) buffer_write(fw_, unit, &leaving);
  std::uint16_t members[8];
  EXPECT_EQ(set_detect(fw_, 12, 8, members), 4u);
  EXPECT_EQ(fw_->slots[members[0]].unit, 10u);
  EXPECT_EQ(fw_->slots[members[3]].unit, 13u);
  EXPECT_EQ(set_detect(fw_, 15, 8, members), 1u);
  EXPECT_EQ(set_detect(fw_, 13, 2, members), 2u);  // no more than the limit
}

TEST_F(FirmwareSteps, GivesPlacesDieByDie) {
  EXPECT_EQ(map_lookup(fw_, 7, UNMAPPED).kind, LOOKUP_UNMAPPED);
  EXPECT_EQ(update(0, 23), 0u);
  EXPECT_EQ(map_update(fw_, 23, 23), 1u);  // the program unit of die 0 is full
  EXPECT_EQ(map_update(fw_, 24, 24), 0u);
  EXPECT_EQ(fw_->map[23], 23u);
  EXPECT_EQ(fw_->map[24], 256u);  // die 1
  EXPECT_EQ(map_lookup(fw_, 23, UNMAPPED).kind, LOOKUP_BUFFERED);
  EXPECT_EQ(map_lookup(fw_, 23, UNMAPPED).data, 23);
  const std::uint16_t index = flash_issue_program(fw_, 0);
  EXPECT_EQ(fw_->descriptors[index].bytes, 24u * 4096);
  EXPECT_EQ(fw_->descriptors[index].address[5], 5u * 4096);
  EXPECT_EQ(map_lookup(fw_, 23, UNMAPPED).kind, LOOKUP_FLASH);
  EXPECT_EQ(map_lookup(fw_, 23, 22 >> 2).kind, LOOKUP_SAME_PAGE);
  map_update(fw_, 5, 5);
  EXPECT_EQ(fw_->blocks[0].valid, 23);
  EXPECT_EQ(fw_->blocks[0].bitmap[0], 0xFFFFDFu);
}

TEST_F(FirmwareSteps, CollectsTheBlockWithTheFewestValidUnits) {
  fill_blocks(2);  // blocks 0 and 1 of each die; die 0 has units 768 x k to 768 x k + 23
  EXPECT_EQ(fw_->dies[0].free_blocks, BLOCKS_PER_DIE - 3);
  const std::uint32_t second = fw_->reverse[(1u << DIE_BITS | 0) << UNIT_BITS];
  map_update(fw_, 0, 0);
  map_update(fw_, second + 1, 1);
  map_update(fw_, second + 2, 2);
  Collection collection;
  victim_select(fw_, 0, &collection);
  EXPECT_EQ(collection.block, 1u << DIE_BITS);
  EXPECT_EQ(collection.left, UNITS_PER_BLOCK - 2);
  EXPECT_EQ(collect_next(fw_, &collection), 32u << UNIT_BITS);
  EXPECT_EQ(map_update_copy(fw_, second, 9, 12345), 0u);  // rewritten in the meantime: no copy
  EXPECT_EQ(collect_next(fw_, &collection), 32u << UNIT_BITS);
  map_update_copy(fw_, second, 9, 32u << UNIT_BITS);
  EXPECT_EQ(collect_next(fw_, &collection), (32u << UNIT_BITS) + 3);  // 1 and 2 were rewritten
  for (std::uint32_t place; (place = collect_next(fw_, &collection)) != UNMAPPED;) {
    const std::uint32_t full = map_update_copy(fw_, fw_->reverse[place], 9, place);
    if (full != 0) fw_->frontiers[full - 1].filled = 0;
  }
  EXPECT_EQ(fw_->blocks[1u << DIE_BITS].valid, 0);
  block_erased(fw_, collection.block);
  EXPECT_EQ(fw_->dies[0].free_last, 1u << DIE_BITS);  // last in the free list
  EXPECT_EQ(fw_->blocks[1u << DIE_BITS].erases, 1);
  victim_select(fw_, 0, &collection);
  EXPECT_EQ(collection.block, 0);
}

TEST_F(FirmwareSteps, ADieWorksOneCommandAfterTheOther) {
  submit(0, OPCODE_READ, 0, 16);
  const std::uint16_t context = command_parse(fw_);
  const std::uint32_t place = ((7u << DIE_BITS | 3u) << UNIT_BITS) + 13;  // block 7 of die 3: page 3, its unit 1
  const std::uint16_t first = flash_issue_read(fw_, place, 50, context, 0);
  const std::uint16_t second = flash_issue_read(fw_, place + 1, 51, context, 1);
  EXPECT_EQ(fw_->descriptors[first].row, 7u << 12 | 3u);
  EXPECT_EQ(fw_->descriptors[first].column, 4096u);
  EXPECT_EQ(fw_->flash_doorbell[3], first);
  fw_->descriptors[first].status = 41;  // corrected bits: above the block's scrub threshold
  EXPECT_EQ(flash_complete(fw_, 3), NONE16);
  EXPECT_EQ(fw_->blocks[7u << DIE_BITS | 3u].scrub, 1);
  EXPECT_EQ(fw_->flash_doorbell[3], second);
  EXPECT_EQ(flash_complete(fw_, 3), context);
  EXPECT_EQ(fw_->transfers[1].data, 51u * 4096);
  EXPECT_EQ(fw_->transfers[1].offset, 4096u);
  EXPECT_EQ(fw_->dies[3].active, NONE16);
}

TEST_F(FirmwareSteps, SaysWhatCannotBeRead) {
  submit(0, OPCODE_READ, 0, 8);
  const std::uint16_t context = command_parse(fw_);
  fw_->descriptors[flash_issue_read(fw_, 0, 50, context, 0)].status = FLASH_FAILED;
  EXPECT_EQ(flash_complete(fw_, 0), context);
  EXPECT_EQ(fw_->contexts[context].status, STATUS_UNRECOVERED);
}

// Every read of the stream returns the last write; and this is the stream whose cycles were counted.
TEST_F(FirmwareSteps, TheStreamReadsWhatItWrote) {
  const Steps steps = {command_parse,    command_complete,    buffer_read,    buffer_write,  map_lookup,
                       map_update,       map_update_copy,     collect_next,   victim_select, block_erased,
                       flash_issue_read, flash_issue_program, flash_complete, set_detect};
  const nlohmann::json counted = nlohmann::json::parse(
      std::ifstream(source_dir() + "/bench/firmware_steps/results.json"))["cores"]["cortex-r5"]["stream"];
  const Counts counts = run_stream(fw_, &steps, &steps, 20261125, counted["commands"], counted["sets"]);
  EXPECT_EQ(counts.wrong, 0u);
  EXPECT_EQ(counts.reads, counted["reads"]);
  EXPECT_EQ(counts.copies, counted["copies"]);
  EXPECT_EQ(counts.programs, counted["programs"]);
  EXPECT_EQ(counts.flash_reads, counted["flash_reads"]);
  EXPECT_EQ(counts.set_members, counted["set_members"]);
}

}  // namespace
}  // namespace flashloom::firmware_steps
