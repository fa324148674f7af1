"""flashloom import: keys of each source worked by hand, what cannot be read, and MQSim's device under MQSim's workload."""
import contextlib
import io
import json
import textwrap
import tomllib

from case import PackageCase

from flashloom.errors import BadInput
from flashloom.importers.draft import LANE_RATE, link_of
from flashloom.importers.fio import words_of
from flashloom.importers.main import carry_out, main
from flashloom.importers.mqsim import DEFAULTS
from flashloom.program import said

HOST_KEYS = ("PCIe_Lane_Bandwidth", "PCIe_Lane_Count", "SATA_Processing_Delay")


def ssd_config(**changed):
    """MQSim's file: a key a line, the first one, Host_Parameter_Set's, in line 3."""
    values = DEFAULTS | {"PCIe_Lane_Bandwidth": "1.0", "Overprovisioning_Ratio": "0.07", "Channel_Transfer_Rate": "333",
                         "Use_Copyback_for_GC": "false"} | changed
    def lines(keys):
        return "".join(f"<{key}>{values[key]}</{key}>\n" for key in keys)
    return ("<Execution_Parameter_Set>\n<Host_Parameter_Set>\n" + lines(HOST_KEYS) + "</Host_Parameter_Set>\n<Device_Parameter_Set>\n"
            + lines(key for key in values if key not in HOST_KEYS) + "</Device_Parameter_Set>\n</Execution_Parameter_Set>\n")


def workload(*flows):
    """MQSim's flows: an index of keys each."""
    text = "".join("<IO_Flow_Parameter_Set_Synthetic>\n" + "".join(f"<{key}>{value}</{key}>\n" for key, value in (FLOW | flow).items())
                   + "</IO_Flow_Parameter_Set_Synthetic>\n" for flow in flows)
    return f"<MQSim_IO_Scenarios>\n<IO_Scenario>\n{text}</IO_Scenario>\n</MQSim_IO_Scenarios>\n"


FLOW = {"Device_Level_Data_Caching_Mode": "TURNED_OFF", "Initial_Occupancy_Percentage": 100, "Working_Set_Percentage": 100,
        "Synthetic_Generator_Type": "QUEUE_DEPTH",
        "Read_Percentage": 100, "Address_Distribution": "RANDOM_UNIFORM", "Request_Size_Distribution": "FIXED", "Average_Request_Size": 8,
        "Seed": 798,
        "Generated_Aligned_Addresses": "true", "Address_Alignment_Unit": 8, "Average_No_of_Reqs_in_Queue": 1, "Stop_Time": 0,
        "Total_Requests_To_Generate": 50}

