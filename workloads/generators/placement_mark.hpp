// Gives each class of a generator's data (logs, levels, small objects) its own placement.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/generators/generator.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Classes are counted from 0. With flexible data placement they take the device's identifiers in turn; otherwise class
/// k is stream k + 1, which a device without streams ignores.
class PlacementMark {
 public:
  /// Declares the parameter `placement`, which the constructor reads.
  static GeneratorParameter parameter() {
    return {.name = "placement", .default_value = true, .help = "writes say which kind of data they are of"};
  }
  PlacementMark(const GeneratorValues& values, const GeneratorContext& context) {
    if (!values.flag("placement")) return;
    directive_ = RequestDirective::Streams;
    if (!context.space.placement_identifiers || context.space.placement_identifiers->empty()) return;
    directive_ = RequestDirective::DataPlacement;
    identifiers_ = *context.space.placement_identifiers;
  }

  void operator()(Request& write, std::uint16_t kind) const {
    write.directive = directive_;
    if (directive_ == RequestDirective::DataPlacement) write.identifier = identifiers_[kind % identifiers_.size()];
    if (directive_ == RequestDirective::Streams) write.identifier = static_cast<std::uint16_t>(kind + 1);
  }

 private:
  RequestDirective directive_ = RequestDirective::None;
  std::vector<std::uint16_t> identifiers_;
};

}  // namespace flashloom
