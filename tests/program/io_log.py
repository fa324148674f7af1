"""Reads the logs of `flashloom run --io-log` (docs/reference/results.md), and computes a run's host figures from them."""
import csv
import json
import struct

MAGIC = b"FLSHIOLG"
VERSION = 1
TYPES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
OPERATIONS = ("read", "write", "trim", "flush")
PERCENTILES = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999}
BREAKDOWN_AT = {"p50": 0.50, "p90": 0.90, "p99": 0.99, "p99_9": 0.999, "max": 1.0}
PARTS = ("backlog", "host", "interface", "link", "cpu", "dram", "map", "buffer", "power", "die_wait", "bus_wait", "bus", "array",
         "disk_wait", "disk", "tier", "controller")
# The parts as figures and pages say them.
WORDS = dict(zip(PARTS, (
    "wait in the host", "host driver", "wait for a command slot", "host link", "controller CPU", "DRAM", "mapping table", "wait for the buffer",
    "wait for power", "wait for the die", "wait for the channel", "on the channel", "in the array", "wait for the disk", "disk", "tier",
    "controller pipeline")))
STEPS_BITS = 7  # a histogram has 128 linear buckets per octave
BREAKDOWN_BUCKETS = 8  # latency buckets per bucket of the breakdown


def read_binary(path):
    """(description, records) of io_log.bin; records are dicts by field, in the order of completion."""
    data = path.read_bytes()
    version, length = struct.unpack_from("<II", data, 8)
    if data[:8] != MAGIC or version != VERSION:
        raise ValueError(f"{path}: no io-log of version {VERSION}")
    description = json.loads(data[16:16 + length])
    fields = description["fields"]
    size = description["record_bytes"]
    body = data[16 + length:]
    if len(body) % size:
        raise ValueError(f"{path}: ends within a record")
    layout = "<"
    end = 0
    for field in fields:
        layout += "x" * (field["offset"] - end) + TYPES[field["type"]]
        end = field["offset"] + int(field["type"][1:]) // 8
    layout += "x" * (size - end)
    names = [field["name"] for field in fields]
    records = [dict(zip(names, values)) for values in struct.iter_unpack(layout, body)]
    for record in records:
        record["operation"] = description["operations"][record["operation"]]
        record["status"] = description["statuses"][record["status"]]
    return description, records


def read_csv(path):
    """Records of io_log.csv, as read_binary() gives them."""
    records = []
    with open(path, newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            records.append({key.removesuffix("_ps").removesuffix("_bytes"):
                            value if key in ("operation", "status") else int(value) for key, value in row.items()})
    return records


def bucket(value):
    """(number, upper bound) of the histogram bucket in which a latency in ps lies."""
    magnitude = (value >> STEPS_BITS).bit_length()
    if magnitude == 0:
        return value, value
    shift = magnitude - 1
    return (magnitude, value >> shift), (((value >> shift) + 1) << shift) - 1


def breakdown_bucket(value):
    number, _ = bucket(value)
    return (number[0], number[1] // BREAKDOWN_BUCKETS) if isinstance(number, tuple) else number // BREAKDOWN_BUCKETS


def rank(share, count):
    """The rank, from 1, of the percentile among `count` sorted values."""
    return max(1, int(share * float(count) + 0.999999))


def mean_ns(total, count):
    return 0.0 if count == 0 else float(total) / float(count) / 1000


def latency_figures(values):
    """The latency statistics, in ns, of values in ps."""
    ordered = sorted(values)
    figures = {"mean": 0.0 if not ordered else float(sum(ordered)) / float(len(ordered)) / 1000,
               "min": ordered[0] / 1000 if ordered else 0.0}
    for name, share in PERCENTILES.items():
        figures[name] = 0.0
        if ordered:
            _, bound = bucket(ordered[rank(share, len(ordered)) - 1])
            figures[name] = min(bound, ordered[-1]) / 1000
    figures["max"] = ordered[-1] / 1000 if ordered else 0.0
    return figures


def breakdown_figures(records):
    """Mean parts of all records, and of the records in each percentile's bucket, in ns."""
    def latency(record):
        return record["complete"] - record["arrival"]

    def means(chosen):
        return {part: mean_ns(sum(record[part] for record in chosen), len(chosen)) for part in PARTS}
    ordered = sorted(map(latency, records))
    figures = {"mean": means(records)}
    for name, share in BREAKDOWN_AT.items():
        there = breakdown_bucket(ordered[rank(share, len(ordered)) - 1]) if ordered else None
        figures[name] = means([record for record in records if breakdown_bucket(latency(record)) == there])
    return figures


def host_figures(records, begin_s, submit_latency_ps=0):
    """The figures of result.json's `host`, or of one of its jobs, computed from its records."""
    figures = {}
    good = [record for record in records if record["status"] == "ok"]
    measured = [record for record in good if record["measured"]]
    begin = round(begin_s * 1e12)
    end = max(record["complete"] for record in records)
    elapsed = float(max(end - begin, 0)) / 1e12
    for operation in OPERATIONS:
        chosen = [record for record in measured if record["operation"] == operation]
        size = sum(record["length"] for record in chosen)
        figures[operation] = {
            "ios": len(chosen),
            "bytes": size,
            "iops": float(len(chosen)) / elapsed if elapsed else 0.0,
            "bandwidth_bytes_per_s": float(size) / elapsed if elapsed else 0.0,
            "latency_ns": latency_figures(record["complete"] - record["arrival"] for record in chosen),
            "slat_ns": latency_figures(record["accepted"] - record["arrival"] for record in chosen),
            "clat_ns": latency_figures(record["complete"] - record["accepted"] for record in chosen),
            "latency_breakdown_ns": breakdown_figures(chosen)}
    figures["requests"] = figures["completions"] = len(records)
    figures["unmeasured"] = len(good) - len(measured)
    figures["power_lost"] = sum(record["status"] == "power_lost" for record in records)
    figures["write_protected"] = sum(record["status"] == "write_protected" for record in records)
    figures["media_errors"] = len(records) - len(good) - figures["power_lost"] - figures["write_protected"]
    late = [record["submit"] - submit_latency_ps - record["arrival"] for record in records if record["measured"]]
    figures["late_requests"] = sum(lateness > 0 for lateness in late)
    figures["max_lateness_ns"] = max([0, *late]) / 1000
    figures["begin_s"] = begin_s
    figures["end_s"] = end / 1e12
    return figures
