#include "workloads/line_reader.hpp"

#include "tests/workloads/input_files.hpp"

namespace flashloom::line_reader_test {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.line(), lines.size());
  }
  return lines;
}

/// Three megabytes of lines of many lengths, which cross every border of the buffer.
std::string long_text(std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; text.size() < (std::size_t{3} << 20); ++i) {
    std::string line = std::to_string(i) + ":";
    for (std::size_t j = 0; j < i * 7919 % 997; ++j) line += static_cast<char>('a' + (i * 31 + j * j) % 26);
    text += line + "\n";
    lines.push_back(std::move(line));
  }
  return text;
}

TEST(LineReader, EndsOfLines) {
  const InputFiles files;
  const std::vector<std::string> expected{"one", "", "two", "three"};
  EXPECT_EQ(lines_of(files.write("unix", "one\n\ntwo\nthree\n")), expected);
  EXPECT_EQ(lines_of(files.write("open", "one\n\ntwo\nthree")), expected);
  EXPECT_EQ(lines_of(files.write("dos", "one\r\n\r\ntwo\r\nthree\r\n")), expected);
  EXPECT_TRUE(lines_of(files.write("empty", "")).empty());
}

TEST(LineReader, EveryCompressionByContentWhateverTheName) {
  const InputFiles files;
  std::vector<std::string> expected;
  const std::string text = long_text(expected);
  EXPECT_EQ(lines_of(files.write("plain", text)), expected);
  EXPECT_EQ(lines_of(files.write("a", gzip(text))), expected);
  EXPECT_EQ(lines_of(files.write("b", zstd(text))), expected);
  EXPECT_EQ(lines_of(files.write("c", xz(text))), expected);
  EXPECT_EQ(lines_of(files.write("d", bzip2(text))), expected);
}

TEST(LineReader, SeveralMembersAreTheirConcatenation) {
  const InputFiles files;
  const std::vector<std::string> expected{"one", "two"};
  EXPECT_EQ(lines_of(files.write("a.gz", gzip("one\nt") + gzip("wo\n"))), expected);
  EXPECT_EQ(lines_of(files.write("a.zst", zstd("one\nt") + zstd("wo\n"))), expected);
  EXPECT_EQ(lines_of(files.write("a.xz", xz("one\nt") + xz("wo\n"))), expected);
  EXPECT_EQ(lines_of(files.write("a.bz2", bzip2("one\nt") + bzip2("wo\n"))), expected);
}

TEST(LineReader, TruncatedAtEveryByteIsAnErrorAfterTheLinesBefore) {
  const InputFiles files;
  const std::string text = "first\nsecond\nthird\n";
  for (const std::string& whole : {gzip(text), zstd(text), xz(text), bzip2(text)}) {
    for (std::size_t size = 6; size < whole.size(); ++size) {
      const std::string path = files.write("cut", whole.substr(0, size));
      std::size_t seen = 0;
      const WorkloadError error = error_of([&] {
        LineReader reader(path);
        std::string_view line;
        while (reader.next(line)) ++seen;
      });
      EXPECT_EQ(error.file(), path);
      EXPECT_EQ(error.line(), seen + 1) << "cut at " << size;
      EXPECT_NE(error.message().find("truncated"), std::string::npos) << error.what();
    }
  }
}

TEST(LineReader, TruncatedLongFileNamesTheLineReached) {
  const InputFiles files;
  std::vector<std::string> lines;
  const std::string text = long_text(lines);
  for (const std::string& whole : {gzip(text), zstd(text), xz(text), bzip2(text)}) {
    const std::string path = files.write("cut", whole.substr(0, whole.size() - 3));
    std::size_t seen = 0;
    const WorkloadError error = error_of([&] {
      LineReader reader(path);
      std::string_view line;
      while (reader.next(line)) {
        ASSERT_EQ(line, lines.at(seen));
        ++seen;
      }
    });
    EXPECT_EQ(error.line(), seen + 1);
  }
}

TEST(LineReader, CorruptDataIsAnError) {
  const InputFiles files;
  std::vector<std::string> lines;
  const std::string text = long_text(lines);
  for (std::string damaged : {gzip(text), zstd(text), xz(text), bzip2(text)}) {
    for (std::size_t i = 0; i < 16; ++i)
      damaged[damaged.size() / 2 + i] = static_cast<char>(~damaged[damaged.size() / 2 + i]);
    const std::string path = files.write("damaged", damaged);
    const WorkloadError error = error_of([&] { lines_of(path); });
    EXPECT_GE(error.line(), 1U);
    EXPECT_NE(error.message().find("corrupt"), std::string::npos) << error.what();
  }
}

TEST(LineReader, NameThatPromisesCompressionHoldsIt) {
  const InputFiles files;
  for (const char* name : {"a.gz", "a.zst", "a.xz", "a.bz2"}) {
    EXPECT_EQ(error_of([&] { LineReader reader(files.write(name, "")); }).line(), 0U);
    EXPECT_EQ(error_of([&] { LineReader reader(files.write(name, "plain text\n")); }).line(), 0U);
  }
}

