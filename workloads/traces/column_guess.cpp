#include "workloads/traces/column_guess.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "workloads/traces/fields.hpp"
#include "workloads/traces/iso_time.hpp"
#include "workloads/traces/table_fields.hpp"
#include "workloads/traces/table_layout.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kShown = 24;  // fields

using GuessFields = std::array<std::string_view, kMostColumns>;

/// One column of the sample.
struct Seen {
  std::string name;  // in the header, in lower case
  std::vector<std::string_view> values;

  bool named(std::initializer_list<std::string_view> words) const {
    return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != std::string::npos; });
  }
  template <class Predicate>
  bool all(Predicate fits) const {
    return !values.empty() && std::ranges::all_of(values, fits);
  }
  std::vector<double> numbers() const {
    std::vector<double> all;
    for (const std::string_view value : values) {
      if (!is_decimal(value) || value.size() > 40) return {};
      all.push_back(std::stod(std::string(value)));
    }
    return all;
  }
};

std::string time_unit(const Seen& column) {
  if (column.all(is_iso_time)) return "";
  for (const char* const unit : {"_us", "_ms", "_ns", "(us)", "(ms)", "(ns)"})
    if (column.named({unit})) return std::string("*") + unit[1] + unit[2];
  const std::string_view first = column.values.front();
  switch (first.substr(0, first.find('.')).size()) {  // of times since 1970, and of FILETIME since 1601
    case 13:
      return "*ms";
    case 16:
      return "*us";
    case 18:
      return "*1e-7";
    case 19:
      return "*ns";
    default:
      return "";
  }
}

