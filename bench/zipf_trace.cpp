// zipf_trace FILE PAGES REFERENCES SKEW WRITES: a trace of single-page requests, by Zipf's law over shuffled pages, in
// the compact form (compressed as the name says). bench/cache runs caches on it.
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

}  // namespace
}  // namespace flashloom

int main(int argc, char** argv) {
  constexpr int kArguments = 6;
  if (argc != kArguments) {
    std::cerr << "zipf_trace FILE PAGES REFERENCES SKEW WRITES\n";
    return 2;
  }
  try {
    flashloom::write_trace(argv[1], std::stoull(argv[2]), std::stoull(argv[3]), std::stod(argv[4]), std::stod(argv[5]));
  } catch (const std::exception& error) {
    std::cerr << "zipf_trace: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
