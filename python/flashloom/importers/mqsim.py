"""MQSim's ssdconfig.xml (CMU-SAFARI/MQSim, src/exec) as a device file.

What no key says is in its code: PCIe packets of 128 B with 28 B around them (host/PCIe_Link.h), ONFI timings
(ssd/ONFI_Channel_NVDDR2.h), entries of the map cache (ssd/Address_Mapping_Unit_Page_Level.cpp), thresholds of garbage
collection (ssd/GC_and_WL_Unit_Base.cpp), time of the data cache (ssd/Data_Cache_Manager_Base.h)."""
import math

from ..errors import BadInput
from .draft import Draft, link_of, rate, room_for_gc, size, some_time, time, times, transfers
from .mqsim_workload import Workload
from .mqsim_xml import parse
from .source import Source, read_text

# What MQSim takes for a key that its file does not have (src/exec/*_Parameter_Set.cpp).
DEFAULTS = {
    "PCIe_Lane_Bandwidth": "0.4", "PCIe_Lane_Count": "4", "SATA_Processing_Delay": "400000", "Seed": "123",
    "Enabled_Preconditioning": "true", "Memory_Type": "FLASH", "HostInterface_Type": "NVME", "IO_Queue_Depth": "1024",
    "Queue_Fetch_Size": "512", "Data_Cache_Sharing_Mode": "SHARED", "Data_Cache_Capacity": "536870912",
    "Data_Cache_DRAM_Row_Size": "8192", "Data_Cache_DRAM_Data_Rate": "800", "Data_Cache_DRAM_Data_Busrt_Size": "4",
    "Data_Cache_DRAM_tRCD": "13", "Data_Cache_DRAM_tCL": "13", "Data_Cache_DRAM_tRP": "13", "Address_Mapping": "PAGE_LEVEL",
    "Ideal_Mapping_Table": "false", "CMT_Capacity": "2097152", "CMT_Sharing_Mode": "SHARED", "Plane_Allocation_Scheme": "CWDP",
    "Transaction_Scheduling_Policy": "OUT_OF_ORDER", "Overprovisioning_Ratio": "0.02", "GC_Exec_Threshold": "0.05",
    "GC_Block_Selection_Policy": "RGA", "Use_Copyback_for_GC": "true", "Preemptible_GC_Enabled": "true",
    "GC_Hard_Threshold": "0.005", "Dynamic_Wearleveling_Enabled": "true", "Static_Wearleveling_Enabled": "true",
    "Static_Wearleveling_Threshold": "100", "Preferred_suspend_erase_time_for_read": "700000",
    "Preferred_suspend_erase_time_for_write": "700000", "Preferred_suspend_write_time_for_read": "100000",
    "Flash_Channel_Count": "8", "Flash_Channel_Width": "1", "Channel_Transfer_Rate": "300", "Chip_No_Per_Channel": "4",
    "Flash_Comm_Protocol": "NVDDR2", "Flash_Technology": "MLC", "CMD_Suspension_Support": "ERASE",
    "Page_Read_Latency_LSB": "75000", "Page_Read_Latency_CSB": "75000", "Page_Read_Latency_MSB": "75000",
    "Page_Program_Latency_LSB": "750000", "Page_Program_Latency_CSB": "75000", "Page_Program_Latency_MSB": "750000",
    "Block_Erase_Latency": "3800000", "Block_PE_Cycles_Limit": "10000", "Suspend_Erase_Time": "700000",
    "Suspend_Program_Time": "100000", "Die_No_Per_Chip": "2", "Plane_No_Per_Die": "2", "Block_No_Per_Plane": "2048",
    "Page_No_Per_Block": "256", "Page_Capacity": "8192", "Page_Metadat_Capacity": "448",
}
PAGE_TYPES = {"SLC": ("LSB",), "MLC": ("LSB", "MSB"), "TLC": ("LSB", "CSB", "MSB"), "QLC": ("LSB", "CSB", "MSB", "WSB")}
NO_EFFECT = {
    "Enable_ResponseTime_Logging": "a log: flashloom run --io-log", "ResponseTime_Logging_Period_Length": "a log",
    "Memory_Type": "flash is what there is", "Caching_Mechanism": "one data buffer", "Data_Cache_DRAM_Row_Size": "dram.model = flat has no rows",
}