TEST(LineReader, MissingFileAndDirectory) {
  const WorkloadError missing = error_of([] { LineReader reader("no/such/file.csv"); });
  EXPECT_STREQ(missing.what(), "no/such/file.csv: no such file");
  EXPECT_STREQ(error_of([] { LineReader reader("/"); }).what(), "/: is a directory, not a file");
}

TEST(LineReader, LongestLine) {
  const InputFiles files;
  const std::string longest(LineReader::kLongestLine, 'x');
  EXPECT_EQ(lines_of(files.write("fits", "a\n" + longest + "\nb")), (std::vector<std::string>{"a", longest, "b"}));
  const WorkloadError error = error_of([&] { lines_of(files.write("long", "a\n" + longest + "x\nb")); });
  EXPECT_EQ(error.line(), 2U);
  // A decompression bomb without line ends stops at the limit, too.
  const std::string bomb = zstd(std::string(std::size_t{64} << 20, 'x'));
  EXPECT_EQ(error_of([&] { lines_of(files.write("bomb", bomb)); }).line(), 1U);
}

/// What next_number() returns for a text's first line, with more text behind it; kRefused if it refuses the line.
constexpr std::uint64_t kRefused = ~std::uint64_t{0};
std::uint64_t first_number(const std::string& line, std::uint64_t limit = kRefused) {
  const std::string text = line + "\n7\n" + std::string(LineReader::kLongestLine / 2, '\n');
  LineReader reader("text", memory_bytes(text));
  std::string_view blank;
  std::uint64_t number = 0;
  if (reader.next_number(number, limit)) ADD_FAILURE() << "nothing is at hand yet";
  const std::string later = "\n" + text;
  LineReader at_hand("text", memory_bytes(later));
  EXPECT_TRUE(at_hand.next(blank));
  if (!at_hand.next_number(number, limit)) {
    std::string_view same;  // the line is still there
    EXPECT_TRUE(at_hand.next(same));
    EXPECT_EQ(same, line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
    return kRefused;
  }
  EXPECT_EQ(at_hand.line(), 2U);
  std::uint64_t following = 0;
  EXPECT_TRUE(at_hand.next_number(following, limit));
  EXPECT_EQ(following, 7U);
  return number;
}

TEST(LineReader, NumbersOfEveryLength) {
  std::string digits;
  std::uint64_t expected = 0;
  for (std::uint64_t length = 1; length <= 19; ++length) {
    const std::uint64_t digit = (length * 7 + 2) % 10;
    digits += static_cast<char>('0' + digit);
    expected = expected * 10 + digit;
    EXPECT_EQ(first_number(digits), expected);
    EXPECT_EQ(first_number(digits + "\r"), expected);
    EXPECT_EQ(first_number(digits, expected), kRefused);
    EXPECT_EQ(first_number(digits, expected + 8), expected);
  }
  EXPECT_EQ(first_number("0"), 0U);
  EXPECT_EQ(first_number("0000000000000000012"), 12U);
  EXPECT_EQ(first_number("9999999999999999999"), 9999999999999999999U);
}

TEST(LineReader, NoNumber) {
  for (const char* line :
       {"", " 1", "1 ", "-1", "+1", "1.5", "12345678:", "/1", "1a", "12345678901234567890",
        "100000000000000000000000000007", "1\r\r", "\xff\xff\xff\xff\xff\xff\xff\xff", "1234567\xfa"})
    EXPECT_EQ(first_number(line), kRefused) << line;
}

// Numbers that cross every border of the buffer: both ways of reading give each line once.
TEST(LineReader, NumbersAcrossBorders) {
  const auto next = [](std::uint64_t number) { return number * 6364136223846793005U + 1; };
  std::string text;
  std::uint64_t lines = 0;
  for (std::uint64_t number = 1; text.size() < (std::size_t{1} << 20); number = next(number), ++lines)
    text += std::to_string(number >> (number % 61 + 1)) + "\n";
  LineReader reader("text", memory_bytes(text));
  std::uint64_t at_hand = 0;
  std::uint64_t number = 1;
  for (std::uint64_t i = 0; i < lines; ++i, number = next(number)) {
    std::uint64_t found = 0;
    std::string_view line;
    if (reader.next_number(found, kRefused)) {
      ++at_hand;
    } else {
      ASSERT_TRUE(reader.next(line));
      found = std::stoull(std::string(line));
    }
    ASSERT_EQ(found, number >> (number % 61 + 1));
    ASSERT_EQ(reader.line(), i + 1);
  }
  std::string_view line;
  EXPECT_FALSE(reader.next(line));
  EXPECT_GT(at_hand, lines * 99 / 100);
}

}  // namespace
}  // namespace flashloom::line_reader_test
