// Recovery of an uncorrectable read, for all readers of the firmware: read retry, level by level, then soft
// decoding; each step is a flash command of its own. Sources: Y. Cai, Y. Luo, E. F. Haratsch, K. Mai, O. Mutlu, "Data
// retention in MLC NAND flash memory", HPCA 2015 (read retry); J. Park et al., "Reducing solid-state drive read latency
// by optimizing read-retry", ASPLOS 2021 (each step a whole read); K. Zhao et al., "LDPC-in-SSD", FAST 2013 (soft
// decoding from several reads).
#pragma once

#include "controllers/hardware/hardware.hpp"
#include "controllers/runtime/task.hpp"
#include "models/onfi/onfi_command.hpp"

namespace flashloom {

/// Whether a completed read is one for recover_read().
inline bool needs_recovery(const OnfiCommand& read) { return read.status == FlashStatus::Uncorrectable; }

/// Tries again a completed read for which needs_recovery(): the status ends Good, or Uncorrectable. Uses its
/// `together`, `completion` and `retry`. Of `metadata` firmware has a second copy: its status is Good in the end.
/// (Neither the copy nor its programs are modelled; it is read at the price of one more read.)
Task<void> recover_read(Hardware& hardware, OnfiCommand& read, bool metadata = false);

}  // namespace flashloom