HEADER = """\
#define TYPE_CONV 1
#define MODE_MLC 2
/* #if (BASE_SSD == GONE) */
#if (BASE_SSD == SIMPLE)
#define NS_SSD_TYPE_0 0
#elif (BASE_SSD == DRIVE)
#define NS_SSD_TYPE_0 TYPE_CONV
#define CELL_MODE (MODE_MLC)
#define SSD_PARTITIONS (2)
#define NAND_CHANNELS (4)
#define LUNS_PER_NAND_CH (2) // dies
#define FLASH_PAGE_SIZE KB(16)
#if 0
#define ONESHOT_PAGE_SIZE (FLASH_PAGE_SIZE * 3)
#else
#define ONESHOT_PAGE_SIZE (FLASH_PAGE_SIZE * 2)
#endif
#define BLKS_PER_PLN (256)
#define BLK_SIZE (0)
#define NAND_CHANNEL_BANDWIDTH (800ull) //MB/s
#define PCIE_BANDWIDTH (3360ull)
#define NAND_4KB_READ_LATENCY_LSB (35760 - 6000)
#define NAND_4KB_READ_LATENCY_MSB (35760 + 6000)
#define NAND_READ_LATENCY_LSB (40000)
#define NAND_PROG_LATENCY (185000)
#define NAND_ERASE_LATENCY (0)
#define FW_4KB_READ_LATENCY (21500)
#define FW_WBUF_LATENCY0 (4000)
#define FW_WBUF_LATENCY1 (460)
#define FW_CH_XFER_LATENCY (0)
#define OP_AREA_PERCENT (0.07)
#define GLOBAL_WB_SIZE (NAND_CHANNELS * LUNS_PER_NAND_CH * ONESHOT_PAGE_SIZE * 2)
#define WRITE_EARLY_COMPLETION 1
#define MDTS (6)
#elif (BASE_SSD == ZONES)
#define NS_SSD_TYPE_0 2
#define CELL_MODE 3
#define NAND_CHANNELS 2
#define LUNS_PER_NAND_CH 2
#define FLASH_PAGE_SIZE KB(32)
#define ONESHOT_PAGE_SIZE (FLASH_PAGE_SIZE * 3)
#define DIES_PER_ZONE (NAND_CHANNELS * LUNS_PER_NAND_CH)
#define ZONE_SIZE MB(16)
#define BLKS_PER_PLN 0
#define BLK_SIZE (ZONE_SIZE / DIES_PER_ZONE)
#define NAND_CHANNEL_BANDWIDTH (450ull)
#define PCIE_BANDWIDTH 3050
#define NAND_4KB_READ_LATENCY_LSB 50000
#define NAND_4KB_READ_LATENCY_MSB 50000
#define NAND_4KB_READ_LATENCY_CSB 50000
#define NAND_PROG_LATENCY 561000
#define NAND_ERASE_LATENCY 0
#define FW_4KB_READ_LATENCY 20000
#define FW_WBUF_LATENCY0 5600
#define FW_WBUF_LATENCY1 600
#define FW_CH_XFER_LATENCY (413)
#define OP_AREA_PERCENT 0
#define ZONE_WB_SIZE (10 * ONESHOT_PAGE_SIZE)
#define GLOBAL_WB_SIZE 0
#define WRITE_EARLY_COMPLETION 1
#endif
"""

SIMPLE_SSD = """\
[nvme]
PCIEGeneration = 2
PCIELane = 4
LBASize = 4096
WorkInterval = 1000000  # 1us
[pal]
Channel = 6
Package = 10
Die = 1
Plane = 2
Block = 512
Page = 512
PageSize = 16384
EnableMultiPlaneOperation = 1
NANDType = 1
LSBRead = 60812500
LSBWrite = 1160310000
MSBRead = 107810000
MSBWrite = 2625000000
Erase = 3000000000
DMASpeed = 333
SuperblockSize = C
[ftl]
OverProvisioningRatio = 0.22265625
GCThreshold = 0.05
Warmup = 1.0
[icl]
CacheSize = 536870912
EnableReadCache = 1
EnableReadPrefetch = 1
[dram]
BusWidth = 32
"""


class ImportCase(PackageCase):
    def write(self, name, text):
        path = self.scratch / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def imported(self, kind, *source, **options):
        """(device, table): the device as TOML reads it, keys with their tables; the model has taken it."""
        out = self.scratch / "out.toml"
        with contextlib.redirect_stderr(io.StringIO()) as said_there:
            carry_out(kind, source, str(out), **options)
        self.text = out.read_text(encoding="utf-8")
        return tomllib.loads(self.text), said_there.getvalue()

    def refused(self, kind, *source, says, **options):
        """Nothing is written, and the message says where."""
        out = self.scratch / "refused.toml"
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(BadInput) as caught:
            carry_out(kind, source, str(out), **options)
        self.assertIn(says, str(caught.exception))
        self.assertEqual([path.name for path in self.scratch.iterdir() if "refused" in path.name], [])

    def holds(self, device, expected):
        for key, value in expected.items():
            found = device
            for part in key.split("."):
                found = found[part]
            self.assertEqual(found, value, key)


