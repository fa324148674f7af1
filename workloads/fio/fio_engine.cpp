#include "workloads/fio/fio_engine.hpp"

namespace flashloom {
namespace {

constexpr std::string_view kNone = "";
constexpr std::string_view kNetwork = "measures a network, not a block device";
constexpr std::string_view kFileService = "talks to a file or object service over a network";
constexpr std::string_view kFileSystem = "measures a file system's own operations (extents, metadata), not block I/O";
constexpr std::string_view kMemory = "accesses persistent memory by loads and stores, not by block I/O";
constexpr std::string_view kProgram = "runs other work than I/O";
constexpr std::string_view kLibrary = "names a library of its own: name the engine that it stands for";

}  // namespace

const std::vector<FioEngine>& fio_engines() {
  static const std::vector<FioEngine> engines = {
      // Synchronous calls.
      {"libzbc", true, true, kNone},
      {"mmap", true, true, kNone},
      {"psync", true, true, kNone},
      {"pvsync", true, true, kNone},
      {"pvsync2", true, true, kNone},
      {"sg", true, true, kNone},
      {"splice", true, true, kNone},
      {"sync", true, true, kNone},
      {"vsync", true, true, kNone},
      // Queues; libaio and the like carry out a flush by a blocking call.
      {"guasi", false, true, kNone},
      {"io_uring", false, false, kNone},
      {"io_uring_cmd", false, false, kNone},
      {"libaio", false, true, kNone},
      {"libblkio", false, false, kNone},
      {"libiscsi", false, false, kNone},
      {"nbd", false, false, kNone},
      {"cpp_null", false, false, kNone},
      {"null", false, false, kNone},  // in fio it sends nothing: what a job would send is what it is for
      {"posixaio", false, false, kNone},
      {"rbd", false, false, kNone},
      {"solarisaio", false, true, kNone},
      {"windowsaio", false, true, kNone},
      {"xnvme", false, false, kNone},
      // Not block I/O.
      {"cpuio", true, true, kProgram},
      {"dev-dax", true, true, kMemory},
      {"dfs", false, false, kFileService},
      {"e4defrag", true, true, kFileSystem},
      {"exec", true, true, kProgram},
      {"external", true, true, kLibrary},
      {"falloc", true, true, kFileSystem},
      {"filecreate", true, true, kFileSystem},
      {"filedelete", true, true, kFileSystem},
      {"filestat", true, true, kFileSystem},
      {"ftruncate", true, true, kFileSystem},
      {"gfapi", true, true, kFileService},
      {"gfapi_async", false, false, kFileService},
      {"http", true, true, kFileService},
      {"ime_aio", false, false, kFileService},
      {"ime_psync", true, true, kFileService},
      {"ime_psyncv", true, true, kFileService},
      {"libcufile", true, true, "moves data into GPU memory through a file system"},
      {"libhdfs", true, true, kFileService},
      {"libpmem", true, true, kMemory},
      {"librpma_apm_client", false, false, kNetwork},
      {"librpma_apm_server", false, false, kNetwork},
      {"librpma_gpspm_client", false, false, kNetwork},
      {"librpma_gpspm_server", false, false, kNetwork},
      {"mtd", true, true, "addresses raw flash behind a driver, where erases are the host's"},
      {"net", true, true, kNetwork},
      {"netsplice", true, true, kNetwork},
      {"nfs", false, false, kFileService},
      {"pmemblk", true, true, kMemory},
      {"rados", false, false, kFileService},
      {"rdma", false, false, kNetwork},
  };
  return engines;
}

const FioEngine* find_fio_engine(std::string_view name) {
  for (const FioEngine& engine : fio_engines())
    if (engine.name == name) return &engine;
  return nullptr;
}

}  // namespace flashloom
