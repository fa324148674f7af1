#include "workloads/fio/fio_lists.hpp"

#include <algorithm>
#include <limits>

namespace flashloom {
namespace {

std::uint64_t block_bytes(std::string_view text, unsigned kb_base) {
  const std::uint64_t bytes = parse_fio_bytes(text, kb_base);
  if (bytes == 0) throw FioValueError("a block of 0 bytes");
  return bytes;
}

/// VALUE/PERCENT pairs; values without a percentage take equal parts of the rest.
template <class Value>
std::vector<std::pair<std::uint64_t, std::uint32_t>> parse_shares(std::string_view text, const Value& value,
                                                                  bool percent_first) {
  constexpr std::uint32_t kOpen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> shares;
  std::uint32_t sum = 0;
  std::uint32_t open = 0;
  for (const std::string_view part : split_fio_list(text, ':')) {
    const std::size_t slash = part.find('/');
    const std::string_view left = part.substr(0, slash);
    const std::string_view right = slash == std::string_view::npos ? std::string_view{} : part.substr(slash + 1);
    const std::string_view percent = percent_first ? left : right;
    std::string_view amount = percent_first ? right : left;
    std::uint32_t share = kOpen;
    if (!percent.empty()) share = static_cast<std::uint32_t>(parse_fio_integer(percent, 0, 100, 1024));
    shares.emplace_back(amount.empty() ? 0 : value(amount), share);
    if (share == kOpen)
      ++open;
    else
      sum += share;
  }
  if (sum > 100) throw FioValueError("shares add up to " + std::to_string(sum) + "% in " + quoted(text));
  if (open == 0 && sum != 100)
    throw FioValueError("shares add up to " + std::to_string(sum) + "%, not 100%, in " + quoted(text));
  for (auto& [amount, share] : shares)
    if (share == kOpen) share = (100 - sum) / open;
  return shares;
}

std::vector<FioDistribution::Zone> parse_zones(std::string_view text, bool absolute, unsigned kb_base) {
  std::uint64_t sizes = 0;
  std::size_t without = 0;
  const auto value = [&](std::string_view part) {
    return absolute ? block_bytes(part, kb_base) : parse_fio_integer(part, 1, 100, kb_base);
  };
  std::vector<FioDistribution::Zone> zones;
  for (const auto& [size, percent] : parse_shares(text, value, true)) {
    zones.push_back({percent, size});
    sizes += size;
    if (size == 0) ++without;
  }
  if (absolute && without != 0) throw FioValueError("a zone without a size in " + quoted(text));
  if (absolute) return zones;
  if (sizes > 100 || (without == 0 && sizes != 100))
    throw FioValueError("zones add up to " + std::to_string(sizes) + "% of the region, not 100%, in " + quoted(text));
  for (FioDistribution::Zone& zone : zones)
    if (zone.size == 0) zone.size = (100 - sizes) / without;
  return zones;
}

}  // namespace

std::vector<std::string_view> split_fio_list(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

PerDirection<FioBlockSizes> parse_fio_block_sizes(std::string_view text, unsigned kb_base) {
  PerDirection<FioBlockSizes> sizes{};
  parse_fio_by_direction(text, sizes, [&](std::string_view part) {
    const std::uint64_t bytes = block_bytes(part, kb_base);
    return FioBlockSizes{bytes, bytes};
  });
  return sizes;
}

PerDirection<FioBlockSizes> parse_fio_block_ranges(std::string_view text, unsigned kb_base) {
  PerDirection<FioBlockSizes> sizes{};
  parse_fio_by_direction(text, sizes, [&](std::string_view part) {
    const FioRange range = parse_fio_byte_range(part, kb_base);
    if (range.low == 0) throw FioValueError("a block of 0 bytes");
    return FioBlockSizes{range.low, range.high};
  });
  return sizes;
}

PerDirection<FioBlockSizes> parse_fio_block_splits(std::string_view text, unsigned kb_base) {
  PerDirection<FioBlockSizes> sizes{};
  parse_fio_by_direction(text, sizes, [&](std::string_view part) {
    FioBlockSizes result{std::numeric_limits<std::uint64_t>::max(), 0};
    const auto bytes = [&](std::string_view value) { return block_bytes(value, kb_base); };
    for (const auto& [size, percent] : parse_shares(part, bytes, false)) {
      if (size == 0) throw FioValueError("a share without a block size in " + quoted(part));
      result.split.push_back({size, percent});
      result.least = std::min(result.least, size);
      result.most = std::max(result.most, size);
    }
    return result;
  });
  return sizes;
}

FioPattern parse_fio_pattern(std::string_view text, unsigned kb_base) {
  static constexpr std::pair<std::string_view, FioPattern> kPatterns[] = {
      {"read", {true, false, false, false}},
      {"write", {false, true, false, false}},
      {"trim", {false, false, true, false}},
      {"rw", {true, true, false, false}},
      {"readwrite", {true, true, false, false}},
      {"randread", {true, false, false, true}},
      {"randwrite", {false, true, false, true}},
      {"randtrim", {false, false, true, true}},
      {"randrw", {true, true, false, true}},
      {"trimwrite", {false, true, true, false, true}},
      {"randtrimwrite", {false, true, true, true, true}}};
  const std::size_t colon = text.find(':');
  for (const auto& [name, pattern] : kPatterns) {
    if (text.substr(0, colon) != name) continue;
    FioPattern result = pattern;
    if (colon == std::string_view::npos) return result;
    std::string_view modifier = text.substr(colon + 1);
    if (result.random) {
      result.run = static_cast<std::uint32_t>(
          parse_fio_integer(modifier, 1, std::numeric_limits<std::uint32_t>::max(), kb_base));
    } else {
      const bool backwards = modifier.starts_with('-');
      if (backwards) modifier.remove_prefix(1);
      const std::uint64_t step = parse_fio_bytes(modifier, kb_base);
      if (step > std::uint64_t{1} << 62U) throw FioValueError("too large: " + quoted(modifier));
      result.step = backwards ? -static_cast<std::int64_t>(step) : static_cast<std::int64_t>(step);
    }
    return result;
  }
  std::string names;
  for (const auto& [name, pattern] : kPatterns) names += (names.empty() ? "" : ", ") + std::string(name);
  throw FioValueError("unknown pattern " + quoted(text.substr(0, colon)) + "; valid: " + names);
}

FioDistribution parse_fio_distribution(std::string_view text, unsigned kb_base) {
  using Kind = FioDistribution::Kind;
  FioDistribution result;
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  if (name == "random") return result;
  if (name == "zoned" || name == "zoned_abs") {
    result.kind = name == "zoned" ? Kind::Zoned : Kind::ZonedAbsolute;
    parse_fio_by_direction(rest, result.zones,
                           [&](std::string_view part) { return parse_zones(part, name == "zoned_abs", kb_base); });
    return result;
  }
  if (name == "zipf") {
    result.kind = Kind::Zipf;
    result.parameter = 1.1;
  } else if (name == "pareto") {
    result.kind = Kind::Pareto;
    result.parameter = 0.2;
  } else if (name == "normal") {
    result.kind = Kind::Normal;
    result.parameter = 0;
  } else {
    throw FioValueError("unknown distribution " + quoted(name) +
                        "; valid: random, zipf, pareto, normal, zoned, zoned_abs");
  }
  if (rest.empty()) return result;
  const std::vector<std::string_view> parts = split_fio_list(rest, ':');
  if (parts.size() > 2) throw FioValueError("expected NAME:PARAMETER:CENTER, found " + quoted(text));
  if (!parts[0].empty()) result.parameter = parse_fio_number(parts[0], "a parameter of the distribution");
  if (result.kind == Kind::Zipf && (result.parameter == 0 || result.parameter == 1.0))
    throw FioValueError("zipf theta must differ from 0 and 1, found " + quoted(parts[0]));
  if (result.kind == Kind::Pareto && (result.parameter <= 0 || result.parameter >= 1))
    throw FioValueError("pareto h lies between 0 and 1, found " + quoted(parts[0]));
  if (result.kind == Kind::Normal && result.parameter > 100)
    throw FioValueError("a deviation in percent lies between 0 and 100, found " + quoted(parts[0]));
  if (parts.size() == 2) {
    result.center = parse_fio_number(parts[1], "a center from 0 to 1");
    if (*result.center > 1) throw FioValueError("expected a center from 0 to 1, found " + quoted(parts[1]));
  }
  return result;
}

void parse_fio_file_service(std::string_view text, FioFileService& service, std::uint32_t& run) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (name == "roundrobin") {
    service = FioFileService::RoundRobin;
  } else if (name == "sequential") {
    service = FioFileService::Sequential;
  } else if (name == "random") {
    service = FioFileService::Random;
  } else {
    throw FioValueError(quoted(name) + " is not modelled; valid: roundrobin, sequential, random");
  }
  run = 1;
  if (colon != std::string_view::npos)
    run = static_cast<std::uint32_t>(
        parse_fio_integer(text.substr(colon + 1), 1, std::numeric_limits<std::uint32_t>::max(), 1024));
}

}  // namespace flashloom