class MqSim(ImportCase):
    def test_by_hand(self):
        device, told = self.imported("mqsim", self.write("ssdconfig.xml", ssd_config(Made_Up="7")))
        self.holds(device, {
            "link.generation": 3, "link.lanes": 4, "link.max_payload": "128 B", "link.packet_overhead": "26 B",  # 156 B x 3.938 / 4 - 128 B
            "nand.channels": 8, "nand.ways": 4, "nand.dies": 2, "nand.planes": 2, "nand.read_time": "75 us", "nand.transfer_rate": "333 MT/s",
            "ftl.over_provisioning": 0.0752688,                                  # 0.07 / 0.93
            "ftl.kind": {"name": "dftl", "cmt_size": "1864128 B"},               # 2 MiB / ceil((2 x 26 + 16) / 8 B), of 8 B
            "ftl.gc_high": 203, "ftl.gc_low": 202,                               # (0.05 x 2048 - 1) x 2 planes
            "ftl.garbage_collection": {"name": "d_choices", "d": 11},            # log2(2048)
            "ftl.wear_leveling": {"name": "static", "threshold": 100}, "nand.erase_suspend": True, "nand.program_suspend": False,
            "dram.bandwidth": "6400000000 B/s", "dram.read_latency": "26 ns", "precondition.fill": 1})
        for line in self.text.splitlines():
            self.assertTrue(not line or line.startswith(("#", "[", "name", "description")) or "  # " in line, line)
        self.assertRegex(told, r"Made_Up +7 +unknown")
        self.assertIn("warning: Made_Up = 7", told)
        self.assertIn("Block_PE_Cycles_Limit", told)

    def test_page_types_and_defaults(self):
        config = ssd_config(Flash_Technology="TLC", Page_Read_Latency_CSB="80000", Page_Program_Latency_CSB="750000",
                            Ideal_Mapping_Table="true").replace(
            "<Overprovisioning_Ratio>0.07</Overprovisioning_Ratio>", "")
        device, told = self.imported("mqsim", self.write("a.xml", config))
        self.holds(device, {"nand.read_time": ["75 us", "80 us", "75 us"], "nand.program_time": "750 us", "ftl.kind": "page_map",
                            "ftl.over_provisioning": 0.0204082})
        self.assertRegex(told, r"Overprovisioning_Ratio +0.02 \(default\) +converted")

    def test_a_bus_that_counts_whole_nanoseconds_is_said(self):
        for rate, warned in (("333", False), ("400", True), ("1000", False), ("1200", True)):
            told = self.imported("mqsim", self.write("a.xml", ssd_config(Channel_Transfer_Rate=rate)))[1]
            self.assertEqual("warning: Channel_Transfer_Rate" in told, warned, rate)

    def test_sata(self):
        device, _ = self.imported("mqsim", self.write("a.xml", ssd_config(HostInterface_Type="SATA")))
        self.holds(device, {"link.kind": "sata", "host_interface.kind": "sata", "host_interface.queue_depth": 32, "host.submit_latency": "400 us"})

    def test_one_request_takes_what_it_takes_there(self):
        """MQSim's figures for this device: 55.714 us (read), 605.77 us (write)."""
        config = self.write("a.xml", ssd_config(
            Flash_Technology="SLC", Page_Read_Latency_LSB="50000", Page_Program_Latency_LSB="600000", Channel_Transfer_Rate="1000",
            Chip_No_Per_Channel="2",
            Die_No_Per_Chip="1", Plane_No_Per_Die="1", Block_No_Per_Plane="256", Page_No_Per_Block="64", Page_Capacity="4096",
            Data_Cache_Capacity="1048576",
            Ideal_Mapping_Table="true", Overprovisioning_Ratio="0.15"))
        for reads, expected in ((100, 55.714), (0, 605.77)):
            device = self.scratch / "device.toml"
            job = self.scratch / "flows.fio"
            with contextlib.redirect_stderr(io.StringIO()):
                carry_out("mqsim", [config, self.write("w.xml", workload({"Read_Percentage": reads}))], str(device), str(job))
            said("run", str(device), "--job", str(job), "--out", str(self.scratch / "result"))
            result = json.loads((self.scratch / "result/result.json").read_text(encoding="utf-8"))
            latency = result["host"]["read" if reads else "write"]["latency_ns"]
            self.assertEqual(result["host"]["read" if reads else "write"]["ios"], 50)
            self.assertAlmostEqual(latency["mean"] / 1e3, expected, delta=0.001 * expected)  # the model's link counts whole bytes of overhead

    def test_flows_by_hand(self):
        path = self.write("w.xml", workload({"Read_Percentage": 70, "Address_Distribution": "HOTCOLD_RANDOM", "Percentage_of_Hot_Region": 20,
                                             "Stop_Time": 5000000},
                                            {"Address_Distribution": "STREAMING", "Working_Set_Percentage": 60, "Made_Up": 1}))
        job = self.scratch / "flows.fio"
        device, told = self.imported("mqsim", self.write("a.xml", ssd_config()), path, job=str(job))
        self.holds(device, {"host.queues": 2, "host_interface.commands": 1024, "buffer.mode": "write_through", "precondition.fill": 1})
        options = [line.split("  #")[0] for line in job.read_text(encoding="utf-8").splitlines()]
        first, second = options[options.index("[flow1]"):options.index("[flow2]")], options[options.index("[flow2]"):]
        for option in ("rw=randrw", "rwmixread=70", "random_distribution=zoned:80/20:20/80", "bs=4096", "offset=0%", "size=50%", "runtime=5000us",
                       "time_based=1"):
            self.assertIn(option, first)
        for option in ("rw=read", "offset=50%", "size=30%", "io_size=204800", "iodepth=1"):
            self.assertIn(option, second)
        self.assertIn("flow 2: Made_Up", told)
        said("workload", str(job), "--device-size", "1GiB")

    def test_traces(self):
        text = workload({}).replace("Synthetic>", "Trace_Based>").replace("<Seed>",
                                                                          "<File_Path>traces\\tpcc.trace</File_Path><Time_Unit>NANOSECOND</Time_Unit><Relay_Count>2</Relay_Count><Seed>")
        told = self.imported("mqsim", self.write("a.xml", ssd_config()), self.write("w.xml", text))[1]
        self.assertIn("--trace traces/tpcc.trace,format=mqsim,time_unit=ns", told)
        self.assertIn("warning: Relay_Count = 2", told)

    def test_what_cannot_be_read(self):
        good = self.write("good.xml", ssd_config())
        for text, says in ((ssd_config(PCIe_Lane_Bandwidth="fast"), 'a.xml:3: PCIe_Lane_Bandwidth: "fast" is no number'),
                           (ssd_config(PCIe_Lane_Count="0"), "a.xml:4: PCIe_Lane_Count: 0 is out of range"),
                           (ssd_config(Flash_Technology="XLC"), "valid: SLC, MLC, TLC, QLC"),
                           (ssd_config(Plane_Allocation_Scheme="CWDD"), "is no order of C, W, D, P"),
                           (ssd_config(Address_Mapping="HYBRID"), "Address_Mapping"),
                           (ssd_config(Page_Capacity="8193"), "makes a device that the model refuses: nand.page_size"),
                           ("<a>\n<b>1</b>\n</c>", "a.xml:3: is no XML"), ("", "a.xml:1: is no XML"), (workload({}), "workload.xml comes second")):
            self.refused("mqsim", self.write("a.xml", text), says=says)
        self.refused("mqsim", str(self.scratch / "none.xml"), says="none.xml: No such file")
        for text, says in ((ssd_config(), "is not <MQSim_IO_Scenarios>"),
                           (workload({"Read_Percentage": 101}), "Read_Percentage: 101 is out of range"),
                           (workload(), "has no <IO_Scenario>")):
            self.refused("mqsim", good, self.write("w.xml", text), says=says)
        self.refused("mqsim", good, says="--job: needs workload.xml", job=str(self.scratch / "refused.fio"))

    def test_links_of_any_rate_move_data_as_fast(self):
        for rate in (0.1e9, 0.4e9, 1e9, 3.2e9, 4e9, 7.88e9, 8e9, 60e9):
            link = link_of(rate, 4, 128, 156)
            there, here = 156 / rate, (128 + link.overhead) / (LANE_RATE[link.generation] * link.lanes)
            self.assertAlmostEqual(here / there, 1, delta=0.004)


