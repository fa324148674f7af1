// XXH64 (Yann Collet, "xxHash fast digest algorithm", version 0.1.1): the checksum of zstd frames, too. Finds damage at
// nearly the speed of this computer's memory; it is no protection against intent.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flashloom {

/// Of `size` bytes, with seed 0.
std::uint64_t xxh64(const void* data, std::size_t size);

}  // namespace flashloom
