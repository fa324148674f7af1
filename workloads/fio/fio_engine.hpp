// ioengine=: which of fio's engines do block I/O, and how.
#pragma once

#include <string_view>
#include <vector>

namespace flashloom {

struct FioEngine {
  std::string_view name;
  bool synchronous;          ///< one request at a time, whatever iodepth says
  bool flush_blocks;         ///< a flush or trim is a blocking call: the job sends nothing else meanwhile
  std::string_view refusal;  ///< why it cannot be modelled; empty: block I/O
};

/// The engines of fio 3.33, by name.
const std::vector<FioEngine>& fio_engines();
/// The engine of that name; null if unknown.
const FioEngine* find_fio_engine(std::string_view name);

}  // namespace flashloom