def read_mqsim(path: str, workload: Workload | None) -> Draft:
    """Throws BadInput."""
    root = parse(path, read_text(path))
    if root.name != "Execution_Parameter_Set":
        raise BadInput(f"{path}:{root.line}: <{root.name}> is not <Execution_Parameter_Set>"
                       + ("; workload.xml comes second" if root.name == "MQSim_IO_Scenarios" else ""))
    source = Source(path, root.all_leaves(), DEFAULTS)
    draft = Draft(source, "MQSim")
    draft.take("Seed", "seed", source.count("Seed"))
    host(draft, workload)
    nand(draft)
    ftl(draft, workload)
    memory(draft, workload)
    for key, reason in NO_EFFECT.items():
        if key in source:
            draft.leave(key, reason)
    draft.finish()
    return draft


def host(draft: Draft, workload: Workload | None) -> None:
    source = draft.source
    flows = len(workload.flows) if workload else 1
    lane_rate, lanes = source.number("PCIe_Lane_Bandwidth", 1e-3, 1e3), source.count("PCIe_Lane_Count", 1, 1024)
    keys = ["PCIe_Lane_Bandwidth", "PCIe_Lane_Count"]
    if source.choice("HostInterface_Type", {"NVME": False, "SATA": True}):
        draft.take("HostInterface_Type", "link.kind", "sata")
        draft.take("HostInterface_Type", "host_interface.kind", "sata")
        draft.convert("IO_Queue_Depth", "host_interface.queue_depth", min(source.count("IO_Queue_Depth", 1), 32), "at most the 32 tags of NCQ")
        for key in keys:
            draft.leave(key, "MQSim puts SATA behind PCIe; here the link is SATA's", True)
        draft.take("SATA_Processing_Delay", "host.submit_latency", time(source.number("SATA_Processing_Delay")))
        draft.leave("Queue_Fetch_Size", "of NVMe")
    else:
        link = link_of(lane_rate * lanes * 1e9, lanes, 128, 156)
        draft.take("HostInterface_Type", "host_interface.kind", "nvme")
        if workload:
            draft.assume("host.queues", flows, f"a queue for each of the {flows} flows of {workload.name}")
        draft.assume("link.kind", "pcie", "as all its hosts")
        formula = f"the link whose packets of 128 + 28 B, as MQSim has them, take as long as at {lane_rate:g} GB/s x {lanes}"
        draft.convert(keys, "link.generation", link.generation, formula)
        draft.convert(keys, "link.lanes", link.lanes, "the same")
        draft.convert(keys, "link.packet_overhead", f"{link.overhead} B", "the same")
        draft.assume("link.max_payload", "128 B", "PCIe_Link.h")
        draft.assume("link.latency", "0 s", "links take no time but for bytes")
        draft.take("IO_Queue_Depth", "host_interface.queue_depth", source.count("IO_Queue_Depth", 1, 65536))
        draft.convert("Queue_Fetch_Size", "host_interface.commands", min(source.count("Queue_Fetch_Size", 1) * flows, 2**20), "x flows")
        if "SATA_Processing_Delay" in source:
            draft.leave("SATA_Processing_Delay", "of SATA")
    draft.assume("cpu.model", "ideal", "has no processor")


