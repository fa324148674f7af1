#include "workloads/traces/trace_reader.hpp"

namespace flashloom {

bool TraceReader::read(TraceRecord& record) {
  std::string_view line;
  while (lines_.next(line)) {
    if (is_blank(line)) continue;
    if (parse(line, record)) return true;
    record = TraceRecord{};
  }
  return false;
}

}  // namespace flashloom
