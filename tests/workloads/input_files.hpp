// Small input files for tests, plain or compressed, in a directory of the test's own.
#pragma once

#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/source_dir.hpp"
#include "workloads/request.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {

/// A directory that is removed with the object.
class InputFiles {
 public:
  InputFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "flashloom-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = name;
  }
  InputFiles(const InputFiles&) = delete;
  InputFiles& operator=(const InputFiles&) = delete;
  ~InputFiles() { std::filesystem::remove_all(directory_); }

  std::string write(const std::string& name, std::string_view content) const {
    const std::string path = (directory_ / name).string();
    std::filesystem::remove(path);  // some file systems flush to the disk when a file is overwritten: slow
    std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
    return path;
  }

 private:
  std::filesystem::path directory_;
};

inline std::string gzip(std::string_view text) {
  z_stream z{};
  deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, text.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

inline std::string zstd(std::string_view text) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context.get(), out.data(), out.size(), text.data(), text.size()));
  return out;
}

inline std::string bzip2(std::string_view text) {
  std::string out(text.size() + text.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(out.size());
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()),
                                     static_cast<unsigned>(text.size()), 9, 0, 0),
            BZ_OK);
  out.resize(size);
  return out;
}

inline std::string xz(std::string_view text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size());
  out.resize(size);
  return out;
}

inline std::vector<Request> all_requests(RequestSource& source) {
  std::vector<Request> requests;
  Request request;
  while (source.next(request)) requests.push_back(request);
  return requests;
}

/// The WorkloadError that `action` throws; a failed test if it throws none.
template <class Action>
WorkloadError error_of(Action action) {
  try {
    action();
  } catch (const WorkloadError& error) {
    return error;
  }
  ADD_FAILURE() << "no WorkloadError";
  return {"none", 0, "none"};
}

/// The directory of the public traces; an empty path where it is absent.
inline std::filesystem::path trace_directory() {
  const char* given = std::getenv("FLASHLOOM_TRACES");
  const std::filesystem::path path =
      given != nullptr ? std::filesystem::path(given) : std::filesystem::path(source_dir()) / "../shared/traces";
  return std::filesystem::is_directory(path) ? path : std::filesystem::path();
}

}  // namespace flashloom
