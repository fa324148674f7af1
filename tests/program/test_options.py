"""Every option has an effect: changing it moves its figure in the right direction."""
import unittest

from program import DIFFERS, FALLS, ProgramCase, RISES, at, job, msr

FILLED = ["precondition.fill=1"]
STRIPED = FILLED + ["ftl.gc_unit=superblock", "ftl.over_provisioning=2"]

# Workloads. A trace's requests come 100 us apart.
READS = ("job", job(rw="randread", bs="4k", iodepth=1, size="100%", io_size="1m"))
DEEP_READS = ("job", job(rw="randread", bs="4k", iodepth=64, size="100%", io_size="4m"))
FOUR_JOBS = ("job", job(rw="randread", bs="4k", iodepth=16, numjobs=4, size="100%", io_size="1m"))
BIG_READS = ("job", job(rw="read", bs="128k", iodepth=1, size="4m"))
TWO_PAGES = ("job", job(rw="read", bs="8k", iodepth=1, size="4m"))
SECTORS = ("job", job(rw="randread", bs="512", iodepth=1, size="100%", io_size="200k"))
WRITES = ("job", job(rw="randwrite", bs="4k", iodepth=4, size="100%", io_size="8m"))
ONE_WRITE = ("job", job(rw="randwrite", bs="4k", iodepth=1, size="100%", io_size="1m"))
COLLECTING = ("job", job(rw="randrw", rwmixread=50, bs="4k", iodepth=16, size="100%", io_size="60m"))
BURST = ("job", job(rw="write", bs="64k", iodepth=32, size="8m", io_size="8m"))
MIXED = ("job", job(rw="randrw", rwmixread=80, bs="4k", iodepth=64, size="100%", io_size="16m"))
OVERWRITES = ("job", job(rw="randwrite", bs="4k", iodepth=4, size="100%", io_size="60m"))
HOT = ("job", job(rw="randwrite", bs="4k", iodepth=4, size="4m", io_size="40m"))
PAUSES = ("job", job(rw="randwrite", bs="4k", iodepth=1, size="100%", io_size="60m", thinktime="100ms",
                     thinktime_blocks=64))
