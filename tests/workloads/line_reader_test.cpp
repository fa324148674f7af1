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

/// Three megabytes of lines of many lengths: crosses every buffer border.
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
  // A decompression bomb without line ends stops at the limit too.
  const std::string bomb = zstd(std::string(std::size_t{64} << 20, 'x'));
  EXPECT_EQ(error_of([&] { lines_of(files.write("bomb", bomb)); }).line(), 1U);
}

}  // namespace
}  // namespace flashloom::line_reader_test