def nand(draft: Draft) -> None:
    source = draft.source
    for key, target, most in (("Flash_Channel_Count", "channels", 256), ("Chip_No_Per_Channel", "ways", 256), ("Die_No_Per_Chip", "dies", 64),
                              ("Plane_No_Per_Die", "planes", 16), ("Block_No_Per_Plane", "blocks", 2**20), ("Page_No_Per_Block", "pages", 2**16)):
        draft.take(key, f"nand.{target}", source.count(key, 1, most))
    page = source.count("Page_Capacity", 512, 2**20)
    draft.take("Page_Capacity", "nand.page_size", size(page))
    draft.take("Page_Metadat_Capacity", "nand.spare_size", size(source.count("Page_Metadat_Capacity", 0, 2**18)))
    types = source.choice("Flash_Technology", PAGE_TYPES)
    for action, target in (("Read", "nand.read_time"), ("Program", "nand.program_time")):
        keys = [f"Page_{action}_Latency_{kind}" for kind in types]
        draft.convert("Flash_Technology", target, times([source.number(key) for key in keys]), f"the times of {', '.join(types)}")
        for key in keys:
            draft.take(key, target, draft.keys[target][0])
        draft.keys[target] = (draft.keys[target][0], ", ".join(keys))
        for key in source.given:
            if key.startswith(f"Page_{action}_Latency_") and key not in keys:
                draft.leave(key, f"{source.text('Flash_Technology')} has no such page")
    draft.take("Block_Erase_Latency", "nand.erase_time", some_time(source.number("Block_Erase_Latency")))
    bus(draft)
    mode = source.choice("CMD_Suspension_Support", {"NONE": (False, False), "PROGRAM": (True, False), "ERASE": (False, True),
                                                    "PROGRAM_ERASE": (True, True)})
    draft.take("CMD_Suspension_Support", "nand.program_suspend", mode[0])
    draft.take("CMD_Suspension_Support", "nand.erase_suspend", mode[1])
    draft.take("Suspend_Program_Time", "nand.program_suspend_time", time(source.number("Suspend_Program_Time")))
    draft.take("Suspend_Erase_Time", "nand.erase_suspend_time", time(source.number("Suspend_Erase_Time")))
    for key in ("Preferred_suspend_erase_time_for_read", "Preferred_suspend_erase_time_for_write", "Preferred_suspend_write_time_for_read"):
        draft.leave(key, "here what would end before it is suspended is not suspended, and writes suspend nothing")
    draft.leave("Block_PE_Cycles_Limit", "MQSim keeps the number and never uses it; nand.endurance")
    draft.assume("nand.ecc.frame", "512 B", "the bus moves the sectors that are asked for")
    draft.assume("nand.ecc.codeword", "512 B", "follows nand.ecc.frame")


def bus(draft: Draft) -> None:
    source = draft.source
    nominal = source.number("Channel_Transfer_Rate", 1, 4800)
    draft.take("Channel_Transfer_Rate", "nand.transfer_rate", transfers(nominal * 1e6))
    whole = int(1000 / nominal)
    if abs(whole * nominal / 1000 - 1) > 0.01:
        draft.leave("Channel_Transfer_Rate", f"MQSim counts {whole} ns a transfer, whole ones: "
                    + (f"its bus has {1000 / whole:.6g} MT/s" if whole else "its data take no time"), True)
    draft.take("Flash_Channel_Width", "nand.bus_width", source.choice("Flash_Channel_Width", {"1": 8, "2": 16}))
    source.choice("Flash_Comm_Protocol", {"NVDDR2": True})
    for target, value, formula in (
            ("command_cycle", "29 ns", "with the cycles a read takes tCS + 6 tWC + tWB + tRR = 290 ns"), ("read_cycles", 10, "x 29 ns = 290 ns"),
            ("program_cycles", 10, "with data_in_setup tCS + 6 tWC + tADL + tWPST + tWPSTH + tWB = 361 ns"),
            ("data_in_setup", "71 ns", "361 ns - 290 ns"),
            ("erase_cycles", 8, "tCS + 4 tWC + tWB = 220 ns, here 232"), ("data_out_setup", "30 ns", "tRPRE + tDQSRE")):
        draft.convert("Flash_Comm_Protocol", f"nand.{target}", value, formula)


