#include "workloads/file_sink.hpp"

// GCC 12 sees lengths in gzip.hpp that cannot be (GCC bug 105651).
#pragma GCC diagnostic ignored "-Wrestrict"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "workloads/workload_error.hpp"

namespace flashloom {

namespace io = boost::iostreams;

FileSink::FileSink(std::string path)
    : path_(std::move(path)), part_(path_ + ".part"), file_(part_, std::ios::binary | std::ios::trunc) {
  if (!file_) throw WorkloadError(path_, 0, std::string("cannot write: ") + std::strerror(errno));
  if (path_.ends_with(".gz")) out_.push(io::gzip_compressor());
  if (path_.ends_with(".zst")) out_.push(io::zstd_compressor());
  if (path_.ends_with(".xz")) out_.push(io::lzma_compressor());
  out_.push(file_);
}

FileSink::~FileSink() {
  if (committed_) return;
  try {
    out_.reset();                    // before the file that it writes to
  } catch (const std::exception&) {  // the file goes anyway
  }
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

void FileSink::commit() {
  const bool written = out_.good();
  bool closed = true;
  try {
    out_.reset();  // writes what the compressor still holds
  } catch (const std::exception&) {
    closed = false;
  }
  file_.close();
  if (!written || !closed || !file_) throw WorkloadError(path_, 0, "could not be written whole: is the disk full?");
  std::error_code error;
  std::filesystem::rename(part_, path_, error);
  if (error) throw WorkloadError(path_, 0, "cannot be put in place: " + error.message());
  committed_ = true;
}

}  // namespace flashloom