class Guess {
 public:
  explicit Guess(const TraceSample& sample) {
    std::vector<std::string_view> lines = sample.lines;
    std::erase_if(lines, [](std::string_view line) { return line.starts_with('#'); });
    if (lines.empty()) return;
    const char separator = find_separator(lines);
    GuessFields fields;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::size_t count = 0;
      try {
        count = split_table(lines[i], separator, fields.data(), fields.size());
      } catch (const FieldError&) {
        continue;
      }
      if (i == 0) {
        first_.assign(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(count));
        header_ = std::none_of(first_.begin(), first_.end(),
                               [](std::string_view field) { return is_decimal(field) || is_iso_time(field); });
        columns_.resize(count);
        for (std::size_t f = 0; header_ && f < count; ++f)
          for (const char c : fields[f])
            columns_[f].name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        if (header_) continue;
      }
      if (count != columns_.size()) continue;
      for (std::size_t f = 0; f < count; ++f) columns_[f].values.push_back(fields[f]);
    }
  }

  std::string first_line() const {
    std::string text;
    for (std::size_t i = 0; i < first_.size() && i < kShown; ++i) {
      text += (i == 0 ? "" : ", ") + std::to_string(i + 1) + " \"";
      for (const char c : first_[i].substr(0, 24)) text += c >= ' ' && c <= '~' ? c : '?';
      text += '"';
    }
    return text + (first_.size() > kShown ? ", ..." : "");
  }

  /// Empty if no operation, offset or size is found.
  std::string columns() {
    const auto time = take({"time", "stamp", "date", "ts"}, [](const Seen& column) {
      if (column.all(is_iso_time)) return true;
      const std::vector<double> numbers = column.numbers();
      return numbers.size() > 1 && std::is_sorted(numbers.begin(), numbers.end()) && numbers.front() != numbers.back();
    });
    const auto operation = take(
        {"op", "type", "rw", "cmd", "command", "action", "direction"},
        [](const Seen& column) {  // words that are not usual are asked for
          const auto usual = std::ranges::count_if(
              column.values, [](std::string_view value) { return usual_operation(value).has_value(); });
          return static_cast<std::size_t>(usual) * 2 > column.values.size();
        },
        true);
    const auto whole = [](const Seen& column) {
      return column.all([](std::string_view value) {
        return is_integer(value.ends_with(".0") ? value.substr(0, value.size() - 2) : value);
      });
    };
    // Without names: sizes are few and small, offsets many and large.
    const auto size = take(
        {"size", "length", "len", "bytes", "sectors", "blocks", "count"},
        [&](const Seen& column) {
          const std::vector<double> numbers = column.numbers();
          return whole(column) && !numbers.empty() && !column.named({"offset", "lba", "lbn", "addr"}) &&
                 std::ranges::all_of(numbers, [](double n) {
                   return n > 0 && (n <= 64 || (n <= 1 << 25 && static_cast<std::uint64_t>(n) % 512 == 0));
                 });
        },
        false, true);
    const auto offset = take({"offset", "lba", "lbn", "sector", "address", "addr", "block", "pos"}, whole);
    if (!operation || !size || !offset) return {};
    const bool sectors = columns_[*size].named({"sector", "block"}) ||
                         (!columns_[*size].named({"byte"}) &&
                          std::ranges::all_of(columns_[*size].numbers(), [](double n) { return n < 512; }));
    const bool sector_offset =
        columns_[*offset].named({"lba", "lbn", "sector", "block"}) || (sectors && !columns_[*offset].named({"byte"}));
    std::string text;
    if (time) text = "time=" + std::to_string(*time + 1) + time_unit(columns_[*time]) + ",";
    text += "op=" + std::to_string(*operation + 1) + words_of(columns_[*operation]);
    text += ",offset=" + std::to_string(*offset + 1) + (sector_offset ? "*512" : "");
    return text + ",size=" + std::to_string(*size + 1) + (sectors ? "*512" : "");
  }

 private:
  /// The first column with one of the names whose values are right (any, `by_name_alone`); for lack of one, the first
  /// that is right by its values, or the one with the `smallest`.
  template <class Predicate>
  std::optional<std::size_t> take(std::initializer_list<std::string_view> names, Predicate right,
                                  bool by_name_alone = false, bool smallest = false) {
    std::optional<std::size_t> found;
    std::optional<std::size_t> likely;
    double least = 0;
    for (std::size_t i = 0; i < columns_.size() && !found; ++i) {
      const Seen& column = columns_[i];
      if (column.values.empty() || std::ranges::find(taken_, i) != taken_.end()) continue;
      const bool fits = right(column);
      if (header_ && column.named(names) && (fits || by_name_alone)) found = i;
      if (!fits) continue;
      const std::vector<double> numbers = column.numbers();
      const double largest = numbers.empty() ? 0 : *std::ranges::max_element(numbers);
      if (!likely || (smallest && largest < least)) {
        likely = i;
        least = largest;
      }
    }
    if (!found) found = likely;
    if (found) taken_.push_back(*found);
    return found;
  }

  /// Words that need an explanation, as a pattern to complete.
  static std::string words_of(const Seen& column) {
    std::string text;
    std::vector<std::string_view> told;
    for (const std::string_view value : column.values)
      if (!usual_operation(value) && std::ranges::find(told, value) == told.end() && told.size() < 4) {
        told.push_back(value);
        text += ":" + std::string(value.substr(0, 16)) + "=?";
      }
    return text;
  }

  std::vector<std::string_view> first_;
  std::vector<Seen> columns_;
  std::vector<std::size_t> taken_;
  bool header_ = false;
};

bool is_text(const TraceSample& sample) {
  return std::ranges::none_of(sample.bytes.substr(0, 512),
                              [](char c) { return static_cast<unsigned char>(c) < 9 || c == 127; });
}

}  // namespace

std::string seen_columns(const TraceSample& sample) {
  if (!is_text(sample) || sample.lines.empty()) return {};
  Guess guess(sample);
  const std::string columns = guess.columns();
  return ". Columns of the first line: " + guess.first_line() + "; say what they mean, as --columns " +
         (columns.empty() ? "time=1,op=2,offset=3*512,size=4" : columns);
}

}  // namespace flashloom
