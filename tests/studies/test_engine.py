"""Studies end to end: results, resume after a kill, damaged results, failed points, saved states, dry runs."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time

from case import PROGRAM, ROOT, SMALL, StudyCase, results

ENDLESS = SMALL.replace('io_size = "1m"', 'io_size = "1000g"')
LONG = SMALL.replace('io_size = "1m"', 'io_size = "768m"').replace("[1, 8]", "[1, 2, 4, 8]")


class Engine(StudyCase):
    def test_tables_figures_and_report_come_of_it(self):
        out = self.run_study(self.study(README__md="# Small\n\nA *question*.",
                                        paper__csv="ways,depth,metric,value\n4,8,throughput,500\n"))
        rows = self.table(out)
        self.assertEqual([(row["ways"], row["depth"]) for row in rows],
                         [(ways, depth) for ways in "124" for depth in "18"])
        found = results(out)
        self.assertEqual(len(found), 6)
        measured = sorted(f"{result['host']['read']['bandwidth_bytes_per_s'] * 1e-6:.9g}" for result in found.values())
        self.assertEqual(sorted(row["throughput_mb_per_s"] for row in rows), measured)
        base = {row["depth"]: float(row["throughput_mb_per_s"]) for row in rows if row["ways"] == "1"}
        for row in rows:
            self.assertAlmostEqual(float(row["speed_up"]), float(row["throughput_mb_per_s"]) / base[row["depth"]], places=6)
        for name in ("throughput.png", "throughput.svg", "throughput.csv", "throughput.gp"):
            self.assertGreater((out / "figures" / name).stat().st_size, 100, name)
        page = (out / "report.html").read_text()
        for text in ("What do ways bring", "<em>question</em>", "<svg", "result.json", "deviation", "flashloom 0."):
            self.assertIn(text, page)
        self.assertNotIn("http-equiv", page)
        self.assertIn("small/report.html", (out.parent / "index.html").read_text())

    def test_a_run_is_the_run_of_its_command(self):
        out = self.run_study(self.study())
        plan = json.loads((out / "plan.json").read_text())
        key = sorted(plan["points"])[0]
        kept = (out / "points" / key / "result.json").read_bytes()
        os.remove(out / "points" / key / "result.json")
        subprocess.run(["bash", "-c", plan["points"][key]["command"]], check=True, capture_output=True)
        self.assertEqual((out / "points" / key / "result.json").read_bytes(), kept)

    def test_the_table_names_the_results(self):
        """The column `point` names the folder of a row's results; plan.json agrees, also after a run that had nothing
        to do."""
        folder = self.study(SMALL.replace('device = "tiny"', 'device = "tiny"\nrepetitions = 2'))
        out = self.run_study(folder)
        plan = json.loads((out / "plan.json").read_text())
        self.assertEqual(plan["units"], {"throughput_mb_per_s": "MB/s", "speed_up": "1"})
        self.assertEqual([" ".join(row["points"]) for row in plan["rows"]], [row["point"] for row in self.table(out)])
        for row in plan["rows"]:
            for seed, point in enumerate(row["points"], start=1):
                result = json.loads((out / "points" / point / "result.json").read_text())
                self.assertEqual((result["config"]["nand"]["ways"], result["seed"]), (row["values"]["ways"], seed))
        plan["rows"] = []
        (out / "plan.json").write_text(json.dumps(plan))
        self.run_study(folder)
        again = json.loads((out / "plan.json").read_text())
        self.assertEqual((len(again["rows"]), again["points"]), (6, plan["points"]))

    def test_a_killed_study_goes_on(self):
        folder = self.study(LONG)
        whole = self.run_study(folder, "--cores", "2", out="whole")
        process = subprocess.Popen(self.command(folder, "--cores", "1", "--batch", "5"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")}, start_new_session=True)
        out = self.scratch / "out/small"
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and len(list(out.glob("points/*/result.sha256"))) < 3:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before = {path: path.stat().st_mtime_ns for path in out.glob("points/*/result.json")}
        self.assertTrue(2 < len(before) < 12, f"killed with {len(before)} of 12")
        self.assertFalse((out / "table.csv").exists())
        for _ in range(100):  # runs in progress may still end
            done = self.start(folder)
            if "under way" not in done.stderr:
                break
            time.sleep(0.1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((out / "table.csv").read_bytes(), (whole / "table.csv").read_bytes())
        self.assertEqual((out / "figures/throughput.csv").read_bytes(), (whole / "figures/throughput.csv").read_bytes())
        again = [path for path, when in before.items() if path.stat().st_mtime_ns != when]
        self.assertLessEqual(len(again), 2, "points that were there ran again")

    def test_a_killed_study_leaves_nothing_behind(self):
        """A killed study leaves no run of a point or of a state behind; each has the scratch folder in its command
        line. Nor does a run begin that had not yet asked to be killed with its parent: setpriv, which asks, is slow
        here."""
        slow = self.scratch / "bin/setpriv"
        slow.parent.mkdir()
        slow.write_text(f'#!/bin/sh\nsleep 0.$(($$ % 10))\nexec {shutil.which("setpriv")} "$@"\n')
        slow.chmod(0o755)
        environment = os.environ | {"PYTHONPATH": str(ROOT / "experiments"), "PATH": f"{slow.parent}:{os.environ['PATH']}"}
        filling = "states = true\n" + ENDLESS.replace(
            '"precondition.fill" = 1.0',
            '"precondition.fill" = 1.0, "precondition.steady" = true, "nand.blocks" = 262144').replace('"tiny"', '"large.toml"')
        large = 'base = "tiny"\nname = "large"\n[dram]\nsize = "256 MiB"\n'  # the DRAM holds the map

        def runs():
            found = []
            for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    if path.read_bytes().startswith(PROGRAM.encode() + b"\0") and str(self.scratch).encode() in path.read_bytes():
                        found.append(int(path.parent.name))
                except OSError:  # the process has ended
                    pass
            return found

        for name, text, number in (("points", ENDLESS, signal.SIGKILL), ("points", ENDLESS, signal.SIGTERM),
                                   ("states", filling, signal.SIGKILL)):
            with self.subTest(name=name, signal=number):
                front = subprocess.Popen(self.command(self.study(text, name, large__toml=large), "--cores", "2"), stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL, env=environment, start_new_session=True)
                try:
                    self.wait_for(runs, "nothing runs")
                    os.kill(front.pid, number)
                    front.wait()
                    self.wait_for(lambda: not runs(), "a run goes on", 15)  # making a state takes minutes
                finally:
                    front.kill()
                    front.wait()
                    for process in runs():
                        os.kill(process, signal.SIGKILL)

    def wait_for(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)

    def test_batches_change_nothing(self):
        folder = self.study(SMALL.replace("[1, 2, 4]", "[1, 300, 4]"))
        for batch, out in (("1", "one"), ("4", "four")):
            done = self.start(folder, "--batch", batch, out=out)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("studies: error: 2 failed", done.stderr)
        self.assertEqual(len(list(self.scratch.glob("four/small/batches/*.sh"))), 2)
        self.assertEqual((self.scratch / "one/small/table.csv").read_bytes(), (self.scratch / "four/small/table.csv").read_bytes())

    def test_a_damaged_result_runs_again(self):
        folder = self.study()
        out = self.run_study(folder)
        table = (out / "table.csv").read_bytes()
        paths = sorted(out.glob("points/*/result.json"))
        times = {path: path.stat().st_mtime_ns for path in paths}
        whole = paths[2].read_bytes()
        paths[2].write_bytes(whole.replace(b"1", b"2", 1))
        paths[3].write_bytes(b"")
        (paths[4].parent / "result.sha256").unlink()
        done = self.start(folder, "-n")
        self.assertIn("3 there, 3 to do", done.stdout)
        self.assertIn("3 results are damaged", done.stdout)
        self.assertEqual(len(re.findall(r"^workload reads, ways \d, depth \d\n    .* run tiny ", done.stdout, re.MULTILINE)), 3)
        self.assertEqual(paths[3].read_bytes(), b"", "a dry run changes nothing")
        self.run_study(folder)
        self.assertEqual(paths[2].read_bytes(), whole)
        self.assertEqual((out / "table.csv").read_bytes(), table)
        self.assertEqual([path.stat().st_mtime_ns == times[path] for path in paths], [True, True, False, False, False, True])

    def test_a_changed_point_alone_runs_again(self):
        folder = self.study()
        out = self.run_study(folder)
        times = {path: path.stat().st_mtime_ns for path in out.glob("points/*/result.json")}
        self.study(SMALL.replace("[1, 2, 4]", "[1, 2, 8]"))
        self.assertIn("6 runs, 4 there, 2 to do", self.start(folder, "-n").stdout)
        self.run_study(folder, "--prune")
        after = {path: path.stat().st_mtime_ns for path in out.glob("points/*/result.json")}
        self.assertEqual(len(after), 6)
        self.assertEqual(len([path for path in after if times.get(path) == after[path]]), 4)
        self.study(SMALL.replace("[1, 2, 4]", "[1, 2, 8]").replace("Random reads", "Reads"))
        self.assertIn("6 there, 0 to do", self.start(folder, "-n").stdout)

    def test_a_changed_base_runs_again(self):
        text = SMALL.replace('device = "tiny"', 'device = "upper.toml"')
        lower = 'base = "tiny"\nname = "lower"\n'
        folder = self.study(text, upper__toml='base = "lower.toml"\nname = "upper"\n', lower__toml=lower)
        out = self.run_study(folder)
        self.assertEqual({result["config"]["name"] for result in results(out).values()}, {"upper"})
        self.assertIn("6 there, 0 to do", self.start(folder, "-n").stdout)
        self.study(text, lower__toml=lower + '[nand]\nerase_time = "9 ms"\n')
        self.assertIn("0 there, 6 to do", self.start(folder, "-n").stdout)

    def test_failed_points_are_told_and_the_rest_goes_on(self):
        folder = self.study(SMALL.replace("[1, 2, 4]", "[1, 2, 300]"))
        done = self.start(folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: workload reads, ways 300, depth 1", done.stderr)
        self.assertRegex(done.stderr, r" run tiny .*--set nand\.ways=300")
        self.assertIn("nand.ways", done.stderr.split("--quiet")[1])
        self.assertIn("2 failed", done.stderr)
        out = self.scratch / "out/small"
        rows = self.table(out)
        self.assertEqual([bool(row["throughput_mb_per_s"]) for row in rows], [True] * 4 + [False] * 2)
        self.assertIn("<b>2 failed.</b>", (out / "report.html").read_text())

    def test_states_are_made_once_and_change_nothing(self):
        text = SMALL.replace('device = "tiny"', 'device = "tiny"\nseeds = [5]')
        text = text.replace('axis.depth', 'axis.read_time = { values = [25, 50], unit = "us", set = "nand.read_time" }\naxis.depth')
        plain = self.run_study(self.study(text, "plain"))
        shared = self.run_study(self.study("states = true\n" + text, "shared"))
        self.assertEqual(len(list(shared.glob("states/*.state"))), 3)  # one for each number of ways
        self.assertEqual(len(results(shared)), 12)
        without_ids = [[{name: cell for name, cell in row.items() if name != "point"} for row in self.table(out)] for out in (shared, plain)]
        self.assertEqual(*without_ids)

    def test_each_seed_has_a_state_of_its_own(self):
        """Else seeds would not tell how much a state depends on chance."""
        out = self.run_study(self.study("states = true\n" + SMALL.replace('device = "tiny"', 'device = "tiny"\nseeds = [5, 6]')))
        self.assertEqual(len(list(out.glob("states/*.state"))), 6)  # two for each number of ways

    def test_a_state_that_fails_takes_its_points_along(self):
        done = self.start(self.study("states = true\n" + SMALL.replace("[1, 2, 4]", "[1, 300]")))
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: state precondition.fill=1.0, nand.ways=300, of 2 points", done.stderr)
        self.assertIn("1 failed", done.stderr)

    def test_repetitions_differ_and_repeat(self):
        text = SMALL.replace('device = "tiny"', 'device = "tiny"\nrepetitions = 3')
        out = self.run_study(self.study(text))
        rows = self.table(out)
        self.assertEqual({row["repetitions"] for row in rows}, {"3"})
        self.assertTrue(any(float(row["throughput_ci95_mb_per_s"]) > 0 for row in rows))
        again = self.run_study(self.study(text), "--cores", "1", out="again")
        for name in ("table.csv", "runs.csv"):
            self.assertEqual((out / name).read_bytes(), (again / name).read_bytes())

    def test_untimed_points_are_of_flashloom_cache(self):
        """Points of `flashloom cache` and runs of the device share a table; the values are the program's own results.
        """
        text = """
