"""MQSim's workload.xml: its synthetic flows as jobs of fio, and what the device takes from it."""
from typing import NamedTuple

from ..errors import BadInput
from .draft import Row
from .mqsim_xml import parse
from .source import Source, read_text

SYNTHETIC, TRACE = "IO_Flow_Parameter_Set_Synthetic", "IO_Flow_Parameter_Set_Trace_Based"
CACHING = ("TURNED_OFF", "READ_CACHE", "WRITE_CACHE", "WRITE_READ_CACHE")
IDS = ("Channel_IDs", "Chip_IDs", "Die_IDs", "Plane_IDs")


class Workload(NamedTuple):
    name: str
    flows: list[Source]
    caching: str
    occupancy: float  # share of the logical space
    rows: list[Row]
    job: str          # fio job file; "": no synthetic flows
    traces: list[str]  # arguments of --trace


def read_workload(path: str) -> Workload:
    """Of the first scenario; MQSim runs one after the other. Throws BadInput."""
    root = parse(path, read_text(path))
    if root.name != "MQSim_IO_Scenarios":
        raise BadInput(f"{path}:{root.line}: <{root.name}> is not <MQSim_IO_Scenarios>")
    scenarios = [scenario for scenario in root.children if scenario.name == "IO_Scenario"]
    if not scenarios:
        raise BadInput(f"{path}:{root.line}: has no <IO_Scenario>")
    rows: list[Row] = []
    if len(scenarios) > 1:
        rows.append(Row("IO_Scenario", str(len(scenarios)), "left out", "the first one; MQSim runs one after the other", True))
    elements = [element for element in scenarios[0].children if element.name in (SYNTHETIC, TRACE)]
    if not elements:
        raise BadInput(f"{path}:{scenarios[0].line}: IO_Scenario has no <{SYNTHETIC}> and no <{TRACE}>")
    sources = [Source(path, element.leaves) for element in elements]
    cachings = [source.choice("Device_Level_Data_Caching_Mode", {word: word for word in CACHING}) for source in sources]
    if len(set(cachings)) > 1:
        rows.append(Row("Device_Level_Data_Caching_Mode", ", ".join(cachings), "left out", f"of flows apart: here all have {cachings[0]}", True))
    occupancy = max(source.number("Initial_Occupancy_Percentage", 0, 100) for source in sources) / 100
    job, traces = "", []
    synthetic = [pair for pair in zip(elements, sources) if pair[0].name == SYNTHETIC]
    if synthetic:
        job = f"# From {path}\n[global]\nioengine=libaio  # MQSim's flows are asynchronous\nfilename=/dev/nvme0n1\n"
    for number, (element, source) in enumerate(zip(elements, sources), 1):
        if element.name == TRACE:
            traces.append(trace_of(source))
            rows.append(Row(f"flow {number}", "trace", "converted", f"flashloom run DEVICE --trace {traces[-1]}", False))
            for key in ("Percentage_To_Be_Executed", "Relay_Count"):
                if key in source and source.text(key) != {"Relay_Count": "1"}.get(key, "100"):
                    rows.append(Row(key, source.text(key), "left out", "traces are replayed once and whole", True))
        else:
            job += "\n" + job_of(source, number, len(elements), rows)
    for key in IDS:
        parts = {source.text(key) for source in sources if key in source}
        if parts:
            rows.append(Row(key, " | ".join(sorted(parts)), "left out", "all flows share all dies", len(parts) > 1))
    return Workload(path, sources, cachings[0], occupancy, rows, job, traces)


def trace_of(source: Source) -> str:
    unit = source.choice("Time_Unit", {"NANOSECOND": "ns", "PICOSECOND": "", "MICROSECOND": ""}) if "Time_Unit" in source else "ns"
    if not unit:
        source.fail("Time_Unit", "traces of MQSim's format here have ns, ms or s")
    return f"{source.text('File_Path').replace(chr(92), '/')},format=mqsim,time_unit={unit}"


