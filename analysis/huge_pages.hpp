// Memory for large tables that are read at random: in pages of 2 MiB, where the operating system gives them, so that
// the processor's TLB covers them.
#pragma once

#include <memory_resource>

namespace flashloom {

/// Small pieces come from the heap as usual. Never destroyed.
std::pmr::memory_resource& huge_pages();

}  // namespace flashloom
