// Checkpoint and roll-forward of LFS. Source: M. Rosenblum, J. Ousterhout, ACM TOCS 10(1), 1992, section 4.
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "policies/registry.hpp"

namespace flashloom::recovery::checkpoint {
namespace {

class Checkpoint final : public CheckpointedRecovery {
 public:
  using CheckpointedRecovery::CheckpointedRecovery;
  bool journals() const override { return false; }
};

const Registration<RecoveryMethod> registration{
    {.name = "checkpoint",
     .summary = "the map is written to flash now and then; a mount reads it, and the spare areas of what is newer",
     .source = "Rosenblum and Ousterhout, ACM TOCS 10(1), 1992 (checkpoint and roll-forward)",
     .parameters = CheckpointedRecovery::parameters()},
    [](const RecoveryContext&, const ParameterValues& values) { return std::make_unique<Checkpoint>(values); }};

}  // namespace
}  // namespace flashloom::recovery::checkpoint
