"""Sums that must hold between the fields of any result."""
import math
import unittest

KINDS = ("read", "write", "trim", "flush")
KINDS_IF_ANY = ("write_zeroes", "zone_append", "zone_open", "zone_close", "zone_finish", "zone_reset", "zone_offline", "zone_commit",
                "zone_report")
LATENCIES = ("mean", "min", "p50", "p90", "p95", "p99", "p99_9", "p99_99", "max")
NOT_MEASURED = ("unmeasured", "media_errors", "write_protected", "power_lost")
CASE = unittest.TestCase()


def check_laws(result):
    """Checks a timed run; AssertionError names the broken law."""
    host = result["host"]
    CASE.assertEqual(host["requests"], host["completions"])
    measured = sum(host[kind]["ios"] for kind in (*KINDS, *KINDS_IF_ANY) if kind in host)
    CASE.assertEqual(host["requests"], measured + sum(host[name] for name in NOT_MEASURED) + host.get("zone_errors", 0))
    if host["jobs"]:  # a heap has no jobs
        for count in ("requests", "completions", "late_requests"):
            CASE.assertEqual(host[count], sum(one[count] for one in host["jobs"]))
        for kind in KINDS:
            for count in ("ios", "bytes"):
                CASE.assertEqual(host[kind][count], sum(one[kind][count] for one in host["jobs"]))
            CASE.assertEqual(host[kind]["latency_ns"]["max"], max(one[kind]["latency_ns"]["max"] for one in host["jobs"]))
    seconds = result["window"]["end_s"] - result["window"]["begin_s"]  # a heap's setup lies before it
    CASE.assertGreater(seconds, 0)
    CASE.assertGreaterEqual(result["simulated_s"], seconds)
    served = host["end_s"] - host["begin_s"]
    for kind in KINDS:
        figures = host[kind]
        CASE.assertAlmostEqual(figures["iops"] * served, figures["ios"], delta=1e-9 * (1 + figures["ios"]))
        CASE.assertAlmostEqual(figures["bandwidth_bytes_per_s"] * served, figures["bytes"],
                               delta=1e-9 * (1 + figures["bytes"]))
        latency = [figures["latency_ns"][name] for name in LATENCIES]
        CASE.assertEqual(latency[1:], sorted(latency[1:]), kind)
        CASE.assertTrue(latency[1] <= latency[0] <= latency[-1], kind)
        if figures["ios"] == 0:
            CASE.assertEqual(latency[-1], 0, kind)
        if "latency_breakdown_ns" in figures:
            parts = sum(figures["latency_breakdown_ns"]["mean"].values())
            CASE.assertAlmostEqual(parts, latency[0], delta=1e-6 * (1 + latency[0]), msg=kind)
    for operation in ("reads", "programs"):
        origins = result["flash"][operation]
        for what in ("pages", "units"):
            CASE.assertEqual(origins["total"][what],
                             sum(n[what] for origin, n in origins.items() if origin != "total"))
    erases = result["flash"]["erases"]
    CASE.assertEqual(erases["total"], sum(n for origin, n in erases.items() if origin != "total"))
    for name in ("waf", "waf_data", "gc_runs", "valid_pages_moved", "free_blocks_min"):
        CASE.assertIn(name, result["ftl"])
    energy = result["energy"]
    tolerance = 1e-9 * energy["total_j"]
    operations = sum(one["j"] for one in energy["operations"].values())
    CASE.assertAlmostEqual(sum(one["j"] for one in energy["components"]), energy["total_j"], delta=tolerance)
    CASE.assertAlmostEqual(operations + energy["background_j"], energy["total_j"], delta=tolerance)
    CASE.assertAlmostEqual(energy["average_w"] * seconds, energy["total_j"], delta=tolerance)
    # This many windows cover the run.
    window = energy["peak_window_s"]
    if seconds > window:
        CASE.assertGreaterEqual(energy["peak_w"] * math.ceil(seconds / window) * window, energy["total_j"] * 0.999)
    else:
        CASE.assertEqual(energy["peak_w"], energy["average_w"])
    if "cap" in energy:
        CASE.assertLessEqual(energy["cap"]["peak_w"], energy["cap"]["w"])
    if "max_power" in energy and {one["kind"] for one in energy["components"]}.isdisjoint(("array", "hdd", "heap")):
        spans = math.ceil(window / energy["max_power"]["window_s"]) * energy["max_power"]["window_s"] / window
        CASE.assertLessEqual(energy["peak_w"], energy["max_power"]["w"] * spans * 1.001)
    nand = result["config"]["nand"]
    utilization = result["utilization"]
    CASE.assertEqual(len(utilization["channels"]), nand["channels"])
    CASE.assertEqual(len(utilization["dies"]), nand["channels"] * nand["ways"] * nand["dies"])
    for shares in utilization["channels"] + utilization["dies"]:
        CASE.assertAlmostEqual(sum(shares.values()), 1, delta=1e-9)
        CASE.assertTrue(all(-1e-12 <= share <= 1 + 1e-12 for share in shares.values()), shares)
    for component in energy["components"]:
        CASE.assertAlmostEqual(sum(component["residency_s"].values()), seconds, delta=1e-9 * seconds,
                               msg=component["name"])
    CASE.assertEqual(result["schema"], "flashloom.result/2")
    CASE.assertTrue(result["version"])
    CASE.assertEqual(result["seed"], result["config"]["seed"])