question = "What does the future bring?"
device = "tiny"
untimed = "place == 'nowhere'"
drop = "place == 'host' and policy == 'belady'"
set = { "host.cache.size" = "16 KiB", "cache.size" = "16 KiB", "precondition.fill" = 0.5 }
axis.policy.variants.lru = { "host.cache.replacement" = "lru", "cache.policy" = "lru" }
axis.policy.variants.belady = { "cache.policy" = "belady" }
axis.place.variants = { host = { "host.cache.latency" = "2 us" }, nowhere = { "cache.memory" = "equal" } }
workload.made.generate = "mix:requests=500,read=50%,size=4 KiB"
workload.absent = { trace = "$FLASHLOOM_TRACES/no-such-trace", optional = true }
metric.hit_ratio = { path = "host_cache.hit_ratio", cache = "hit_ratio", unit = "1" }
metric.capacity = { cache = "capacity_pages", cache_scale = 4096, unit = "B" }
metric.stalls = { path = "host_cache.no_such_value", optional = true, unit = "1" }
metric.erases = { path = "wear.erases_total", unit = "1" }
metric.limit = { expression = "bound('read', 4096)", unit = "B/s" }
"""
        folder = self.study(text)
        done = self.start(folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("left out: workload absent: ", done.stdout)
        self.assertIn("no-such-trace", done.stdout)
        out = self.scratch / "out/small"
        self.assertIn("Left out: workload absent", (out / "report.html").read_text())
        rows = {(row["policy"], row["place"]): row for row in self.table(out)}
        self.assertEqual(sorted(rows), [("belady", "nowhere"), ("lru", "host"), ("lru", "nowhere")])
        said = subprocess.run([PROGRAM, "cache", "--generate", "mix:requests=500,read=50%,size=4 KiB", "--policy", "lru,belady",
                               "--size", "16 KiB", "--memory", "equal", "--format", "json"], capture_output=True, text=True,
                              check=True)
        for cache in json.loads(said.stdout)["caches"]:
            row = rows[cache["policy"], "nowhere"]
            self.assertEqual(row["hit_ratio"], f"{cache['hit_ratio']:.9g}")
            self.assertEqual(int(float(row["capacity_b"])), 4096 * cache["capacity_pages"])
            self.assertEqual((row["erases"], row["limit_b_per_s"], row["stalls"]), ("", "", ""))
        row = rows["lru", "host"]
        self.assertEqual((row["capacity_b"], row["stalls"]), ("", ""))
        self.assertGreater(float(row["limit_b_per_s"]), 0)
        self.assertNotEqual(row["erases"], "")
        for change, to, expected in (('"cache.policy" = "lru"', '"cache.polizy" = "lru"', "cache.polizy: unknown key"),
                                     (', "cache.policy" = "lru"', "", "cache.policy is missing"),
                                     ('workload.made.generate = "mix:requests=500,read=50%,size=4 KiB"',
                                      'workload.made.fio = { rw = "read", size = "1m" }', "has one trace or a generator, no fio"),
                                     (", optional = true }\nmetric", " }\nmetric", "there is no file")):
            with self.subTest(to=to):
                self.assertIn(change, text)
                done = self.start(self.study(text.replace(change, to), name="wrong"))
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(expected, done.stderr)

    def test_traces_one_after_another(self):
        text = """