class SimpleSsd(ImportCase):
    def test_by_hand(self):
        device, told = self.imported("simplessd", self.write("a.cfg", SIMPLE_SSD))
        self.holds(device, {
            "link.generation": 3, "link.lanes": 4, "host_interface.sector_size": "4 KiB", "nand.channels": 6, "nand.ways": 10, "nand.planes": 2,
            "nand.read_time": ["60.8125 us", "107.81 us"], "nand.program_time": ["1.16031 ms", "2.625 ms"], "nand.erase_time": "3 ms",
            "nand.multi_plane_program": True,
            "ftl.over_provisioning": 0.286432, "ftl.gc_unit": "superblock", "ftl.superblock_dies": 6,  # 0.22265625 / 0.77734375
            "ftl.gc_low": 25, "ftl.gc_high": 26, "precondition.fill": 1,                              # 0.05 x 512
            "buffer.read_ahead": "1920 KiB", "dram.bandwidth": "6400000000 B/s"})                       # 120 pages; 32 bit x 2 / 1.25 ns
        self.assertIn("warning: nvme.WorkInterval", told)

    def test_no_room_is_made_and_said(self):
        small = SIMPLE_SSD.replace("Block = 512", "Block = 16").replace("0.22265625", "0.1")
        device, told = self.imported("simplessd", self.write("a.cfg", small))
        self.assertGreater(device["ftl"]["over_provisioning"], 0.1112)
        self.assertIn("so that garbage collection has room", told)

    def test_what_cannot_be_read(self):
        for text, says in ((SIMPLE_SSD.replace("Channel = 6", "Channel = six"), 'a.cfg:7: pal.Channel: "six" is no number'),
                           (SIMPLE_SSD.replace("NANDType = 1", "NANDType = 7"), 'pal.NANDType: "7"; valid: 0, 1, 2'),
                           (SIMPLE_SSD.replace("Channel = 6\n", ""), "pal.Channel: is missing"),
                           (SIMPLE_SSD.replace("SuperblockSize = C", "SuperblockSize = X"), '"X" is none of C, W, D, P'),
                           ("[pal]\nChannel\n", "a.cfg:2:"),
                           ("[ssd]\nNumChannel = 8\n", "[ssd] is of SimpleSSD 1"), ("[global]\nMode = 1\n", "not the drive"),
                           ("<simplessd/>", "2.1 or 3")):
            self.refused("simplessd", self.write("a.cfg", text), says=says)