def job_of(source: Source, number: int, flows: int, rows: list[Row]) -> str:
    """A section of a job file; each option names its key."""
    lines = [f"[flow{number}]"]

    def put(option: str, key: str, why: str = "") -> None:
        lines.append(f"{option}  # {key}{': ' + why if why else ''}")
        rows.append(Row(f"flow {number}: {key}", source.text(key) if key in source else "", "converted" if why else "taken",
                        option + (f": {why}" if why else ""), False))

    def leave(key: str, why: str, warning: bool = True) -> None:
        if key in source:
            rows.append(Row(f"flow {number}: {key}", source.text(key), "left out", why, warning))

    reads = source.count("Read_Percentage", 0, 100)
    kind = source.choice("Address_Distribution", {"STREAMING": "", "UNIFORM_RANDOM": "rand", "RANDOM_UNIFORM": "rand", "HOTCOLD_RANDOM": "hot",
                                                  "RANDOM_HOTCOLD": "hot"})
    put(f"rw={'rand' if kind else ''}{'read' if reads == 100 else 'write' if reads == 0 else 'rw'}", "Address_Distribution", "with Read_Percentage")
    if 0 < reads < 100:
        put(f"rwmixread={reads}", "Read_Percentage")
    else:
        rows.append(Row(f"flow {number}: Read_Percentage", str(reads), "taken", "rw", False))
    if kind:
        put("norandommap=1", "Address_Distribution", "addresses are drawn with replacement")
    hot = source.count("Percentage_of_Hot_Region", 0, 100) if kind == "hot" else 0
    if 0 < hot < 100:
        put(f"random_distribution=zoned:{100 - hot}/{hot}:{hot}/{100 - hot}", "Percentage_of_Hot_Region",
            "(100 - H) % of the requests to H %, its first here")
    else:
        leave("Percentage_of_Hot_Region", "of hot and cold addresses", False)
    sectors = source.count("Average_Request_Size", 1)
    put(f"bs={sectors * 512}", "Average_Request_Size", "x 512 B")
    spread = source.choice("Request_Size_Distribution", {"FIXED": False, "NORMAL": True})
    for key in ("Request_Size_Distribution", "Variance_Request_Size"):
        leave(key, "sizes are the mean" if spread else "fixed", spread)
    if source.choice("Synthetic_Generator_Type", {"QUEUE_DEPTH": False, "DEMAND_BASED": False, "ARRIVAL_RATE": True,
                                                  "BANDWIDTH": True}) if "Synthetic_Generator_Type" in source else False:
        put("iodepth=1024", "Synthetic_Generator_Type", "arrivals do not wait for completions")
        put(f"rate={source.count('Intensity', 1)}", "Intensity")
        lines.append("rate_process=poisson  # Synthetic_Generator_Type: exponential distances")
        leave("Average_No_of_Reqs_in_Queue", "of QUEUE_DEPTH", False)
    else:
        put(f"iodepth={source.count('Average_No_of_Reqs_in_Queue', 1, 65536)}", "Average_No_of_Reqs_in_Queue")
        leave("Synthetic_Generator_Type", "iodepth", False)
        leave("Intensity", "of ARRIVAL_RATE", False)
    working = source.number("Working_Set_Percentage", 0, 100)
    put(f"offset={(number - 1) * 100 // flows}%", "Working_Set_Percentage", "each flow has its part of the logical space")
    put(f"size={max(int(working / flows), 1)}%", "Working_Set_Percentage", "/ flows")
    if "Generated_Aligned_Addresses" in source and source.flag("Generated_Aligned_Addresses") and "Address_Alignment_Unit" in source:
        put(f"blockalign={source.count('Address_Alignment_Unit', 1) * 512}", "Address_Alignment_Unit", "x 512 B")
    put(f"randseed={source.count('Seed')}", "Seed")
    stop = source.number("Stop_Time", 0) if "Stop_Time" in source else 0
    if stop:
        put(f"runtime={max(round(stop / 1e3), 1)}us", "Stop_Time", "ns")
        lines.append("time_based=1  # Stop_Time")
    else:
        put(f"io_size={source.count('Total_Requests_To_Generate', 1) * sectors * 512}", "Total_Requests_To_Generate", "x Average_Request_Size")
    leave("Priority_Class", "of MQSim's PRIORITY_OUT_OF_ORDER; host.queue_priorities with weighted arbitration", False)
    known = {key.rpartition(": ")[2] for key in (row.key for row in rows)} | {"Device_Level_Data_Caching_Mode", "Initial_Occupancy_Percentage",
                                                                              "Stop_Time", "Total_Requests_To_Generate",
                                                                              "Generated_Aligned_Addresses", *IDS}
    for key in source.given:
        if key not in known:
            rows.append(Row(f"flow {number}: {key}", source.text(key), "unknown", "not a key that this importer knows", True))
    return "\n".join(lines) + "\n"
