// A small valid trace of every format, for tests of all formats: detection, round trip, fuzzing.
#pragma once

#include <boost/endian/conversion.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/traces/native_writer.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {

/// Opens a trace in memory; `bytes` must outlive the source.
inline std::unique_ptr<RequestSource> open_bytes(std::string_view bytes, const TraceOptions& options = {},
                                                 const std::string& name = "memory") {
  return open_trace(TraceInput{name, memory_bytes(bytes)}, options);
}

/// Little-endian fields one after the other.
class RecordText {
 public:
  template <class T>
  RecordText& add(T value) {
    boost::endian::native_to_little_inplace(value);
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A vscsi record of version 1 or 2.
inline std::string vscsi(unsigned version, std::uint16_t command, std::uint32_t length, std::uint64_t block,
                         std::uint64_t time_us) {
  RecordText record;
  const auto tag = static_cast<std::uint16_t>(version << 8U);
  if (version == 1)
    record.add(std::uint32_t{7}).add(length).add(std::uint32_t{1}).add(command).add(tag).add(block).add(time_us);
  else
    record.add(command)
        .add(tag)
        .add(std::uint32_t{7})
        .add(length)
        .add(std::uint32_t{1})
        .add(block)
        .add(time_us)
        .add(std::uint64_t{99});
  return record.text();
}

/// An access of oracleGeneral.
inline std::string oracle_general(std::uint32_t time, std::uint64_t object, std::uint32_t size, std::int64_t next) {
  return RecordText().add(time).add(object).add(size).add(next).text();
}

/// A record of blktrace, in the byte order.
inline std::string blk_io_record(bool big, std::uint32_t sequence, std::uint64_t ns, std::uint64_t sector,
                                 std::uint32_t bytes, std::uint32_t action, std::uint32_t pid,
                                 const std::string& data = {}, std::uint32_t version = 7) {
  std::string text;
  const auto add = [&]<class T>(T value) {
    if (big)
      boost::endian::native_to_big_inplace(value);
    else
      boost::endian::native_to_little_inplace(value);
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  add(std::uint32_t{0x65617400} + version);
  add(sequence);
  add(ns);
  add(sector);
  add(bytes);
  add(action);
  add(pid);
  add(std::uint32_t{8U << 20U});
  add(std::uint32_t{0});
  add(std::uint16_t{0});
  add(static_cast<std::uint16_t>(data.size()));
  return text + data;
}

/// A process's name, a read queued, issued and completed, a write with FUA and a flush before it, a discard, a flush
/// without data, a SCSI command.
inline std::string blk_io_trace(bool big) {
  using std::string_literals::operator""s;
  return blk_io_record(big, 0, 1000, 0, 0, 0x4000000, 77, "java\0\0\0\0\0\0\0\0\0\0\0\0"s) +
         blk_io_record(big, 1, 1000, 8, 8192, 0x110001, 77) + blk_io_record(big, 2, 2000, 8, 8192, 0x410007, 77) +
         blk_io_record(big, 3, 3000, 16, 512, 0x80460007, 77) + blk_io_record(big, 4, 3500, 8, 8192, 0x810008, 0) +
         blk_io_record(big, 5, 4000, 2048, 4096, 0x20420007, 78) + blk_io_record(big, 6, 5000, 0, 0, 0x440007, 78) +
         blk_io_record(big, 7, 6000, 0, 36, 0x2410007, 79, "\x12\0\0\0\x24\0"s);
}

/// A trace in the compact form.
inline std::string native_trace(RequestSource& source) {
  std::ostringstream out;
  write_native_trace(source, out);
  return out.str();
}

struct SampleTrace {
  std::string format;
  std::string bytes;
};

inline std::vector<SampleTrace> sample_traces() {
  std::vector<SampleTrace> samples{
      {"alibaba",
       "64,R,12910592,4096,1577808000000043\n419,W,8292630528,16384,1577808000000112\n3,w,0,512,1577808000000112\n"},
      {"arc", "230027 8 0 0\n1842745 64 0 1\n216082 8 0 2\n0 1 50 238577\n"},
      {"biosnoop",
       "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)\n"
       "0.000004    supervise      1950   xvda1   W 13092560   4096      0.74\n"
       "0.000178    Web Content    1950   xvdb    R 13092432   512       0.61\n"
       "0.001469    supervise      1956   xvda1   W 13092440   4096      1.24\n"},
      {"blk_io_trace", blk_io_trace(false)},
      {"blk_io_trace", blk_io_trace(true)},
      {"blkparse",
       "8,16 3 5 0.000026421 3645 D R 8 + 16 [a]\n8,16 3 6 0.0001 36 D FWFS 100 + 1 [java]\n"
       "8,16 3 9 0.02 1 D FN [k]\n8,16 3 7 0.0002 0 C R 8 + 16 [0]\n8,16 3 9 0.03 1 D D 0 + 8 [k]\nCPU0 (8,16):\n"},
      {"cpcsv", "version,time,op,size,lbn\n1,5633898,2a,512,42932745\n1,5633899,28,6656,40409911\n1,5633899,35,0,0\n"},
      {"csv",
       "time_us,operation,offset_sectors,length_bytes,placement,writer,fua\n0.5,write,8,4096,3,wal,1\n"
       "12.25,R,16,512,,,0\n13,write,8,8192,0,table 7,0\n14,trim,8,8192,,table 7,0\n15,flush,,,,,0\n"},
      {"csv", "length_bytes,offset_bytes,operation,write_stream,stream,-\n4096,0,w,65535,255,x\n512,512,r,,0,\n"},
      {"csv", "\"time_us\"\toperation\toffset_bytes\tlength_bytes\n1\tr\t0\t512\n2\tw\t4096\t512\n"},
      {"disksim", "640.875000\t0\t522424\t16\t1\n640.875001 2 10 1 0\n1640.875 0 0 8 3\n"},
      {"diskmon",
       "0\t0.047339\t0.00019073\t0\tRead\t1320146\t8\t\n1\t0.531680\t0.00000000\t0\tWrite\t1080376\t8\t\n"
       "2\t0.531681\t0.0\t1\tWrite\t0\t24\n"},
      {"etw",
       "BeginHeader\n  DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,   ByteOffset, "
       "    IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri,  VolSnap,         FileObject, FileName\n"
       "EndHeader\n"
       "  DiskRead,       3000,        System (   4),       8420, 0xfffffa60012bca50, 0x001000, 0x00002000,    "
       "    500,        1, 0x060043,         400, Normal, 0, 0xfffffa80, \"C:\\a, b\"\n"
       "  DiskWrite,      5000,     w3wp.exe (2020),       8424, 0xfffffa60012bca51, 0x7f00000200, 4096,        250,   "
       "     0, 0x060043, 171, Normal, 0, 0xfffffa80, \"D:\\x\"\n"
       "  DiskFlush,      6000,     w3wp.exe (2020),       8424, 0xfffffa60012bca51,        100,        0, 0x060043, "
       "171, Normal\n"},
      {"fio_iolog", "0, 4096, 8192\n1, 0, 512\n0, 65536, 4096\n"},
      {"fio_iolog",
       "fio version 2 iolog\nf add\nf read 4096 8192\nf wait 150 0\nf write 0 512\ng sync\nf trim 0 4096\n"},
      {"fiu",
       "89966522969723 4270 rpc.mountd 18579576 8 W 6 0 d6c75ba46e82326fefa545b57a12e221\n"
       "89966527950584 4253 a b c 508516672 8 R 6 1 88b93b628d84082186026d9da044f173\n"},
      {"ftrace",
       "# tracer: nop\n#\n  kworker/0:1-100   [000] .... 1000.000000: block_rq_issue: 8,0 R 4096 () 1000 + 8 "
       "[kworker/0:1]\n"
       "  <idle>-0     [007] ..s. 1000.001000: block_rq_complete: 8,0 R () 1000 + 8 [0]\n"
       "  a b-7     [007] ..s. 1000.002000: block_rq_issue: 8,0 WFS 4096 () 16 + 8 be,0,4 [a b]\n"},
      {"lttng",
       "[23:59:59.500000000] (+0.000000000) host block_rq_issue: { cpu_id = 0 }, { dev = 265289728, sector = 7538520, "
       "nr_sector = 8, bytes = 0, rwbs = 33, comm = \"lttng-consumerd\" }\n"
       "[00:00:01.000000000] (+1.500000000) host block_rq_issue: { cpu_id = 1 }, { dev = 265289728, sector = 16, "
       "nr_sector = 16, bytes = 0, rwbs = 4, comm = \"a\" }\n"},
      {"keys", "17305\n2\n9\n17305\n"},
      {"keys",
       "1842602444288808\n3949271442116926\r\n  7\n\n0012\n4503599627370494\n9\n"
       "17305\n2170295624110538\n88\n99\n"},
      {"msr",
       "128166386783630075,hm,0,Write,3164164096,40960,2896\n128166386783630309,hm,1,Read,4096,512,2663\n"
       "128166386793630075,hm,0,Read,0,1,0\n"},
      {"nexus5",
       "0\t\t8\t\t4096\t\t4\t\t1.740780627\t\t1.740812815\t\t1.740851877\t\t1.741075471\n"
       "61071352 25 12800 5 1.8 1.9 2.0 2.1\n8 8 4096 1 10363866.1 10363866.2 10363866.3 10363866.4\n"},
      {"oracle_general", oracle_general(7, 17, 4096, 3) + oracle_general(7, 18, 100, -1) +
                             oracle_general(9, 17, 4096, std::numeric_limits<std::int64_t>::max())},
      {"spc", "0,20941264,8192,W,0.551706\n0,20939840,8192,r,0.554041\n23,0,512,R,0.6,extra\n"},
      {"systor",
       "Timestamp,Response,IOType,LUN,Offset,Size\n1456095145.133076000,0.000806000,R,0,899056122368,131072\n"
       "1456095145.126285000,,W,2,4256049987072,512\n"},
      {"tencent", "1538323200,12910952,128,0,1063\n1538323200,6160447,8,1,1063\n1538323201,0,16,1,2\n"},
      {"thesios",
       "filename,file_offset,application,c_time,io_zone,redundancy_type,op_type,service_class,from_flash_cache,cache_"
       "hit,"
       "request_io_size_bytes,disk_io_size_bytes,response_io_size_bytes,start_time,disk_time,simulated_disk_start_time,"
       "simulated_latency\n"
       "aa,0,app,1,COLD,ERASURE_CODED,READ,OTHER,0,0,1050624,1052672,1050624,1705276800.5,0.03,1.0,0.03\n"
       "bb,461618,app,1,WARM,REPLICATED,WRITE,LATENCY_SENSITIVE,0,-1,100,0,0,1705276801.5,0.0,0.0,0.0\n"
       "aa,1050624,app,1,COLD,ERASURE_CODED,READ,OTHER,0,1,4096,0,4096,1705276801.75,0.0,0.0,0.06\n"},
      {"vscsi", vscsi(1, 0x2a, 512, 42932745, 5633898229538) + vscsi(1, 0x28, 6656, 40409911, 5633899000000) +
                    vscsi(1, 0x12, 96, 0, 5633899000001) + vscsi(1, 0x91, 0, 0, 5633899000002)},
      {"vscsi", vscsi(2, 0x8a, 512, 42932745, 5633898229538) + vscsi(2, 0x28, 6656, 40409911, 5633899000000)}};
  std::string compact;
  for (const SampleTrace& sample : samples)
    if (sample.format == "blkparse") compact = native_trace(*open_bytes(sample.bytes));
  samples.push_back({"flashloom", compact});
  return samples;
}

}  // namespace flashloom
