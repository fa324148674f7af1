#include "controllers/hardware/drive_faults.hpp"

#include "models/common/split_mix.hpp"

namespace flashloom {

std::uint64_t DriveFaults::draw(Kind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return split_mix(split_mix(seed_, number), drawn_[number]++);
}

bool DriveFaults::happens(Kind kind, double probability) {
  if (!begun_ || probability == 0) return false;
  return static_cast<double>(draw(kind) >> 11U) * 0x1p-53 < probability;
}

std::uint64_t DriveFaults::other_place(std::uint64_t offset, std::uint64_t length, std::uint64_t capacity,
                                       std::uint32_t unit_bytes) {
  const std::uint64_t in_unit = offset % unit_bytes;
  const std::uint64_t places = (capacity - in_unit - length) / unit_bytes + 1;
  if (places == 1) return offset;  // it fills the device
  const std::uint64_t away = 1 + draw(Kind::Place) % (places - 1);
  return (offset / unit_bytes + away) % places * unit_bytes + in_unit;
}

std::uint64_t DriveFaults::torn_off(std::uint64_t sectors) {
  if ((sectors & (sectors - 1)) == 0 || !happens(Kind::Torn, config_.torn_writes)) return 0;
  const std::uint64_t first = sectors & (~sectors + 1);
  const std::uint64_t off = sectors & draw(Kind::Sectors);
  if (off == 0) return first;
  return off == sectors ? sectors ^ first : off;
}

}  // namespace flashloom
