// iozone: the I/O of IOzone's automatic mode with its tests 0 and 1 (`iozone -a -i 0 -i 1 -I`), which the studies of
// DLD-ARC use: file sizes doubling from -n to -g; for each, record sizes doubling from -y to -q, up to the file size;
// for each pair write, rewrite, read, reread, record after record. Each record is one request, as with -I (no page
// cache).
//
// From iozone.c, 3.3xx and later (auto_test, write_perf_test, read_perf_test):
// * beyond a file size of 16 MiB the record sizes begin at 64 KiB, unless -z says otherwise;
// * each read pass begins with one more read of the first record ("prime the instruction cache & TLB");
// * an fsync, outside the timed part, precedes each close of a file, except with -c; -e adds an fsync in the timed
//   part. So a write pass ends with one flush, with -e two, with -c none, with both one. The fsync of a file that was
//   only read sends nothing;
// * the file is created again for every pair, in the same place or, with `layout`, after the previous file.
//
// With `between` a file is read after each of its two writes, instead of twice at the end. IOzone has no such mode; it
// serves to study the effect of the order.
#include <algorithm>

#include "workloads/generators/generator.hpp"

namespace flashloom::generator::iozone {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kCrossover = 16 * kMiB;    // CROSSOVER of iozone.c
constexpr std::uint64_t kLargeRecord = 64 * kKiB;  // LARGE_REC

std::vector<GeneratorParameter> parameters() {
  using enum GeneratorUnit;
  const auto size = [](const char* name, std::uint64_t value, const char* help) {
    return GeneratorParameter{.name = name,
                              .default_value = static_cast<std::int64_t>(value),
                              .unit = Bytes,
                              .minimum = 512,
                              .maximum = 0x1p50,
                              .help = help};
  };
  return {size("min_file", 4 * kKiB, "smallest file (-n)"),
          size("max_file", 16 * kMiB, "largest file (-g); sizes double"),
          size("min_record", 4 * kKiB, "smallest record (-y)"),
          size("max_record", 16 * kMiB, "largest record (-q); sizes double, up to the file's"),
          {.name = "all_records",
           .default_value = false,
           .help = "-z: small records for files beyond 16 MiB too; else from 64 KiB on"},
          {.name = "reads", .default_value = true, .help = "read and reread (-i 1) after write and rewrite (-i 0)"},
          {.name = "between",
           .default_value = false,
           .help = "write, read, rewrite, reread, in place of both reads after both writes"},
          {.name = "prime", .default_value = true, .help = "a read pass begins with an extra read of the first record"},
          {.name = "fsync", .default_value = false, .help = "-e: one more flush at the end of a write pass"},
          {.name = "close", .default_value = false, .help = "-c: no flush before the file is closed"},
          {.name = "layout",
           .default_value = std::string("same"),
           .choices = {"same", "consecutive"},
           .help = "where a new file lies: where the last one lay, or after it, around the region"},
          {.name = "trim", .default_value = false, .help = "trim the file when it is deleted (mounted with discard)"}};
}

class IozoneSource final : public RequestSource {
 public:
  IozoneSource(const GeneratorValues& values, const GeneratorContext& context)
      : reads_(values.flag("reads")),
        between_(values.flag("between")),
        prime_(values.flag("prime")),
        consecutive_(values.text("layout") == "consecutive"),
        trim_(values.flag("trim")),
        flushes_((values.flag("fsync") ? 1U : 0U) + (values.flag("close") ? 0U : 1U)),
        capacity_(context.space.capacity) {
    const std::uint64_t min_record = values.count("min_record");
    for (const char* const name : {"min_file", "max_file", "min_record", "max_record"})
      if (values.count(name) % context.space.sector_size != 0)
        throw GeneratorError(name, "is no multiple of the sector size, " + std::to_string(context.space.sector_size));
    if (values.count("min_file") > values.count("max_file")) throw GeneratorError("min_file", "exceeds max_file");
    if (min_record > values.count("max_record")) throw GeneratorError("min_record", "exceeds max_record");
    for (std::uint64_t file = values.count("min_file"); file <= values.count("max_file"); file *= 2) {
      check_size("max_file", file, context.space);
      const bool crossed = file > kCrossover && !values.flag("all_records");
      for (std::uint64_t record = crossed ? std::max(min_record, kLargeRecord) : min_record;
           record <= values.count("max_record") && record <= file; record *= 2)
        pairs_.push_back({file, record});
    }
    if (pairs_.empty()) throw GeneratorError("min_record", "exceeds every file: there is nothing to do");
  }

  bool next(Request& request) override {
    request = Request{};
    while (pair_ < pairs_.size()) {
      if (step(request)) return true;
      end_pass();
    }
    return false;
  }

  std::uint64_t expected_requests() const override {
    std::uint64_t sum = 0;
    for (const Pair& pair : pairs_)
      sum += (reads_ ? 4 : 2) * (pair.file / pair.record) + 2 * flushes_ + (reads_ && prime_ ? 2 : 0) + (trim_ ? 1 : 0);
    return sum;
  }

 private:
  struct Pair {
    std::uint64_t file;
    std::uint64_t record;
  };
  enum Pass : unsigned { First, Second, Third, Fourth, Unlink, Passes };

  // Gives out the next request of the pass; false if the pass has no more.
  bool step(Request& request) {
    const auto [file, record] = pairs_[pair_];
    if (pass_ == Unlink) {
      if (!trim_ || step_++ != 0) return false;
      request.kind = RequestKind::Trim;
      request.offset = begin_;
      request.length = file;
      return true;
    }
    const bool writes = between_ ? pass_ % 2 == 0 : pass_ < 2;
    if (!writes && !reads_) return false;
    const std::uint64_t records = file / record;
    const std::uint64_t before = !writes && prime_ ? 1 : 0;
    const std::uint64_t after = writes ? flushes_ : 0;
    if (step_ == before + records + after) return false;
    const std::uint64_t number = step_++;
    if (number >= before + records) {
      request.kind = RequestKind::Flush;
      return true;
    }
    request.kind = writes ? RequestKind::Write : RequestKind::Read;
    request.offset = begin_ + (number < before ? 0 : number - before) * record;
    request.length = record;
    return true;
  }

  void end_pass() {
    step_ = 0;
    if (++pass_ != Passes) return;
    pass_ = First;
    const std::uint64_t end = begin_ + pairs_[pair_].file;
    if (++pair_ == pairs_.size() || !consecutive_) return;
    begin_ = end > capacity_ - pairs_[pair_].file ? 0 : end;
  }

  std::vector<Pair> pairs_;
  bool reads_;
  bool between_;
  bool prime_;
  bool consecutive_;
  bool trim_;
  std::uint64_t flushes_;
  std::uint64_t capacity_;
  std::size_t pair_ = 0;
  unsigned pass_ = First;
  std::uint64_t step_ = 0;
  std::uint64_t begin_ = 0;  // offset of the file
};

GeneratedWorkload make(const GeneratorValues& values, const GeneratorContext& context) {
  return {.source = std::make_unique<IozoneSource>(values, context)};
}

const GeneratorRegistration registration{
    {.name = "iozone",
     .summary = "IOzone's automatic mode: write, rewrite, read, reread of files and records of doubling sizes",
     .source = "IOzone (iozone -a -i 0 -i 1 -I), iozone.c",
     .parameters = parameters(),
     .make = &make}};

}  // namespace
}  // namespace flashloom::generator::iozone