class NvmeVirt(ImportCase):
    def test_by_hand(self):
        device, told = self.imported("nvmevirt", self.write("a.h", HEADER), "DRIVE", capacity="4 GiB")
        self.holds(device, {
            "nand.channels": 4, "nand.ways": 2, "nand.page_size": "16 KiB", "nand.pages_per_program": 2,
            "nand.blocks": 256, "nand.pages": 128,                    # 4 GiB / (256 x 8 dies) = 2 MiB
            "nand.read_time": ["29.76 us", "41.76 us"], "nand.transfer_rate": "838.8608 MT/s", "nand.erase_time": "1 ps",  # 800 x 2^20
            "controller.read_latency": "21.5 us", "controller.write_latency": "4.46 us", "nvme.max_transfer": "256 KiB",
            "ftl.over_provisioning": 0.07, "ftl.superblock_dies": 4, "ftl.gc_low": 2, "buffer.size": "512 KiB", "buffer.mode": "write_back"})
        self.assertIn("warning: NAND_READ_LATENCY_LSB", told)

    def test_zones(self):
        device, told = self.imported("nvmevirt", self.write("a.h", HEADER), "ZONES", capacity="1 GiB")
        self.holds(device, {"ftl.kind": {"name": "zoned", "zone_size": "16 MiB", "zone_capacity": "16128 KiB", "dies": 4},  # 42 programs of 96 KiB a die
                            "nand.blocks": 66, "nand.pages": 126, "ftl.logical_size": "1 GiB", "host_interface.sector_size": "4 KiB"})
        self.assertAlmostEqual(float(device["nand"]["transfer_rate"].split()[0]), 4096 / (4096 / (450 * 2**20) + 413e-9) / 1e6, places=4)
        self.assertIn("warning: ZONE_WB_SIZE", told)

    def test_what_cannot_be_read(self):
        header = self.write("a.h", HEADER)
        for name, says, options in (("SIMPLE", "SIMPLE has no flash", {}), ("GONE", "valid: SIMPLE, DRIVE, ZONES", {}),
                                    ("DRIVE", "valid: more than", {"capacity": "64 MiB"}),
                                    ("DRIVE", '--capacity: "much" is no size', {"capacity": "much"})):
            self.refused("nvmevirt", header, name, says=says, **options)
        for old, new, says in (("(4000)", "(4000 +)", "b.h:28: FW_WBUF_LATENCY0"), ("#define MDTS (6)", "#define MDTS sizeof(int)", "b.h:34: MDTS"),
                               ("SSD_PARTITIONS (2)", "SSD_PARTITIONS (3)", "b.h:9: SSD_PARTITIONS: does not divide the 8 dies"),
                               ("(800ull)", "(MDTS2)", "b.h:20: NAND_CHANNEL_BANDWIDTH: 0 is out of range")):
            self.refused("nvmevirt", self.write("b.h", HEADER.replace(old, new)), "DRIVE", says=says)
        self.refused("nvmevirt", header, says="takes ssd_config.h and the name of a model")


