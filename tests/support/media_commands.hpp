// Commands given to a NandMedia directly, without a die.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/nand/nand_media.hpp"

namespace flashloom {

/// A command with storage for its OOB words and tokens.
struct Command {
  OnfiCommand command;
  std::vector<OobWord> oob;
  std::vector<SectorToken> tokens;
  explicit Command(const NandMedia& media)
      : oob(media.geometry().units_per_program()), tokens(oob.size() * media.sectors_per_unit()) {
    command.oob = oob.data();
    command.tokens = tokens.empty() ? nullptr : tokens.data();
  }
  OnfiCommand& operator()(FlashOperation operation, std::uint32_t die, std::uint32_t block, std::uint32_t page) {
    command.operation = operation;
    command.address = {Die{die}, Block{block}, Page{page}};
    command.first_unit = 0;
    command.units = static_cast<std::uint16_t>(operation == FlashOperation::Program ? oob.size() : 1);
    return command;
  }
};

inline void program(NandMedia& media, std::uint32_t die, std::uint32_t block, std::uint32_t page, OobWord first) {
  Command c(media);
  for (std::size_t i = 0; i < c.oob.size(); ++i) c.oob[i] = first + i;
  for (std::size_t i = 0; i < c.tokens.size(); ++i) c.tokens[i] = static_cast<SectorToken>(first * 100 + i);
  media.apply(c(FlashOperation::Program, die, block, page));
}

inline FlashStatus read_status(NandMedia& media, std::uint32_t die, std::uint32_t block, std::uint32_t page) {
  Command c(media);
  media.apply(c(FlashOperation::Read, die, block, page));
  return c.command.status;
}

/// The message of the check; empty if the command is legal.
inline std::string violation(const NandMedia& media, const OnfiCommand& command) {
  try {
    media.check(command);
  } catch (const FirmwareViolation& error) {
    return error.what();
  }
  return "";
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

}  // namespace flashloom
