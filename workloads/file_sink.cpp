#include "workloads/file_sink.hpp"

// GCC 12 warns of impossible lengths in gzip.hpp (GCC bug 105651).
#pragma GCC diagnostic ignored "-Wrestrict"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <cstring>
#include <filesystem>
#include <utility>

#include "workloads/workload_error.hpp"

namespace flashloom {

namespace io = boost::iostreams;

FileSink::FileSink(std::string path) : file_(std::move(path)) {
  const std::string& to = file_.path();
  if (const int error = file_.open_error())
    throw WorkloadError(to, 0, std::string("cannot write: ") + std::strerror(error));
  if (to.ends_with(".gz")) out_.push(io::gzip_compressor());
  if (to.ends_with(".bz2")) out_.push(io::bzip2_compressor());
  if (to.ends_with(".zst")) out_.push(io::zstd_compressor());
  if (to.ends_with(".xz")) out_.push(io::lzma_compressor());
  out_.push(file_.out());
}

FileSink::~FileSink() {
  try {
    out_.reset();                    // before file_, to which it writes
  } catch (const std::exception&) {  // file_ is removed anyway
  }
}

void FileSink::commit() {
  const bool written = out_.good();
  bool closed = true;
  try {
    out_.reset();  // writes what the compressor still holds
  } catch (const std::exception&) {
    closed = false;
  }
  if (!written || !closed) file_.fail();
  try {
    file_.commit();
  } catch (const std::filesystem::filesystem_error& error) {
    throw WorkloadError(file_.path(), 0, "cannot be put in place: " + error.code().message());
  }
}

}  // namespace flashloom