question = "Does the order of two traces matter?"
device = "tiny"
axis.first.values = ["a", "b"]
workload.both.trace = ["{first}.iolog", "{'b' if first == 'a' else 'a'}.iolog"]
metric.writes = { path = "host.write.ios", unit = "1" }
"""
        head = "fio version 2 iolog\nvolume add\nvolume open\n"
        traces = {"a__iolog": head + "volume write 0 4096\n" * 3, "b__iolog": head + "volume write 1048576 4096\nvolume read 0 4096\n"}
        folder = self.study(text, **traces)
        rows = self.table(self.run_study(folder))
        self.assertEqual([(row["first"], row["writes"]) for row in rows], [("a", "4"), ("b", "4")])
        done = self.start(folder, "--dry-run", out="none")
        self.assertRegex(done.stdout, r"--trace \S*/a.iolog --trace \S*/b.iolog --concat")
        self.assertRegex(done.stdout, r"--trace \S*/b.iolog --trace \S*/a.iolog --concat")
        self.assertIn("2 there, 0 to do", self.start(folder, "--dry-run").stdout + self.start(folder).stdout)
        (folder / "b.iolog").write_text(traces["b__iolog"] + "volume write 8192 4096\n", encoding="utf-8")
        self.assertEqual([row["writes"] for row in self.table(self.run_study(folder))], ["5", "5"])
        (folder / "b.iolog").unlink()
        self.assertIn("there is no file", self.start(folder).stderr)

    def test_an_empty_name_and_a_full_disk(self):
        folder = self.study()
        done = self.start(folder, "--out", "")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--out: is empty", done.stderr)
        done = subprocess.run(self.command(folder), capture_output=True, text=True, check=False,
                              env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")},
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "^studies: error: .*File too large")
        self.assertNotIn("Traceback", done.stderr)

    def test_two_at_once_are_refused(self):
        folder = self.study(ENDLESS)
        first = subprocess.Popen(self.command(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")}, start_new_session=True)
        try:
            while not (self.scratch / "out/small/plan.json").exists():
                self.assertIsNone(first.poll(), "it ended")
                time.sleep(0.02)
            done = self.start(folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("another run of this study is under way", done.stderr)
        finally:
            os.killpg(first.pid, signal.SIGKILL)
            first.wait()

    def test_inputs_that_are_missing(self):
        job = SMALL.split("workload.reads.fio")[0] + 'workload.reads.job = "no.fio"\nmetric' + SMALL.split("\nmetric", 1)[1]
        job = job.replace("axis.depth = { values = [1, 8] }\n", "").replace('series = "depth"\n', "")
        for text, expected in ((job, "no.fio"), (SMALL.replace('"tiny"', '"no.toml"'), "no.toml")):
            done = self.start(self.study(text))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(expected, done.stderr)
        done = self.start(self.study(), "--profile", "slrum")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("no profile slrum; valid: slurm", done.stderr)
        done = subprocess.run([*self.command(self.study()), "--program", PROGRAM + "-not"], capture_output=True, text=True,
                              check=False, env=os.environ | {"PYTHONPATH": str(ROOT / "experiments")})
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such program", done.stderr)