class Femu(ImportCase):
    def test_by_hand(self):
        device, _ = self.imported("femu", "-device femu,devsz_mb=12288,femu_mode=1,pg_rd_lat=45000,ch_xfer_lat=10240,id=nvme0")
        self.holds(device, {
            "nand.channels": 8, "nand.ways": 8, "nand.blocks": 256, "nand.pages": 256, "nand.page_size": "4 KiB", "ftl.logical_size": "12 GiB",
            "nand.read_time": "45 us",
            "nand.transfer_rate": "400 MT/s", "link.kind": "ideal", "cpu.model": "ideal", "ftl.gc_unit": "superblock", "ftl.gc_low": 12,
            "ftl.gc_high": 13,  # 0.05 x 256; 4 KiB / 10.24 us
            "buffer.mode": "write_through"})

    def test_over_provisioning_firmware_and_link(self):
        device, _ = self.imported("femu", "femu,femu_mode=1,op_pcent=25,fw_cpu_ns=2000,pcie_bandwidth_mbps=2000,buffer_size=256,gc_policy=d-choice,nand_cell_type=3")
        self.holds(device, {"ftl.over_provisioning": 0.25, "cpu.cycles.command_parse": 2000, "cpu.clock": "1 GHz", "buffer.size": "1 MiB",
                            "buffer.mode": "write_back",
                            "ftl.garbage_collection": {"name": "d_choices", "d": 4}, "nand.read_time": ["56.5 us", "77.5 us", "106 us"],
                            "link.packet_overhead": "0 B"})

    def test_scripts(self):
        script = self.write("run.sh", textwrap.dedent("""\
            IMG=${IMG:-$HOME/images}
            size=4096 # MB
            OPTIONS="-device femu"
            OPTIONS=${OPTIONS}",devsz_mb=${size}"
            OPTIONS=${OPTIONS}",femu_mode=3,zns_num_ch=4"
            qemu -drive file=$IMG/a \\
                ${OPTIONS} -nographic
            """))
        device, _ = self.imported("femu", script)
        self.holds(device, {"nand.channels": 4, "ftl.kind.name": "zoned", "ftl.kind.zone_size": "256 MiB",
                            "ftl.logical_size": "4 GiB"})  # 32 / 2 zones
        self.refused("femu", self.write("none.sh", "qemu -device nvme\n"), says="has no -device femu")
        self.refused("femu", self.write("bad.sh", "a=1\nqemu -device femu,femu_mode=9\n"), says='bad.sh:2: femu_mode: "9"')

    def test_what_cannot_be_read(self):
        for text, says in (("femu,devsz_mb=1024", "femu_mode: 2 (FEMU's default) is NoSSD"), ("femu,femu_mode=0", "OCSSD"),
                           ("femu,femu_mode=1,nchs=many", 'nchs: "many" is no number'),
                           ("femu,femu_mode=1,oops", '"oops" is no KEY=VALUE'), ("femu,femu_mode=1,mapping=magic", "mapping"),
                           ("femu,femu_mode=3,zns_flash_type=2", "MLC and PLC need")):
            self.refused("femu", text, says=says)
        self.assertIn("gc_stratgy", self.imported("femu", "femu,femu_mode=1,op_pcent=25,gc_stratgy=1")[1])


