#include "workloads/generators/lsm_tree.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace flashloom {
namespace {

constexpr std::uint64_t kMaxCompactionFiles = 25;  // max_compaction_bytes / target_file_size_base

LsmKey low_of(const LsmFiles& files) {
  LsmKey low = files.front()->keys.front();
  for (const auto& file : files) low = std::min(low, file->keys.front());
  return low;
}

LsmKey high_of(const LsmFiles& files) {
  LsmKey high = files.front()->keys.back();
  for (const auto& file : files) high = std::max(high, file->keys.back());
  return high;
}

void erase_files(LsmFiles& level, const LsmFiles& gone) {
  std::erase_if(level, [&](const auto& file) { return std::find(gone.begin(), gone.end(), file) != gone.end(); });
}

std::vector<LsmKey> merged_keys(const LsmCompaction& compaction) {
  std::vector<LsmKey> keys;
  for (const LsmFiles* const files : {&compaction.upper, &compaction.lower})
    for (const auto& file : *files) keys.insert(keys.end(), file->keys.begin(), file->keys.end());
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

LsmTree::LsmTree(const LsmShape& shape) : shape_(shape), levels_(shape.levels), targets_(shape.levels) {
  set_targets();
}

std::uint64_t LsmTree::bytes_of(std::uint32_t level) const {
  std::uint64_t sum = 0;
  for (const auto& file : levels_[level]) sum += bytes(*file);
  return sum;
}

// As VersionStorageInfo::CalculateBaseBytes.
void LsmTree::set_targets() {
  const auto base_max = static_cast<double>(shape_.level_base);
  const std::uint32_t last = shape_.levels - 1;
  base_level_ = 1;
  double size = base_max;
  if (shape_.dynamic) {
    std::uint64_t largest = 0;
    std::uint32_t first = last + 1;
    for (std::uint32_t level = last; level >= 1; --level) {
      largest = std::max(largest, bytes_of(level));
      if (!levels_[level].empty()) first = level;
    }
    base_level_ = last;
    if (first <= last) {
      size = static_cast<double>(largest);
      for (std::uint32_t level = last; level > first; --level) size /= shape_.multiplier;
      base_level_ = first;
      if (size <= base_max / shape_.multiplier) {
        size = base_max / shape_.multiplier + 1;
      } else {
        while (base_level_ > 1 && size > base_max) {
          --base_level_;
          size /= shape_.multiplier;
        }
        size = std::min(size, base_max);
      }
    }
  }
  targets_.assign(shape_.levels, std::numeric_limits<std::uint64_t>::max());
  for (std::uint32_t level = base_level_; level <= last; ++level, size *= shape_.multiplier)
    targets_[level] = static_cast<std::uint64_t>(shape_.dynamic ? std::max(size, base_max) : size);
}

double LsmTree::score(std::uint32_t level) const {
  const auto bytes = static_cast<double>(bytes_of(level));
  if (level != 0) return bytes / static_cast<double>(targets_[level]);
  const double files = static_cast<double>(levels_[0].size()) / shape_.l0_trigger;
  return levels_[0].empty() ? 0 : std::max(files, bytes / static_cast<double>(shape_.level_base));
}

LsmFiles LsmTree::cut(const std::vector<LsmKey>& keys, std::uint32_t level) const {
  const std::size_t most = std::max<std::uint64_t>(shape_.target_file / shape_.entry, 1);
  LsmFiles files;
  for (std::size_t begin = 0; begin < keys.size(); begin += most) {
    auto& file = files.emplace_back(std::make_shared<LsmFile>());
    const std::size_t end = std::min(begin + most, keys.size());
    file->keys.assign(keys.begin() + static_cast<std::ptrdiff_t>(begin),
                      keys.begin() + static_cast<std::ptrdiff_t>(end));
    file->level = level;
  }
  return files;
}

LsmFiles LsmTree::overlapping(std::uint32_t level, LsmKey low, LsmKey high) const {
  LsmFiles found;
  for (const auto& file : levels_[level])
    if (file->keys.front() <= high && file->keys.back() >= low) found.push_back(file);
  return found;
}

// As kMinOverlappingRatio; of equal ratios, the first file by key.
std::shared_ptr<LsmFile> LsmTree::least_overlapping(std::uint32_t level) const {
  const LsmFiles& below = levels_[level + 1];
  std::shared_ptr<LsmFile> best;
  double least = 0;
  std::size_t at = 0;
  for (const auto& file : levels_[level]) {
    while (at < below.size() && below[at]->keys.back() < file->keys.front()) ++at;
    std::uint64_t overlap = 0;
    for (std::size_t i = at; i < below.size() && below[i]->keys.front() <= file->keys.back(); ++i)
      overlap += bytes(*below[i]);
    const double ratio = static_cast<double>(overlap) / static_cast<double>(bytes(*file));
    if (best == nullptr || ratio < least) {
      best = file;
      least = ratio;
    }
  }
  return best;
}

// As SetupOtherInputs: adds files of the upper level if they overlap no further files of the lower level.
void LsmTree::grow(LsmCompaction& compaction) const {
  if (compaction.lower.empty()) return;
  const auto size = [this](const LsmFiles& files) {
    std::uint64_t sum = 0;
    for (const auto& file : files) sum += bytes(*file);
    return sum;
  };
  LsmFiles more = overlapping(compaction.from, std::min(low_of(compaction.upper), low_of(compaction.lower)),
                              std::max(high_of(compaction.upper), high_of(compaction.lower)));
  if (more.size() <= compaction.upper.size()) return;
  if (size(compaction.lower) + size(more) >= kMaxCompactionFiles * shape_.target_file) return;
  if (overlapping(compaction.to, low_of(more), high_of(more)).size() != compaction.lower.size()) return;
  compaction.upper = std::move(more);
}

std::optional<LsmCompaction> LsmTree::pick() const {
  std::uint32_t chosen = 0;
  double highest = 0;
  for (std::uint32_t level = 0; level + 1 < shape_.levels; ++level)
    if (const double value = score(level); value > highest) {
      chosen = level;
      highest = value;
    }
  if (highest < 1) return std::nullopt;
  LsmCompaction compaction;
  compaction.from = chosen;
  compaction.to = chosen == 0 ? base_level_ : chosen + 1;
  if (chosen == 0) {
    compaction.upper = levels_[0];
  } else {
    compaction.upper = {least_overlapping(chosen)};
  }
  compaction.lower = overlapping(compaction.to, low_of(compaction.upper), high_of(compaction.upper));
  if (chosen != 0) grow(compaction);
  compaction.moves = compaction.lower.empty() && compaction.upper.size() == 1;
  compaction.outputs = compaction.moves ? compaction.upper : cut(merged_keys(compaction), compaction.to);
  return compaction;
}

void LsmTree::install(const LsmCompaction& compaction) {
  erase_files(levels_[compaction.from], compaction.upper);
  LsmFiles& level = levels_[compaction.to];
  erase_files(level, compaction.lower);
  for (const auto& file : compaction.outputs) file->level = compaction.to;
  const auto by_keys = [](const auto& a, const auto& b) { return a->keys.front() < b->keys.front(); };
  const auto at = std::lower_bound(level.begin(), level.end(), compaction.outputs.front(), by_keys);
  level.insert(at, compaction.outputs.begin(), compaction.outputs.end());
  set_targets();
}

void LsmTree::add_flushed(std::shared_ptr<LsmFile> file) {
  file->level = 0;
  levels_[0].push_back(std::move(file));
}

LsmFiles LsmTree::bulk_load(std::uint64_t keys) {
  std::vector<LsmKey> all(keys);
  for (std::uint64_t key = 0; key < keys; ++key) all[key] = static_cast<LsmKey>(key);
  std::uint32_t level = shape_.levels - 1;
  if (!shape_.dynamic)
    for (level = 1; level + 1 < shape_.levels && keys * shape_.entry > targets_[level];) ++level;
  levels_[level] = cut(all, level);
  set_targets();
  return levels_[level];
}

const LsmFile* LsmTree::find(LsmKey key, std::uint64_t& index) const {
  const auto look = [&](const LsmFile& file) {
    const auto at = std::lower_bound(file.keys.begin(), file.keys.end(), key);
    index = static_cast<std::uint64_t>(at - file.keys.begin());
    return at != file.keys.end() && *at == key;
  };
  for (auto file = levels_[0].rbegin(); file != levels_[0].rend(); ++file)
    if (look(**file)) return file->get();
  for (std::uint32_t level = 1; level < shape_.levels; ++level) {
    const auto after = std::upper_bound(levels_[level].begin(), levels_[level].end(), key,
                                        [](LsmKey k, const auto& file) { return k < file->keys.front(); });
    if (after != levels_[level].begin() && look(**std::prev(after))) return std::prev(after)->get();
  }
  return nullptr;
}

}  // namespace flashloom
