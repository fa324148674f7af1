// Micro benchmarks: the CPU time an operation of each part of the data path. Options are Google Benchmark's.
#include <benchmark/benchmark.h>

#include <systemc>

#include "bench/micro.hpp"

// libsystemc has its own main(), which calls this.
int sc_main(int argc, char** argv) {
  flashloom::register_model_benchmarks();
  flashloom::register_flash_benchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // binds the sockets
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