REREADS = ("job", job(rw="randrw", bs="4k", iodepth=1, size="64k", io_size="2m", randrepeat=0))
RAND_REREADS = ("job", job(rw="randread", bs="4k", iodepth=1, size="256k", io_size="2m", norandommap=1))
SMALL_SEQUENTIAL = ("job", job(rw="read", bs="4k", iodepth=1, size="4m"))
# Writes units 0 ... 511, shuffled in runs of 64, then reads all of them in order.
MIXED_ORDER = ("trace", msr([(1000 * n, "Write", 4096 * (n // 64 * 64 + n * 37 % 64), 4096) for n in range(512)] +
                            [(600000 + 3000 * n, "Read", 16384 * n, 16384) for n in range(128)]))
# One job reads the same 128 KiB over and over, while another scans.
HOT_AND_SCAN = ("job", job("hot", rw="randread", bs="4k", iodepth=1, size="128k", io_size="2m", norandommap=1) +
                job("scan", rw="read", bs="4k", iodepth=8, offset="1m", size="8m"))
TRACE = ("trace", msr([(100 * n, "Read", 4096 * (n * 37 % 4096), 4096) for n in range(200)]))

SECONDS = "simulated_s"
READ = "host.read.latency_ns.mean"
WRITE = "host.write.latency_ns.mean"
MESH = ["nand.network.topology=mesh", "nand.channels=4", "nand.blocks=32"]
THROUGH = FILLED + ["buffer.mode=write_through"]
UNITS = ["nand.pages_per_program=3", "nand.pages=30", "buffer.size=4 MiB"]
ROWS = ["nand.planes=2", "nand.multi_plane_program=true", "nand.multi_plane_read=true", "nand.pages_per_program=3",
        "nand.pages=30"]
COLD = FILLED + ["buffer.correlation={name='spatial',threshold=2}"]
SUSPENDING = THROUGH + ["nand.program_suspend=true", "nand.erase_suspend=true"]
NVRAM = FILLED + ["nvram.kind=pcm", "nvram.size=16 MiB"]
CACHED = FILLED + ["buffer.read_cache=0.5"]
LARGE_PAGES = ["nand.page_size=16 KiB", "buffer.size=1 MiB", "precondition.fill=0"]
PACKED = ["nand.page_size=16 KiB", "nand.pages=16", "buffer.size=1 MiB", "precondition.fill=1"]
COMPRESSED = PACKED + ["compression.granule=512 B"]
MAP = NVRAM + ["ftl.map_location=nvram"]
SATA = FILLED + ["link.kind=sata", "host_interface.kind=sata", "host_interface.queue_depth=32"]
SRAM = FILLED + ["dram.size=0 B", "sram.size=2 MiB", "buffer.size=64 KiB"]
LENT = FILLED + ["ftl.kind=dftl", "ftl.kind.cmt_size=64 B", "hmb.size=1 MiB"]
CHANGING = LENT + ["buffer.mode=write_through"]
ONE_SLOT = FILLED + ["host.queues=4", "host_interface.commands=1"]
WEIGHTED = ONE_SLOT + ["host_interface.kind.arbitration=weighted",
                       'host.queue_priorities=["high", "medium", "low", "low"]']
FIRST_JOB = "host.jobs.0.read.latency_ns.mean"
READ_P99 = "host.read.latency_ns.p99"
WORN = FILLED + ["buffer.size=64 KiB"]
CUT = FILLED + ["power.cut_at=10 ms"]
SLC = ["nand.read_time=['50 us', '50 us', '50 us']", "nand.slc_blocks=6", "buffer.size=64 KiB", "verify=false"]
SLC_THROUGH = SLC + ["buffer.mode=write_through"]
SLC_FAILS = SLC_THROUGH + ["nand.errors.model=power_law", "nand.spare_size=512 B", "nand.errors.pe_cycles=3000"]
ERRORS = FILLED + ["nand.spare_size=512 B", "nand.errors.model=power_law"]
OLD = ERRORS + ["nand.errors.pe_cycles=3000", "nand.errors.retention_age=365 d"]
SOFT = OLD + ["nand.errors.retry_rates=[]"]
READ_MOSTLY = ("job", job(rw="randrw", rwmixread=80, bs="4k", iodepth=4, size="8m", io_size="32m", norandommap=1))
RETRIES = "reliability.retries_total"
FAILING = WORN + ["ftl.over_provisioning=1"]

# option: workload, common overrides, values from and to, figure, expected effect
TABLE = [
    ("host.iodepth", TRACE, FILLED + ["host.replay=closed"], "1", "16", SECONDS, FALLS),
    ("host.replay", TRACE, FILLED, "timed", "closed", SECONDS, FALLS),
    ("host.speedup", TRACE, FILLED, "1", "2", SECONDS, FALLS),
    ("host.submit_latency", READS, FILLED, "0 s", "5 us", "host.read.slat_ns.mean", RISES),
    ("host.submit_latency", READS, FILLED, "0 s", "5 us", READ, RISES),
    ("host.complete_latency", READS, FILLED, "0 s", "5 us", READ, RISES),
    ("host.submit_cost", DEEP_READS, FILLED, "0 s", "20 us", SECONDS, RISES),
    ("host.complete_cost", DEEP_READS, FILLED, "0 s", "20 us", SECONDS, RISES),
    ("host.driver", READS, FILLED, "polling", "kernel", READ, RISES),
    ("controller.read_latency", READS, FILLED, "0 s", "20 us", READ, RISES),
    ("controller.write_latency", ONE_WRITE, FILLED, "0 s", "20 us", WRITE, RISES),
    ("controller.read_page_latency", READS, FILLED, "0 s", "5 us", READ, RISES),
    ("host_interface.queue_depth", DEEP_READS, FILLED, "1024", "4", SECONDS, RISES),
    ("host_interface.commands", DEEP_READS, FILLED, "1024", "2", SECONDS, RISES),
    ("host_interface.kind.burst", FOUR_JOBS, ONE_SLOT, "1", "64", READ_P99, DIFFERS),
    ("host_interface.kind.coalesce_threshold", DEEP_READS, FILLED + ['host_interface.kind.coalesce_time="100 us"'], "2",
     "8", READ, RISES),
    ("host_interface.kind.coalesce_time", READS, FILLED + ["host_interface.kind.coalesce_threshold=2"], "100 us", "300 us",
     READ, RISES),
    ("host_interface.kind.fetch_lists", BIG_READS, FILLED, "false", "true", READ, RISES),
    ("host_interface.kind.memory_page", BIG_READS, FILLED + ["host_interface.kind.fetch_lists=true"], "4 KiB", "16 KiB",
     "host_interface.lists.bytes", FALLS),
    ("host_interface.kind.high_weight", FOUR_JOBS, WEIGHTED, "1", "64", FIRST_JOB, FALLS),
    ("host_interface.kind.medium_weight", FOUR_JOBS, WEIGHTED, "1", "64", "host.jobs.1.read.latency_ns.mean", FALLS),
    ("host_interface.kind.low_weight", FOUR_JOBS, WEIGHTED, "1", "64", "host.jobs.3.read.latency_ns.mean", FALLS),
    ("host.queue_priorities", FOUR_JOBS, WEIGHTED[:-1], '["low"]', '["urgent"]', FIRST_JOB, FALLS),
    ("ftl.arbitration", FOUR_JOBS, FILLED, "fifo", "fair", READ_P99, DIFFERS),
    ("host_interface.sector_size", READS, FILLED + ["verify=true"], "512 B", "4 KiB", "verify.reads_checked", FALLS),
    ("host.queues", FOUR_JOBS, FILLED + ["host_interface.queue_depth=4"], "1", "4", SECONDS, FALLS),
    ("link.kind", READS, FILLED, "pcie", "ideal", READ, FALLS),
    ("link.generation", BIG_READS, FILLED, "3", "1", READ, RISES),
    ("link.lanes", BIG_READS, FILLED, "4", "1", READ, RISES),
    ("link.latency", READS, FILLED, "200 ns", "2 us", READ, RISES),
    ("link.max_payload", BIG_READS, FILLED, "256 B", "64 B", READ, RISES),
    ("link.packet_overhead", BIG_READS, FILLED, "24 B", "240 B", READ, RISES),
    ("link.sata_rate", BIG_READS, SATA, "6 Gb/s", "1500 Mb/s", READ, RISES),
    ("link.active_power", READS, FILLED, "50 mW", "5 W", "energy.operations.link.j", RISES),
    ("link.idle_power", READS, FILLED, "20 mW", "2 W", "energy.background_j", RISES),
    ("cpu.clock", READS, FILLED, "500 MHz", "50 MHz", READ, RISES),
    ("cpu.cores", DEEP_READS, FILLED + ["cpu.clock=5 MHz"], "2", "1", SECONDS, RISES),
    ("cpu.model", READS, FILLED, "arm", "ideal", READ, FALLS),
    ("cpu.flash_core", DEEP_READS, FILLED + ["cpu.clock=5 MHz"], "1", "0", SECONDS, DIFFERS),
    ("cpu.host_core", DEEP_READS, FILLED + ["cpu.clock=5 MHz"], "0", "1", SECONDS, DIFFERS),
    ("cpu.ftl_core", DEEP_READS, FILLED + ["cpu.clock=5 MHz"], "1", "0", SECONDS, DIFFERS),
    ("cpu.active_power", READS, FILLED, "80 mW", "8 W", "energy.operations.cpu.j", RISES),
    ("cpu.idle_power", READS, FILLED, "5 mW", "5 W", "energy.background_j", RISES),
    ("cpu.cycles.command_parse", READS, FILLED, "300", "30000", READ, RISES),
    ("cpu.cycles.command_complete", READS, FILLED, "200", "20000", SECONDS, RISES),
    ("cpu.cycles.buffer_lookup", READS, FILLED, "60", "6000", READ, RISES),
    ("cpu.cycles.map_lookup", READS, FILLED, "60", "6000", READ, RISES),
    ("cpu.cycles.map_update", ONE_WRITE, THROUGH, "80", "8000", WRITE, RISES),
    ("cpu.cycles.flash_issue", READS, FILLED, "150", "15000", READ, RISES),
    ("cpu.cycles.flash_complete", READS, FILLED, "100", "10000", READ, RISES),
    ("cpu.cycles.victim_select", WRITES, FILLED, "500", "500000", SECONDS, RISES),
    ("cpu.cycles.write_command", ONE_WRITE, THROUGH, "0", "8000", WRITE, RISES),
    ("cpu.cycles.set_detect", WRITES, COLD, "0", "500000", SECONDS, RISES),
    ("dram.bandwidth", READS, FILLED, "3200 MB/s", "100 MB/s", READ, RISES),
    ("dram.read_latency", READS, FILLED, "50 ns", "5 us", READ, RISES),
    ("dram.write_latency", ONE_WRITE, FILLED, "50 ns", "5 us", WRITE, RISES),
    ("dram.refresh_time", READS, FILLED, "130 ns", "3 us", READ, RISES),
    ("dram.refresh_interval", READS, FILLED, "3900 ns", "200 ns", READ, RISES),
    ("dram.read_energy", READS, FILLED, "73.5 pJ/B", "700 pJ/B", "energy.operations.dram/read.j", RISES),
    ("dram.write_energy", READS, FILLED, "58.5 pJ/B", "700 pJ/B", "energy.operations.dram/write.j", RISES),
    ("dram.refresh_energy", READS, FILLED, "25 nJ", "25 uJ", "energy.total_j", RISES),
    ("dram.background_power", READS, FILLED, "33 mW", "3 W", "energy.background_j", RISES),
    ("sram.size", READS, SRAM + ["sram.latency=5 us"], "0 B", "2 MiB", READ, RISES),
    ("sram.bandwidth", READS, SRAM, "0 B/s", "100 MB/s", READ, RISES),
    ("sram.latency", READS, SRAM, "0 s", "5 us", READ, RISES),
    ("sram.read_energy", READS, SRAM, "1 pJ/B", "1 nJ/B", "energy.operations.sram/read.j", RISES),
    ("sram.write_energy", READS, SRAM, "1 pJ/B", "1 nJ/B", "energy.operations.sram/write.j", RISES),
    ("sram.background_power", READS, SRAM, "0 W", "1 W", "energy.background_j", RISES),
    ("hmb.size", READS, LENT, "0 B", "1 MiB", READ, FALLS),
    ("hmb.latency", READS, LENT, "350 ns", "5 us", READ, RISES),
    ("hmb.map_update", OVERWRITES, CHANGING, "write_through", "write_back", "ftl.map_cache.page_writes", FALLS),
    ("hmb.revoke_at", READS, LENT, "0 s", "5 ms", READ, RISES),
    ("hmb.lost_at", READS, LENT, "0 s", "5 ms", READ, RISES),
    ("hmb.return_at", READS, LENT + ["hmb.revoke_at=2 ms"], "0 s", "4 ms", READ, FALLS),
    ("nvram.kind", READS, FILLED + ["nvram.size=16 MiB", "ftl.map_location=nvram"], "stt_mram", "pcm", READ, RISES),
    ("nvram.bandwidth", READS, MAP, "0 B/s", "1 MB/s", READ, RISES),
    ("nvram.read_latency", READS, MAP, "120 ns", "5 us", READ, RISES),
    ("nvram.write_latency", ONE_WRITE, MAP + THROUGH, "150 ns", "5 us", WRITE, RISES),
    ("nvram.refresh_time", READS, MAP + ["nvram.refresh_interval=4 us"], "1 ns", "3 us", READ, RISES),
    ("nvram.refresh_energy", READS, MAP + ["nvram.refresh_interval=4 us", "nvram.refresh_time=100 ns"],
     "0 J", "1 uJ", "energy.total_j", RISES),
    ("nvram.read_energy", READS, MAP, "1 pJ/B", "1 nJ/B", "energy.total_j", RISES),
    ("nvram.write_energy", ONE_WRITE, MAP, "1 pJ/B", "1 uJ/B", "energy.total_j", RISES),
    ("nvram.background_power", READS, MAP, "0 W", "1 W", "energy.background_j", RISES),
    ("buffer.size", WRITES, FILLED, "1 MiB", "64 KiB", WRITE, RISES),
    ("buffer.size", REREADS, FILLED, "1 MiB", "16 KiB", "buffer.read_hits", FALLS),
    ("buffer.location", ONE_WRITE, NVRAM, "dram", "nvram", WRITE, RISES),
    ("buffer.location", ONE_WRITE, NVRAM, "dram", "nvram", "nvram.wear", RISES),
    ("buffer.location", ONE_WRITE, NVRAM, "dram", "nvram", "energy.operations.nvram/write.j", RISES),
    ("buffer.mode", ONE_WRITE, FILLED, "write_back", "write_through", WRITE, RISES),
    ("buffer.evict", WRITES, FILLED, "pages", "blocks", WRITE, DIFFERS),
    ("buffer.correlation", WRITES, FILLED, "none", "{ name = 'temporal', threshold = 4 }", "buffer.correlated.sets", RISES),
    ("ftl.placement", WRITES, FILLED + ["buffer.correlation={ name = 'temporal', threshold = 4 }"], "static_order", "cold", WRITE,
     DIFFERS),
    ("buffer.replacement", HOT_AND_SCAN, CACHED + ["buffer.size=256 KiB"], "lru", "lirs", "buffer.read_hits", RISES),
    ("buffer.read_cache", RAND_REREADS, FILLED, "0", "0.9", "buffer.read_hits_clean", RISES),
    ("buffer.read_cache", RAND_REREADS, FILLED, "0", "0.9", READ, FALLS),
    ("buffer.read_cache", RAND_REREADS, FILLED + ["buffer.size=64 KiB"], "0", "0.5", "buffer.evictions_clean", RISES),
    ("buffer.read_ahead", SMALL_SEQUENTIAL, CACHED, "0 B", "64 KiB", "buffer.read_ahead.used", RISES),
    ("buffer.read_ahead", SMALL_SEQUENTIAL, CACHED, "0 B", "64 KiB", READ, FALLS),
    ("buffer.high_watermark", WRITES, FILLED, "1", "0.5", "buffer.destages.watermark", RISES),
    ("buffer.low_watermark", WRITES, FILLED + ["buffer.high_watermark=0.5"], "0.5", "0.1",
     "buffer.destaging_bytes_at_end", RISES),
    ("buffer.coalesce", MIXED_ORDER, LARGE_PAGES, "false", "true", "flash.reads.host.pages", FALLS),
    ("buffer.split", HOT_AND_SCAN, CACHED + ["buffer.size=512 KiB"], "1", "2", "buffer.read_hits_clean", RISES),
    ("buffer.destage_units", WRITES, FILLED, "0", "1", WRITE, RISES),
    ("ftl.over_provisioning", OVERWRITES, FILLED, "0.28", "0.6", "ftl.waf", FALLS),
    ("ftl.over_provisioning", READS, FILLED, "0.28", "0.6", "device.capacity_bytes", FALLS),
    ("ftl.logical_size", READS, FILLED, "0 B", "8 MiB", "device.capacity_bytes", FALLS),
    ("ftl.mapping_unit", READS, FILLED + ["nand.page_size=16 KiB", "nand.ecc.frame=16 KiB"], "4 KiB", "16 KiB", READ,
     RISES),
    ("ftl.gc_low", OVERWRITES, FILLED + ["ftl.gc_high=8"], "2", "7", "ftl.free_blocks_min", RISES),
    ("ftl.garbage_collection", OVERWRITES, FILLED, "greedy", "random", "ftl.waf", RISES),
    ("ftl.garbage_collection", OVERWRITES, FILLED, "greedy", "{ name = 'd_choices', d = 2 }", "ftl.waf", RISES),
    ("ftl.garbage_collection", OVERWRITES, FILLED, "{ name = 'd_choices', d = 2 }", "{ name = 'd_choices', d = 20 }",
     "ftl.waf", FALLS),
    ("ftl.garbage_collection", OVERWRITES, FILLED, "fifo", "{ name = 'windowed_greedy', window = 40 }", "ftl.waf",
     FALLS),
    ("ftl.garbage_collection", OVERWRITES, FILLED, "cost_benefit", "{ name = 'cost_benefit', age = 'invalidated' }",
     "ftl.waf", DIFFERS),
    ("ftl.garbage_collection", OVERWRITES, FILLED, "cost_benefit", "cost_age_times", "ftl.waf", DIFFERS),
    ("ftl.wear_leveling", OVERWRITES, WORN + ["ftl.gc_low=4", "ftl.gc_high=8"], "none", "dynamic", "wear.erases_stddev",
     DIFFERS),
    ("ftl.wear_leveling", HOT, WORN, "none", "{ name = 'static', threshold = 2 }", "wear.erases_stddev", FALLS),
    ("ftl.wear_leveling", HOT, WORN, "none", "{ name = 'static', threshold = 2 }", "flash.programs.wear.pages", RISES),
    ("ftl.wear_leveling", HOT, WORN, "none", "{ name = 'static', threshold = 2 }", "energy.operations.nand/program.j",
     RISES),
    ("ftl.wear_leveling", HOT, WORN, "{ name = 'static', threshold = 2 }", "{ name = 'static', threshold = 6 }",
     "ftl.wear_moves", FALLS),
    ("ftl.wear_leveling", HOT, WORN, "none", "{ name = 'group', threshold = 2 }", "ftl.wear_moves", RISES),
    ("ftl.wear_leveling", HOT, WORN, "{ name = 'group', threshold = 2 }",
     "{ name = 'group', threshold = 2, blocks = 4 }", "ftl.wear_moves", DIFFERS),
    ("ftl.gc_unit", OVERWRITES, FILLED, "block", "superblock", "ftl.waf", RISES),
    ("ftl.gc_unit", OVERWRITES, FILLED, "block", "superblock", "ftl.gc_runs", FALLS),
    ("ftl.superblock_dies", OVERWRITES, FILLED + ["ftl.gc_unit=superblock"], "1", "4", "ftl.waf", RISES),
    ("ftl.superblock_dies", OVERWRITES, FILLED + ["ftl.gc_unit=superblock"], "1", "2", "ftl.gc_runs", FALLS),
    ("ftl.gc_pause", OVERWRITES, FILLED + ["ftl.gc_low=8", "ftl.gc_high=9"], "0", "1", "ftl.free_blocks_min", FALLS),
    ("ftl.gc_background", PAUSES, FILLED, "0", "10", "ftl.free_blocks_min", RISES),
    ("ftl.gc_idle_time", PAUSES, FILLED + ["ftl.gc_background=10"], "1 ms", "1 s", "ftl.free_blocks_min", FALLS),
    ("nand.endurance", HOT, WORN, "0", "2", "wear.bad_blocks", RISES),
    ("nand.endurance", HOT, WORN, "0", "2", "host.write_protected", RISES),
    ("nand.endurance_deviation", HOT, WORN + ["nand.endurance=3"], "0", "16 %", "host.write.ios", DIFFERS),
    ("nand.program_failures", HOT, WORN + ["nand.endurance=3", "nand.endurance_deviation=16 %"], "0", "1",
     "flash.programs.total.pages", RISES),
    ("nand.copyback", OVERWRITES, FILLED + ["nand.planes=2", "nand.blocks=32"], "false", "true",
     "energy.operations.nand/transfer.j", FALLS),
    ("ftl.gc_high", OVERWRITES, FILLED, "3", "8", "ftl.waf", DIFFERS),
    ("ftl.map_location", READS, NVRAM, "dram", "nvram", READ, RISES),
    ("ftl.arbitration.bound", MIXED, THROUGH, "0", "1000", WRITE, RISES),
    ("ftl.arbitration", MIXED, THROUGH, "fifo", "out_of_order", READ, FALLS),
    ("ftl.queue_limit", DEEP_READS, FILLED, "0", "1", "flash_queues.longest", FALLS),
    ("nand.read_time", READS, FILLED, "50 us", "60 us", READ, RISES),
    ("nand.program_time", ONE_WRITE, THROUGH, "600 us", "700 us", WRITE, RISES),
    ("nand.erase_time", WRITES, FILLED, "3 ms", "9 ms", SECONDS, RISES),
    ("nand.transfer_rate", READS, FILLED, "400 MT/s", "40 MT/s", READ, RISES),
    ("nand.command_cycle", READS, FILLED, "25 ns", "250 ns", READ, RISES),
    ("nand.read_cycles", READS, FILLED, "7", "60", READ, RISES),
    ("nand.program_cycles", ONE_WRITE, THROUGH, "7", "60", WRITE, RISES),
    ("nand.erase_cycles", WRITES, FILLED, "5", "60", "utilization.channels.0.command", RISES),
    ("nand.bus_width", READS, FILLED, "8", "16", READ, FALLS),
    ("nand.transfer_spare", READS, FILLED, "false", "true", READ, RISES),
    ("nand.spare_size", READS, FILLED + ["nand.transfer_spare=true"], "128 B", "1 KiB", READ, RISES),
    ("nand.independent_planes", DEEP_READS, FILLED + ["nand.planes=4"], "1", "4", SECONDS, FALLS),
    ("nand.page_register", ("job", job(rw="read", bs="4k", size="1m")), FILLED + ["nand.page_size=16 KiB"], "false", "true", READ, FALLS),
    ("nand.senses", READS, FILLED + ["nand.pages=252"], "[2, 3, 2]", "[1, 2, 4, 8]", READ, RISES),
    ("nand.sense_time", READS, FILLED + ["nand.senses=[1, 2]"], "39 us", "50 us", READ, RISES),
    ("nand.read_setup", READS, FILLED + ["nand.senses=[1, 2]"], "0 s", "50 us", READ, RISES),
    ("nand.open_read_factor", READS, ["precondition.fill=0.9"], "1", "3", READ, RISES),
    ("nand.partial_erase_limit", OVERWRITES, CUT, "0", "1", "flash.programs.padding.pages", RISES),
    ("nand.program_passes", WRITES, FILLED + UNITS, "1", "2", SECONDS, RISES),
    ("nand.first_pass_time", WRITES, FILLED + UNITS + ["nand.program_passes=2"], "0 s", "2 ms", SECONDS, RISES),
    ("nand.first_pass_pages", WRITES, FILLED + UNITS + ["nand.program_passes=2"], "0", "2", "utilization.channels.0.data",
     FALLS),
    ("nand.unit_layout", TWO_PAGES, FILLED + ROWS, "page_first", "plane_first", READ, FALLS),
    ("nand.ecc.frame", SECTORS, FILLED + ["nand.page_size=16 KiB", "ftl.mapping_unit=16 KiB", "buffer.size=1 MiB"],
     "512 B", "16 KiB", READ, RISES),
    ("nand.cache_read", DEEP_READS, FILLED + ["nand.transfer_rate=40 MT/s"], "false", "true", SECONDS, FALLS),
    ("nand.cache_program", BURST, FILLED + ["nand.transfer_rate=10 MT/s"], "false", "true", SECONDS, FALLS),
    ("nand.cache_busy_time", DEEP_READS, FILLED + ["nand.cache_read=true"], "0 s", "20 us", SECONDS, RISES),
    ("nand.program_suspend", MIXED, THROUGH, "false", "true", READ, FALLS),
    ("nand.erase_suspend", COLLECTING, THROUGH + ["nand.erase_time=30 ms"], "false", "true", READ, FALLS),
    ("nand.program_suspend_time", MIXED, SUSPENDING, "20 us", "200 us", READ, RISES),
    ("nand.erase_suspend_time", COLLECTING, SUSPENDING, "100 us", "2 ms", READ, DIFFERS),
    ("nand.program_resume_time", MIXED, SUSPENDING, "5 us", "300 us", WRITE, RISES),
    ("nand.erase_resume_time", COLLECTING, SUSPENDING, "50 us", "5 ms", WRITE, DIFFERS),
    ("nand.suspend_cycles", MIXED, SUSPENDING, "1", "64", READ, DIFFERS),
    ("nand.suspend_interval", MIXED, SUSPENDING, "100 us", "500 us", READ, RISES),
    ("nand.suspend_limit", MIXED, SUSPENDING, "8", "1", "flash_overlap.suspended_programs", FALLS),
    ("nand.suspend_hold", MIXED, SUSPENDING, "1 ms", "0 s", "flash_overlap.interrupting_reads", DIFFERS),
    ("nand.slc_blocks", BURST, SLC + ["ftl.slc_low=0", "ftl.slc_idle=false"], "3", "6", "ftl.slc.units_past", FALLS),
    ("nand.slc_dynamic", BURST, SLC + ["ftl.slc_low=0", "ftl.slc_idle=false"], "0", "6", "ftl.slc.units_past", FALLS),
    ("nand.slc_program_time", ONE_WRITE, SLC_THROUGH, "200 us", "300 us", WRITE, RISES),
    ("nand.slc_read_time", REREADS, SLC_THROUGH, "25 us", "45 us", READ, RISES),
    ("nand.slc_erase_time", HOT, SLC, "0 s", "1 ms", SECONDS, FALLS),
    ("nand.slc_endurance", HOT, SLC, "0", "2", "wear.bad_blocks", RISES),
    ("nand.errors.slc_factor", REREADS, SLC_FAILS, "1", "0", "reliability.retries_total", FALLS),
    ("ftl.slc_low", BURST, SLC, "0", "2", "ftl.slc.folded_blocks", RISES),
    ("ftl.slc_idle", PAUSES, SLC + ["ftl.slc_low=0"], "false", "true", "ftl.slc.folded_blocks", RISES),
    ("nand.ready_detection", READS, FILLED, "rb", "polling", READ, RISES),
    ("nand.poll_interval", READS, FILLED + ["nand.ready_detection=polling"], "10 us", "30 us", READ, RISES),
    ("nand.status_time", READS, FILLED + ["nand.ready_detection=polling"], "80 ns", "800 ns", READ, DIFFERS),
    ("nand.way_switch_time", DEEP_READS, FILLED, "0 s", "20 us", SECONDS, RISES),
    ("nand.channel_switch_time", DEEP_READS, FILLED, "0 s", "200 us", SECONDS, RISES),
    ("compression.granule", OVERWRITES, PACKED, "0 B", "512 B", "ftl.waf", FALLS),
    ("compression.density", OVERWRITES, COMPRESSED + ["compression.saved=0.9"], "2", "8", "ftl.waf", FALLS),
    ("compression.saved", OVERWRITES, COMPRESSED, "0.2", "0.6", "ftl.waf", FALLS),
    ("compression.spread", OVERWRITES, COMPRESSED, "0", "0.5", "compression.ratio", FALLS),
    ("compression.rate", READS, COMPRESSED, "8 GB/s", "100 MB/s", READ, RISES),
    ("compression.latency", READS, COMPRESSED, "0 s", "10 us", READ, RISES),
    ("compression.energy", READS, COMPRESSED, "0 J/B", "1 nJ/B", "energy.total_j", RISES),
    ("nand.network.topology", READS, FILLED + ["nand.network.hop_time=1 us"], "bus", "mesh", READ, RISES),
    ("nand.network.routing", DEEP_READS, FILLED + MESH, "minimal", "adaptive", "network.minimal_share", FALLS),
    ("nand.network.detour", DEEP_READS, FILLED + MESH, "0", "8", "network.minimal_share", FALLS),
    ("nand.network.hop_time", READS, FILLED + MESH, "0 s", "1 us", READ, RISES),
    ("nand.network.reserve_time", READS, FILLED + MESH, "0 s", "1 us", READ, RISES),
    ("nand.network.link_rate", READS, FILLED + MESH, "0 T/s", "50 MT/s", READ, RISES),
    ("nand.network.link_width", READS, FILLED + MESH, "0", "2", READ, RISES),
    ("nand.network.router_power", READS, FILLED + MESH, "0 W", "10 mW", "energy.background_j", RISES),
    ("nand.network.link_energy", READS, FILLED + MESH, "1 pJ/B", "1 nJ/B", "energy.total_j", RISES),
    ("nand.partial_programs", ONE_WRITE, LARGE_PAGES + ["buffer.mode=write_through"], "1", "4", "ftl.units_padded", FALLS),
    ("nand.interface", READS, FILLED, "custom", "sdr", READ, RISES),
    ("nand.timing_mode", READS, FILLED + ["nand.interface=sdr"], "0", "5", READ, FALLS),
    ("nand.data_in_setup", ONE_WRITE, THROUGH, "0 s", "10 us", WRITE, RISES),
    ("nand.data_out_setup", READS, FILLED, "0 s", "10 us", READ, RISES),
    ("nand.warmup_cycles", READS, FILLED, "0", "4", READ, RISES),
    ("nand.channels", DEEP_READS, FILLED, "1", "4", SECONDS, FALLS),
    ("nand.ways", DEEP_READS, FILLED, "1", "4", SECONDS, FALLS),
    ("nand.dies", DEEP_READS, FILLED, "1", "2", SECONDS, FALLS),
    ("nand.planes", WRITES, FILLED + ["nand.multi_plane_program=true"], "1", "2", SECONDS, FALLS),
    ("nand.pages_per_program", WRITES, FILLED + ["nand.pages=30"], "1", "3", SECONDS, FALLS),
    ("nand.page_size", READS, FILLED, "4 KiB", "8 KiB", "device.raw_bytes", RISES),
    ("nand.blocks", READS, FILLED, "64", "128", "device.raw_bytes", RISES),
    ("nand.pages", READS, FILLED, "32", "64", "device.raw_bytes", RISES),
    ("nand.multi_plane_program", WRITES, FILLED + ["nand.planes=2"], "false", "true", SECONDS, FALLS),
    ("nand.read_current", READS, FILLED, "25 mA", "50 mA", "energy.operations.nand/read.j", RISES),
    ("nand.program_current", WRITES, FILLED, "25 mA", "50 mA", "energy.operations.nand/program.j", RISES),
    ("nand.erase_current", WRITES, FILLED, "25 mA", "50 mA", "energy.operations.nand/erase.j", RISES),
    ("nand.bus_current", READS, FILLED, "5 mA", "50 mA", "energy.operations.nand/transfer.j", RISES),
    ("nand.array_voltage", READS, FILLED, "3.3 V", "1.8 V", "energy.operations.nand/read.j", FALLS),
    ("nand.io_voltage", READS, FILLED, "3.3 V", "1.8 V", "energy.operations.nand/transfer.j", FALLS),
    ("nand.standby_current", READS, FILLED, "10 uA", "10 mA", "energy.background_j", RISES),
    ("power.cut_at", WRITES, FILLED, "0 s", "10 ms", "power.cuts", RISES),
    ("power.off_time", WRITES, CUT, "100 ms", "300 ms", SECONDS, RISES),
    ("ftl.scrub_reads", READ_MOSTLY, ERRORS, "0", "20", "reliability.scrub_moves", RISES),
    ("ftl.scrub_level", READ_MOSTLY, OLD, "0", "1", "reliability.scrub_moves", RISES),
    ("nand.factory_bad_blocks", WRITES, FILLED, "0", "3 %", "wear.bad_blocks", RISES),
    ("nand.erase_failure_rate", OVERWRITES, FAILING, "0", "5 %", "wear.bad_blocks", RISES),
    ("nand.program_failure_rate", OVERWRITES, FAILING, "0", "0.2 %", "wear.bad_blocks", RISES),
    ("nand.program_failure_at", OVERWRITES, FAILING + ["nand.program_failure_rate=0.1 %"], "program", "cycle",
     "wear.program_failures", DIFFERS),
    ("nand.failure_growth", OVERWRITES, FAILING + ["nand.program_failure_rate=0.05 %"], "0", "1",
     "wear.program_failures", RISES),
    ("nand.failed_program", OVERWRITES, FAILING, "0", "9000", "flash.programs.total.pages", RISES),
    ("nand.die_failure_at", READ_MOSTLY, ERRORS + ["ftl.over_provisioning=1"], "0", "5000", "host.media_errors", RISES),
    ("nand.failed_die", READ_MOSTLY, ERRORS + ["ftl.over_provisioning=1", "nand.die_failure_at=5000"], "0", "1",
     "host.media_errors", DIFFERS),
    ("nand.program_time_spread", WRITES, FILLED, "0", "30 %", SECONDS, DIFFERS),
    ("nand.variation.program_die", WRITES, FILLED, "0", "0.2", SECONDS, DIFFERS),
    ("nand.variation.program_block", OVERWRITES, FILLED, "0", "0.2", SECONDS, DIFFERS),
    ("nand.variation.program_layer", WRITES, FILLED, "0", "0.2", SECONDS, DIFFERS),
    ("nand.variation.erase_die", OVERWRITES, FILLED, "0", "0.2", SECONDS, DIFFERS),
    ("nand.variation.erase_block", OVERWRITES, FILLED, "0", "0.2", SECONDS, DIFFERS),
    ("nand.variation.read_die", READS, FILLED, "0", "0.2", READ, DIFFERS),
    ("nand.variation.read_block", READS, FILLED, "0", "0.3", READ_P99, RISES),
    ("nand.variation.read_layer", READS, FILLED, "0", "0.3", READ_P99, RISES),
    ("nand.variation.layers", READS, FILLED + ["nand.variation.read_layer=0.3"], "1", "16", READ_P99, DIFFERS),
    ("nand.variation.seed", READS, FILLED + ["nand.variation.read_block=0.1"], "1", "2", READ, DIFFERS),
    ("nand.variation.errors_die", READS, OLD, "0", "1", RETRIES, DIFFERS),
    ("nand.variation.errors_block", READS, OLD, "0", "1", RETRIES, DIFFERS),
    ("nand.variation.errors_layer", READS, OLD, "0", "1", RETRIES, DIFFERS),
    ("ftl.superblock_by", OVERWRITES, FILLED + ["ftl.gc_unit=superblock", "nand.variation.program_block=0.2"], "position",
     "speed", SECONDS, FALLS),
    ("ftl.rain", OVERWRITES, STRIPED, "0", "1", "flash.programs.total.pages", RISES),
    ("ftl.rain_memory", OVERWRITES, STRIPED + ["ftl.rain=1"], "sram", "dram", "energy.operations.dram/write.j", RISES),
    ("nand.errors.model", READS, FILLED + ["nand.spare_size=512 B"], "none", "power_law", READ, RISES),
    ("nand.errors.base", READS, ERRORS, "1e-3", "9e-3", RETRIES, RISES),
    ("nand.errors.wear_factor", READS, OLD, "0", "1e-9", RETRIES, RISES),
    ("nand.errors.wear_exponent", READS, OLD, "1", "2.2", RETRIES, RISES),
    ("nand.errors.retention_factor", READS, OLD, "0", "2e-4", RETRIES, RISES),
    ("nand.errors.retention_wear_exponent", READS, OLD, "0.01", "0.5", RETRIES, RISES),
    ("nand.errors.retention_exponent", READS, OLD, "0.1", "0.9", RETRIES, RISES),
    ("nand.errors.disturb_factor", READS, OLD, "0", "1e-3", RETRIES, RISES),
    ("nand.errors.disturb_wear_exponent", READS, OLD + ["nand.errors.disturb_factor=1e-5"], "0", "1", RETRIES, RISES),
    # Each page is read less than once.
    ("nand.errors.disturb_exponent", READS, OLD + ["nand.errors.disturb_factor=1e-5"], "0.1", "5", RETRIES, FALLS),
    ("nand.errors.page_factors", READS, OLD, "0.5", "1.5", RETRIES, RISES),
    ("nand.errors.open_block_factor", READS, OLD + ["precondition.fill=0.9"], "1", "3", RETRIES, RISES),
    ("nand.errors.open_word_lines", READS, OLD + ["precondition.fill=0.9", "nand.errors.open_block_factor=3"], "0", "1",
     RETRIES, FALLS),
    ("nand.errors.pe_cycles", READS, ERRORS, "0", "5000", RETRIES, RISES),
    ("nand.errors.retention_age", READS, OLD, "0 s", "365 d", RETRIES, RISES),
    ("nand.errors.retry_rates", READS, OLD, "[0.5]", "[0.9, 0.1]", RETRIES, RISES),
    ("nand.errors.retry_time", READS, OLD, "0 s", "100 us", READ, RISES),
    ("nand.ecc.codeword", READS, ERRORS, "1 KiB", "2 KiB", "reliability.codewords", FALLS),
    ("nand.ecc.parity", READS, OLD + ["nand.ecc.strength=100"], "126 B", "0 B", RETRIES, FALLS),
    ("nand.ecc.strength", READS, OLD, "60", "110", RETRIES, FALLS),
    ("nand.ecc.decode_time", READS, ERRORS, "0 s", "30 us", READ, RISES),
    ("nand.ecc.decode_energy", READS, ERRORS, "0 J", "1 uJ", "energy.total_j", RISES),
    ("nand.ecc.soft_reads", READS, SOFT, "0", "3", "reliability.soft_decodes", RISES),
    ("nand.ecc.soft_strength", READS, SOFT, "72", "200", "reliability.soft_recovered", RISES),
    ("nand.ecc.soft_decode_time", READS, SOFT, "0 s", "100 us", READ, RISES),
    ("nand.ecc.soft_decode_energy", READS, SOFT, "0 J", "10 uJ", "energy.total_j", RISES),
    ("power.cap", DEEP_READS, FILLED, "0 W", "90 mW", SECONDS, RISES),
    ("power.cap_dies", DEEP_READS, FILLED, "0", "1", SECONDS, RISES),
    ("power.state", DEEP_READS, FILLED + ['power.states=[{}, { max_power = "710 mW" }]'], "0", "1", SECONDS, RISES),
    ("precondition.fill", DEEP_READS, [], "0.2", "0.9", "flash.reads.host.pages", RISES),
    ("precondition.steady", WRITES, FILLED, "false", "true", "ftl.waf", DIFFERS),
    ("precondition.drawn", WRITES, FILLED + ["precondition.steady=true"], "false", "true", "precondition.passes", FALLS),
    ("precondition.max_passes", WRITES, FILLED + ["precondition.steady=true"], "20", "1", "precondition.passes", FALLS),
    ("seed", DEEP_READS, FILLED, "1", "2", READ, DIFFERS),
]


class Options(ProgramCase):
    def test_latency_breakdown(self):
        path = self.file("job.fio", READS[1])
        for value in ("true", "false"):
            read = self.result("tiny", "--job", path, sets=[f"host.latency_breakdown={value}"])["host"]["read"]
            self.assertEqual("latency_breakdown_ns" in read, value == "true")

    def figure(self, workload, sets, path):
        kind, text = workload
        file = self.file("trace.csv" if kind == "trace" else "job.fio", text)
        return at(self.result("tiny", f"--{kind}", file, sets=sets), path)

    def test_every_option_does_something(self):
        for option, workload, common, old, new, path, effect in TABLE:
            with self.subTest(option=option, figure=path):
                before, after = (self.figure(workload, [*common, f"{option}={value}"], path) for value in (old, new))
                self.assert_moves(before, after, effect)

    def test_added_latency_is_added_exactly(self):
        """At queue depth 1 each latency and each cost adds to the mean exactly once."""
        base = self.figure(READS, FILLED, READ)
        for option, old, new in (("host.submit_latency", 0, 5000), ("host.complete_latency", 0, 7000), ("host.submit_cost", 0, 3000),
                                 ("host.complete_cost", 0, 2000), ("controller.read_latency", 0, 20000)):
            with self.subTest(option=option):
                slower = self.figure(READS, [*FILLED, f"{option}={new} ns"], READ)
                # DRAM refresh hits other requests: at most 130 ns each, for a few accesses per request.
                self.assertAlmostEqual(slower - base, new - old, delta=100)


if __name__ == "__main__":
    unittest.main()