class Fio(ImportCase):
    def job(self, line):
        out = self.scratch / "job.fio"
        with contextlib.redirect_stderr(io.StringIO()) as told:
            carry_out("fio", [line], str(out))
        said("workload", str(out), "--device-size", "1GiB")
        return [text.split("  #")[0] for text in out.read_text(encoding="utf-8").splitlines() if text and not text.startswith("#")], told.getvalue()

    def test_command_lines(self):
        for line, expected in (
                ("fio --name=x --rw=randread --bs=4k --size=1M", ["[x]", "rw=randread", "bs=4k", "size=1M"]),
                ("sudo A=1 taskset -c 0 /usr/bin/fio -rw randread --size 1M --name='my job' --name two -bs=8k | tee log",
                 ["[global]", "rw=randread", "size=1M", "[my job]", "[two]", "bs=8k"]),
                ("--norandommap --name=x \\\n --rw=\"randwrite\" --size=1M --group_reporting 2>&1",
                 ["[global]", "norandommap", "[x]", "rw=randwrite", "size=1M", "group_reporting"]),
                ("fio --name=x --output=a.json --minimal --rw=read --size=1M --eta never", ["[x]", "rw=read", "size=1M"]),
                ("fio --name=a --rw=read --size=1M --name=global --bs=8k --name=b --rw=write --size=1M",
                 ["[a]", "rw=read", "size=1M", "[global]", "bs=8k", "[b]", "rw=write", "size=1M"])):
            self.assertEqual(self.job(line)[0], expected, line)

    def test_what_has_no_effect_is_said(self):
        told = self.job("fio --name=x --rw=read --size=1M --thread --output=a")[1]
        self.assertRegex(told, r"--thread +left out +inert")
        self.assertRegex(told, r"--output +a +left out")

    def test_what_cannot_be_read(self):
        for line, says in (("fio job.fio", '"job.fio" is no option'), ("fio --rw=read", "has no --name"), ("dd if=x", "has no fio"),
                           ("fio --name=x --bs=$BS", '"$BS"'),
                           ("fio --name=x --iodept=3", "did you mean iodepth?"), ("fio --name=x --rw", "--rw: has no value"),
                           ("fio --name='x", "no closing quotation"),
                           ("fio --name=", "is no name of a job"), ("fio --name=x --description='a;b'", "a job file cannot have")):
            self.refused("fio", line, says=says)
        self.refused("fio", "fio", "--name=x", says="put it in quotes")

    def test_the_shell_ends_the_command(self):
        for line, words in (("fio -a=1 && echo b", ["-a=1"]), ("fio -a=1 > log 2>&1", ["-a=1"]), ("fio -a='b c' -d; fio -e=1", ["-a=b c", "-d"]),
                            ("fio-3.36 -a=x:y,z/w", ["-a=x:y,z/w"])):
            self.assertEqual(words_of(line), words)


class Command(ImportCase):
    def test_words(self):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(main(["--", "fio", "--name=x --rw=read --size=1M"]), 0)
            self.assertEqual(main(["--", "mqsm", "a"]), 2)
        self.assertIn("[x]\nrw=read  # --rw", out.getvalue())
        self.assertIn('import: "mqsm"; did you mean mqsim?', told.getvalue())
        self.refused("simplessd", "a", says="--capacity: is for nvmevirt alone", capacity="1 GiB")
        self.refused("femu", "a", says="--job: is for mqsim alone", job="b")
