// zipf_trace FILE PAGES REFERENCES SKEW WRITES|text|keys: writes a trace of single-page requests by Zipf's law, for
// bench/cache; the name's ending chooses the compression. With WRITES, the share of writes, the requests go to shuffled
// pages, and the trace has the compact form. `text` and `keys`: reads of sparse keys of 52 bits, as text (format
// `keys`) or in the compact form.
#include <cstdlib>
#include <iostream>
#include <string>

#include "workloads/distributions.hpp"
#include "workloads/file_sink.hpp"
#include "workloads/permutation.hpp"
#include "workloads/random.hpp"
#include "workloads/traces/native_writer.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kPage = 4096;

void write_trace(const std::string& path, std::uint64_t pages, std::uint64_t references, double skew, double writes) {
  FileSink file(path);
  NativeTraceWriter writer(file.out(), false);
  const ZipfRank rank(pages, skew);
  const RandomPermutation place(pages, 1);
  Random random(1);
  Request request{.offset = 0, .length = kPage};
  for (std::uint64_t i = 0; i < references; ++i) {
    request.offset = place(rank(random) - 1) * kPage;
    request.kind = random.chance(writes) ? RequestKind::Write : RequestKind::Read;
    writer.write(request);
  }
  writer.finish();
  file.commit();
}

/// A distinct key for each rank, scattered over all 52-bit numbers of 4 KiB pages.
std::uint64_t sparse_key(std::uint64_t rank) {
  constexpr unsigned kUnused = 12;
  rank *= 0x9E3779B97F4A7C15ULL;
  rank = (rank ^ rank >> 32) * 0xD6E8FEB86659FD93ULL;
  return (rank ^ rank >> 32) >> kUnused;
}

void write_keys(const std::string& path, std::uint64_t pages, std::uint64_t references, double skew, bool text) {
  FileSink file(path);
  const ZipfRank rank(pages, skew);
  Random random(1);
  if (text) {
    for (std::uint64_t i = 0; i < references; ++i) file.out() << sparse_key(rank(random)) << '\n';
  } else {
    NativeTraceWriter writer(file.out(), false);
    for (std::uint64_t i = 0; i < references; ++i)
      writer.write({.offset = sparse_key(rank(random)) * kPage, .length = kPage});
    writer.finish();
  }
  file.commit();
}

}  // namespace
}  // namespace flashloom

int main(int argc, char** argv) {
  constexpr int kArguments = 6;
  if (argc != kArguments) {
    std::cerr << "zipf_trace FILE PAGES REFERENCES SKEW WRITES|text|keys\n";
    return 2;
  }
  try {
    const std::string what = argv[5];
    const std::uint64_t pages = std::stoull(argv[2]);
    const std::uint64_t references = std::stoull(argv[3]);
    const double skew = std::stod(argv[4]);
    if (what == "text" || what == "keys")
      flashloom::write_keys(argv[1], pages, references, skew, what == "text");
    else
      flashloom::write_trace(argv[1], pages, references, skew, std::stod(what));
  } catch (const std::exception& error) {
    std::cerr << "zipf_trace: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
