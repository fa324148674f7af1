// A seeded mutator of valid inputs, for fuzzing readers: the same inputs on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/effort.hpp"
#include "workloads/random.hpp"

namespace flashloom {

/// Inputs for each reader: 4,000; a million with ./check --long.
inline int fuzzed_inputs() { return static_cast<int>(effort(4'000, 1'000'000)); }

class Mutator {
 public:
  /// Splices in pieces of `others`.
  explicit Mutator(std::vector<std::string> others, std::uint64_t seed = 20261121)
      : others_(std::move(others)), random_(seed) {}

  Random& random() { return random_; }

  /// `text` with one to four random damages.
  std::string operator()(std::string text) {
    for (std::uint64_t count = 1 + random_.below(4); count != 0 && !text.empty(); --count) damage(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }

  void damage(std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t length = below(24);
    switch (random_.below(13)) {
      case 0:
        text[at] = static_cast<char>(random_.below(256));
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1U << random_.below(8)));
        break;
      case 2:
        text.erase(at, 1 + length);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      case 4:
        text.resize(at);
        break;
      case 5: {
        const std::string& other = others_[below(others_.size())];
        const std::size_t from = below(other.size());
        text.insert(at, other.substr(from, random_.below(2) == 0 ? 2 * length : std::string::npos));
        break;
      }
      case 6:
        text.insert(at, "99999999999999999999", below(21));
        break;
      case 7: {
        static constexpr std::string_view kNumbers[] = {
            "18446744073709551615", "18446744073709551616",   "4294967296", "-1", "9223372036854775808", "1e308",
            "0x7fffffff",           "0.000000000000000000001"};
        const std::size_t digits = text.find_first_of("0123456789", at);
        if (digits == std::string::npos) break;
        const std::size_t end = text.find_first_not_of("0123456789", digits);
        text.replace(digits, (end == std::string::npos ? text.size() : end) - digits, kNumbers[below(8)]);
        break;
      }
      case 8:
        text.insert(at, random_.below(200) == 0 ? (std::size_t{1} << 20U) + 100 : below(5000),
                    static_cast<char>('0' + random_.below(80)));
        break;
      case 9:
        for (std::size_t i = at; i < text.size() && i < at + length; ++i) text[i] = static_cast<char>(random_.next());
        break;
      case 10: {  // a line doubled or removed
        const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
        const std::string line = text.substr(begin, text.find('\n', at) - begin + 1);
        if (random_.below(2) == 0)
          text.insert(begin, line);
        else
          text.erase(begin, line.size());
        break;
      }
      case 11:
        text[at] = "\0\n\r\t ,+-.0[]=:%"[below(16)];
        break;
      default:
        text.insert(at, 1, text[at]);
        break;
    }
  }

  std::vector<std::string> others_;
  Random random_;
};

}  // namespace flashloom
