// A journal of map changes between checkpoints. Source: E. Gal, S. Toledo, A Transactional Flash File System for
// Microcontrollers, USENIX ATC 2005.
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "policies/registry.hpp"

namespace flashloom::recovery::journal {
namespace {

class Journal final : public CheckpointedRecovery {
 public:
  using CheckpointedRecovery::CheckpointedRecovery;
  bool journals() const override { return true; }
};

const Registration<RecoveryMethod> registration{
    {.name = "journal",
     .summary = "checkpoints, and a journal of what was programmed since; a mount scans only what the journal lacks",
     .source = "Gal and Toledo, USENIX ATC 2005 (TFFS: journal and checkpoints)",
     .parameters = CheckpointedRecovery::parameters()},
    [](const RecoveryContext&, const ParameterValues& values) { return std::make_unique<Journal>(values); }};

}  // namespace
}  // namespace flashloom::recovery::journal