def ftl(draft: Draft, workload: Workload | None) -> None:
    source = draft.source
    page, planes, blocks = source.count("Page_Capacity"), source.count("Plane_No_Per_Die"), source.count("Block_No_Per_Plane")
    unit = source.count("Mapping_Unit", 512, page) if "Mapping_Unit" in source else page
    if page % unit:
        source.fail("Mapping_Unit", f"does not divide Page_Capacity, {page}")
    source.choice("Address_Mapping", {"PAGE_LEVEL": True})
    if unit == page:
        draft.take("Address_Mapping", "ftl.mapping_unit", size(page))
    else:
        draft.leave("Address_Mapping", "see Mapping_Unit")
        draft.take("Mapping_Unit", "ftl.mapping_unit", size(unit))
    spare = source.number("Overprovisioning_Ratio", 0.0, 0.95)
    over = max(spare / (1 - spare), 0.001)
    draft.convert("Overprovisioning_Ratio", "ftl.over_provisioning", float(f"{over:.6g}"), "r / (1 - r): of raw there, of logical here")
    dies = source.count("Die_No_Per_Chip") * source.count("Chip_No_Per_Channel") * source.count("Flash_Channel_Count")
    pages = blocks * source.count("Page_No_Per_Block") * planes * dies
    table = map_cache(draft, pages, unit, over)
    draft.assume("dram.size", size(1 << max(24, (source.count("Data_Cache_Capacity", 0, 2**40) + table + 2**24).bit_length())),
                 "room for the data cache and the map")
    policy, ranks = source.choice("Transaction_Scheduling_Policy",
                                  {"OUT_OF_ORDER": ("out_of_order", True), "PRIORITY_OUT_OF_ORDER": ("out_of_order", True),
                                   "FLIN": ("fair", False)}), {}
    if source.flag("Preemptible_GC_Enabled"):
        ranks = {"map": 0, "host_read": 1, "host_write": 2, "gc": 3, "wear": 3}
    else:
        ranks = {"map": 0, "gc": 1, "wear": 1, "host_read": 2, "host_write": 3}
    draft.convert("Transaction_Scheduling_Policy", "ftl.arbitration", {"name": policy[0]} | (ranks if policy[1] else {}),
                  "queues by origin in this order" if policy[1] else "shares of the host's jobs",
                  source.text("Transaction_Scheduling_Policy") != "OUT_OF_ORDER")
    draft.convert("Preemptible_GC_Enabled", "ftl.arbitration", draft.keys["ftl.arbitration"][0], "true: GC behind the host's commands, false: ahead")
    if source.text("Plane_Allocation_Scheme").upper() == "F":
        draft.convert("Plane_Allocation_Scheme", "ftl.placement", "least_loaded", "fully dynamic")
    else:
        draft.take("Plane_Allocation_Scheme", "ftl.placement",
                   {"name": "static_order", "order": source.order("Plane_Allocation_Scheme"), "by": "address"})
    collection(draft, planes, blocks, 1 / (1 + over))
    wear = "static" if source.flag("Static_Wearleveling_Enabled") else "dynamic" if source.flag("Dynamic_Wearleveling_Enabled") else "none"
    threshold = source.count("Static_Wearleveling_Threshold", 0, 10**9)
    draft.take("Dynamic_Wearleveling_Enabled", "ftl.wear_leveling", wear)
    draft.take("Static_Wearleveling_Enabled", "ftl.wear_leveling", {"name": "static", "threshold": max(threshold, 1)} if wear == "static" else wear)
    if wear == "static":
        draft.take("Static_Wearleveling_Threshold", "ftl.wear_leveling", draft.keys["ftl.wear_leveling"][0])
    else:
        draft.leave("Static_Wearleveling_Threshold", "of static wear levelling, which is off")
    filled = source.flag("Enabled_Preconditioning")
    share = (workload.occupancy if workload else 1.0) if filled else 0.0
    draft.convert("Enabled_Preconditioning", "precondition.fill", share,
                  "Initial_Occupancy_Percentage of workload.xml" if workload else "all of it, without workload.xml")
    if filled:
        draft.leave("Enabled_Preconditioning", "MQSim also makes pages invalid as the workload will: precondition.steady", True)


