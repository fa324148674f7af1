// The sources of victims that a device's features bring.
#pragma once

#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {

/// Adds them, in the order in which they are asked: what is at risk, what host writes wait for, what may follow.
void add_victim_sources(const FtlContext& context, BlockTable& blocks, Programmer& programmer, Collector& collector);

}  // namespace flashloom
