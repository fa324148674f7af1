#include "controllers/ftl/program/program_job.hpp"

#include <memory>

#include "controllers/ftl/oob.hpp"

namespace flashloom {

ProgramJob::ProgramJob(std::uint32_t units, std::size_t sectors) {
  // Largest alignment first, so that each table is aligned after the previous one.
  static_assert(alignof(OnfiCommand) >= alignof(OobWord) && alignof(OobWord) == alignof(std::uint64_t) &&
                alignof(OobWord) >= alignof(WriteUnit*) && alignof(WriteUnit*) >= alignof(SectorToken) &&
                alignof(SectorToken) == alignof(PhysicalUnit));
  const std::size_t bytes = units * (sizeof(OnfiCommand) + 2 * sizeof(OobWord) + sizeof(std::uint64_t) +
                                     sizeof(WriteUnit*) + sizeof(PhysicalUnit) + sizeof(BlockNumber)) +
                            2 * sectors * sizeof(SectorToken);
  memory_ = std::make_unique<std::byte[]>(bytes);
  std::byte* free = memory_.get();
  const auto take = [&free]<class T>(T*& table, std::size_t n) {
    table = reinterpret_cast<T*>(free);
    std::uninitialized_value_construct_n(table, n);
    free += n * sizeof(T);
  };
  take(reads, units);
  take(oob, units);
  take(read_oob, units);
  take(owners, units);
  take(writes, units);
  if (sectors != 0) {
    take(tokens, sectors);
    take(read_tokens, sectors);
  }
  take(source, units);
  take(replaced, units);
}

}  // namespace flashloom