def map_cache(draft: Draft, pages: int, unit: int, over: float) -> int:
    """The FTL; returns how many bytes of DRAM its map takes at most."""
    source = draft.source
    units = int(pages * source.count("Page_Capacity") // unit / (1 + over))
    entry = math.ceil((2 * math.log2(max(pages, 2)) + source.count("Page_Capacity") // 512) / 8)
    entries = source.count("CMT_Capacity", 1, 2**40) // entry
    sharing = source.choice("CMT_Sharing_Mode", {"SHARED": True, "EQUAL_SIZE_PARTITIONING": False})
    if source.flag("Ideal_Mapping_Table") or entries >= units:
        draft.take("Ideal_Mapping_Table", "ftl.kind", "page_map")
        for key in ("CMT_Capacity", "CMT_Sharing_Mode"):
            draft.leave(key, "of the map cache; here the whole map is in DRAM")
        return units * 8
    draft.take("Ideal_Mapping_Table", "ftl.kind", "dftl")
    draft.convert("CMT_Capacity", "ftl.kind", {"name": "dftl", "cmt_size": size(max(entries, 1) * 8)},
                  f"{entries} entries of ceil((2 log2(pages) + sectors a page) / 8) = {entry} B there, of 8 B here")
    draft.leave("CMT_Sharing_Mode", "one map cache for all" if sharing else "one map cache for all: no shares of the flows", not sharing)
    return units * 8


def collection(draft: Draft, planes: int, blocks: int, logical: float) -> None:
    source = draft.source
    free = max(int(source.number("GC_Exec_Threshold", 0, 1) * blocks), 10)
    wanted = (free - 1) * planes + 1
    high = room_for_gc(wanted, blocks * planes, logical)
    formula = f"max(r x blocks, 10) = {free} blocks of a plane, of which less starts it, x planes"
    if high < wanted:
        formula += f"; {wanted - 1} have no room in the over-provisioning"
    draft.convert("GC_Exec_Threshold", "ftl.gc_low", high - 1, formula, high < wanted)
    draft.convert("GC_Exec_Threshold", "ftl.gc_high", high, "gc_low + 1: a victim at a time")
    draft.leave("GC_Hard_Threshold", "GC here goes with the host's writes, and does not run out of blocks")
    sample = {"name": "d_choices", "d": max(int(math.log2(blocks)), 1)}
    policy = source.choice("GC_Block_Selection_Policy", {"GREEDY": "greedy", "RGA": sample, "RANDOM": "random", "RANDOM_P": "random",
                                                         "RANDOM_PP": "random", "FIFO": "fifo"})
    if policy == sample:
        draft.convert("GC_Block_Selection_Policy", "ftl.garbage_collection", policy, "RGA: fewest valid pages of log2(blocks of a plane)")
    else:
        draft.take("GC_Block_Selection_Policy", "ftl.garbage_collection", policy)
    draft.take("Use_Copyback_for_GC", "nand.copyback", source.flag("Use_Copyback_for_GC"))


def memory(draft: Draft, workload: Workload | None) -> None:
    source = draft.source
    caching = workload.caching if workload else "WRITE_CACHE"
    draft.take("Data_Cache_Capacity", "buffer.size", size(source.count("Data_Cache_Capacity", 0, 2**40)))
    why = f"Device_Level_Data_Caching_Mode {caching} of workload.xml" if workload else "a write cache, without workload.xml"
    draft.assume("buffer.mode", "write_back" if caching in ("WRITE_CACHE", "WRITE_READ_CACHE") else "write_through", why)
    if caching in ("READ_CACHE", "WRITE_READ_CACHE"):
        draft.assume("buffer.read_cache", 1.0, why)
    shares = source.choice("Data_Cache_Sharing_Mode", {"SHARED": 1, "EQUAL_PARTITIONING": len(workload.flows) if workload else 1})
    draft.take("Data_Cache_Sharing_Mode", "buffer.split", min(shares, 8))
    speed, burst = source.number("Data_Cache_DRAM_Data_Rate", 1), source.number("Data_Cache_DRAM_Data_Busrt_Size", 1)
    keys = ["Data_Cache_DRAM_Data_Rate", "Data_Cache_DRAM_Data_Busrt_Size"]
    delays = ["Data_Cache_DRAM_tRCD", "Data_Cache_DRAM_tCL"]
    if caching == "TURNED_OFF":
        draft.assume("dram.bandwidth", "0 B/s", "data do not pass the DRAM of a cache that is off")
        for key in [*keys, *delays]:
            draft.leave(key, "the data cache is off")
    else:
        draft.convert(keys, "dram.bandwidth", rate(speed * 1e6 * burst * 2), "2 x rate x burst, as MQSim computes", speed * burst < 3200)
        if speed * burst < 3200:
            draft.leave(keys[0], "here what misses passes this DRAM, too; there only hits and written data do")
        for target in ("dram.read_latency", "dram.write_latency"):
            draft.convert(delays, target, time(sum(source.number(key) for key in delays)), "tRCD + tCL")
    draft.leave("Data_Cache_DRAM_tRP", "MQSim adds it beyond a row of data; accesses of a row here")
