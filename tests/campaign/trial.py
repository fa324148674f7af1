"""Laws that must hold for every device that the configuration accepts."""
import csv
import dataclasses
import functools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "program"))
import outputs  # noqa: E402
from bounds_law import check_bounds  # noqa: E402
from documents import shell  # noqa: E402
from laws import check_laws  # noqa: E402
from relations import check_relations, flat, part  # noqa: E402

TIMEOUT_S = 60
# With a worn-out swap area the processes of a heap cannot continue, and there is no result.
WORN_OUT_HEAP = "the swap device has become read-only"
# With heap.atomic = "object" an update needs as many free frames as it has pages, which depends on the workload.
LARGE_UPDATE = "an update of so many pages is not kept whole"
# A run or torture of a lying drive ([faults]) may end with exit code 1 because the lie is caught, and for no other
# reason.
CAUGHT = "data did not verify"
CAUGHT_IN_TORTURE = "a drive that lies was caught"
# The two clocks end alike at queue depth 1 where no decision depends on time: docs/architecture.md. Only devices that
# change just these keys are compared with the preset tiny.
BY_ORDER = ("nand.", "ftl.", "buffer.", "host.", "dram.", "precondition.", "link.", "cpu.", "controller.", "host_interface.")
BY_TIME = ("host.cache", "host_interface.commands", "cpu.points", "cpu.sleep", "nand.errors", "suspend", "ftl.gc_background",
           "ftl.placement", "ftl.streams", "slc", "read_ahead", "buffer.read_cache",
           "endurance", "failure", "watermark", "retention", "disturb", "factory")
# Keys that get a range, with the notation for a value in SI units: keys that affect only energy, and keys that affect
# time.
UNCERTAIN = {path: lambda value, unit=unit: f"{value:.24f} {unit}"
             for path, unit in (("nand.program_current", "A"), ("nand.read_current", "A"), ("nand.array_voltage", "V"),
                                ("nand.bus_current", "A"), ("cpu.active_power", "W"), ("link.idle_power", "W"))}
UNCERTAIN |= {path: lambda value: f"{round(value * 1e12)} ps" for path in ("nand.erase_time", "nand.command_cycle")}


# Keys of the run itself, and of what is measured only.
IDLE_KEYS = {"name", "description", "verify", "seed", "power.peak_window"}
# Files that a run may write beside its result.
RECORDERS = (["--io-log", "csv"], ["--io-log", "csv"], [], ["--timeline"], ["--vcd"], ["--power"], ["--io-log", "both", "--timeline"])


def recorders(case):
    return random.Random(case.number).choice(RECORDERS)


@dataclass
class Failure:
    """A law that does not hold."""
    law: str
    command: str
    said: str


def unverified(result):
    return result | {"verify": None, "config": result["config"] | {"verify": None}}


class Broken(Exception):
    """A step of a trial that failed."""

    def __init__(self, law, command, said):
        super().__init__(law)
        self.failure = Failure(law, command, said.strip()[-600:])


class Trial:
    def __init__(self, program, schema):
        self.program = os.path.abspath(program)
        self.schema = schema
        self.last_words = {path.rpartition(".")[2] for path in schema.paths}
        self.here = threading.local()  # the folder of the device that a thread judges: documents lie there
        self.tiny = None

    def call(self, law, *words, accepted=(0,)):
        """Returns exit code and output; raises Broken for any unaccepted exit code, a signal, or no end within a
        minute."""
        words = [self.program, *map(str, words)]
        limit = getattr(self.here, "limit", TIMEOUT_S)
        command = self.here.command = " ".join(map(shell, words[1:]))
        try:
            done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=limit, check=False,
                                  cwd=getattr(self.here, "folder", None), env=os.environ | {"ASAN_OPTIONS": "exitcode=99"})
        except subprocess.TimeoutExpired:
            raise Broken(f"{law}: ends", command, f"no end after {limit} s") from None
        said = done.stdout + done.stderr
        if done.returncode not in accepted:
            raise Broken(f"{law}: exit code {done.returncode}", command, done.stderr or done.stdout)
        return done.returncode, said, command

    def accepts(self, case):
        """Whether the configuration accepts the device, and its message."""
        code, said, command = self.call("config", "config", *case.arguments(), accepted=(0, 2))
        if code == 2 and not any(word in said for word in self.last_words):
            raise Broken("config: a refusal names the key", command, said)
        return code == 0, said

    def judge(self, case):
        """Raises Broken if a law does not hold; returns whether the device can run the workload."""
        with tempfile.TemporaryDirectory(prefix="flashloom-campaign-") as scratch:
            self.here.folder = out = pathlib.Path(scratch)
            try:
                if case.document:
                    case.document.write(out)
                return self.judge_in(case, out)
            except (LookupError, ValueError, OSError) as error:
                raise Broken("what a run writes can be judged", self.here.command, repr(error)) from None
            finally:
                self.here.folder = None

    def judge_in(self, case, out):
        device = [*case.arguments(), "--set", "verify=true"]
        run = ["run", *device, *case.source()]
        code, said, command = self.call("run", *run, *recorders(case), "--out", "a", accepted=(0, 1, 2))
        if code == 2 or (code == 1 and (WORN_OUT_HEAP in said or LARGE_UPDATE in said)):
            return False
        lies = any(path.startswith("faults.") for path in case.sets)
        if code == 1 and not (lies and CAUGHT in said):
            raise Broken("run: exit code 1", command, said)
        text = (out / "a" / "result.json").read_text()
        laws = [("laws of the result", check_laws), ("bounds", lambda result: check_bounds(result, None if case.document or case.most else case.workload)),
                *((law, functools.partial(holds, out / "a")) for law, holds in outputs.LAWS)]
        window = json.loads(text)["window"]
        for law, holds in laws if window["end_s"] > window["begin_s"] else ():  # a job may have nothing to do, or no more than its ramp
            try:
                holds(json.loads(text))
            except AssertionError as error:
                raise Broken(law, command, str(error)) from None
        result = json.loads(text)
        if case.number % 2:
            self.call("run again", *run, "--out", "b", accepted=(code,))
            if (out / "b" / "result.json").read_text() != text:
                raise Broken("same bytes twice, and whatever is recorded", command, "result.json differs")
        else:  # tables that verifying fills are told by rules without it
            _, _, command = self.call("run unverified", *run, "--set", "verify=false", "--out", "b")
            if unverified(json.loads((out / "b" / "result.json").read_text())) != unverified(result):
                raise Broken("verifying changes no figure", command, "result.json differs")
        untimed, said, command = self.call("untimed", *run, "--untimed", "--out", "c", accepted=(0, 1, 2))
        if untimed == 1 and not (lies and CAUGHT in said):
            raise Broken("untimed: exit code 1", command, said)
        if untimed == 0:
            self.compare_clocks(case, result, json.loads((out / "c" / "result.json").read_text()), command)
        self.state(case, device, result, out, code)
        if code == 0:
            self.uncertain(case, run, out)
            self.split(case, run, out, result)
            check_relations(self, case, result, out)
        return self.tortured(case, device, lies)

    def uncertain(self, case, run, out):
        """Each sample of uncertain keys equals the energy of a run with these values."""
        if case.number % 4 != 1:
            return
        paths = random.Random(case.number).sample(sorted(UNCERTAIN), 3)
        ranges = [word for table in ("nand", "cpu", "link", "dram", "nvram", "nand.ecc", "controller", "power", "sram", "hmb")  # those of the presets
                  for word in ("--set", f"{table}.uncertainty=none")]
        ranges += [word for path in paths for word in ("--set", f'{path.replace(".", ".uncertainty.")}="-20 % to +30 %"')]
        code, _, command = self.call("uncertainty", "run", *run[1:], *ranges, "--uncertainty", 2, "--out", out / "u", accepted=(0, 2))
        if code == 2:
            return  # a value is 0, or the range does not fit the key
        with open(out / "u" / "uncertainty.csv", encoding="utf-8", newline="") as table:
            rows = list(csv.DictReader(table))
        if not rows:
            raise Broken("uncertainty has samples", command, (out / "u" / "result.json").read_text())
        row = {name: float(value) for name, value in rows[0].items()}
        values = [word for path in paths for word in ("--set", f'{path}="{UNCERTAIN[path](row[path])}"')]
        _, _, command = self.call("a sample alone", "run", *run[1:], *values, "--out", out / "v")
        energy = json.loads((out / "v" / "result.json").read_text())["energy"]
        for figure in ("total_j", "background_j", "average_w", "j_per_gb"):
            if abs(energy[figure] - row[figure]) > 1e-9 * abs(row[figure]):
                raise Broken("a sample is what a run with its values takes", command, f"{figure}: {row[figure]}, run {energy[figure]}")

    def broken(self, law, command, said):
        raise Broken(law, command, said)

    def split(self, case, run, out, whole):
        """Sampled and segmented runs work as well, and read what was written."""
        if case.number % 4 != 3:
            return
        for law, how in (("a sampled run", ("--sample", "--sample-windows", 5, "--sample-requests", 6, "--sample-warm-up", 2)),
                         ("a run in segments", ("--segments", 2))):
            code, said, command = self.call(law, *run, *how, "--out", out / "s", accepted=(0, 1, 2))
            if code == 1 and CAUGHT not in said:  # not from a lying drive
                raise Broken(f"{law}: exit code 1", command, said)
            if code != 0:
                continue
            first = (out / "s" / "result.json").read_text()
            if json.loads(first)["verify"]["mismatches"] != 0:
                raise Broken(f"{law} reads what was written", command, first)
            self.call(f"{law} again", *run, *how, "--out", out / "s")
            if (out / "s" / "result.json").read_text() != first:
                raise Broken(f"{law}: same bytes twice", command, "result.json differs")
            if "--segments" not in how:
                continue
            split = json.loads(first)
            if split["segments"] and len(whole["host"]["jobs"]) == 1 and whole["host"]["requests"] != split["host"]["requests"]:
                raise Broken(f"{law}: the requests of the whole", command, f"{split['host']['requests']}, whole {whole['host']['requests']}")
            code, said, command = self.call(f"{law} by a folder", *run, *how, "--segments-folder", out / "pieces", "--out", out / "s",
                                            accepted=(0, 2))
            if code == 0 and (out / "s" / "result.json").read_text() != first:
                raise Broken(f"{law} by a folder: the bytes of a forked one", command, "result.json differs")
            if code == 2 and "are too few for" not in said and "a saved state does not hold" not in said:
                raise Broken(f"{law} by a folder", command, said)

    def tortured(self, case, device, lies):
        timed = ["--timed"] if case.number % 4 == 0 else []
        if case.document and case.number % 3:
            return True  # torture has a workload of its own, and needs other devices, not more of them
        code, said, command = self.call("torture", "torture", *device, "--cuts", 25 if case.preset == "tiny" else 8, "--seed", case.number + 1, *timed,
                                        accepted=(0, 1, 2))
        if code == 1 and not (lies and CAUGHT_IN_TORTURE in said):
            raise Broken("torture: exit code 1", command, said)
        return True

    def compare_clocks(self, case, timed, instant, command):
        config = timed["config"]
        if config["host"]["iodepth"] != 1 or case.document or not case.workload.startswith("mix:") or "rate=" in case.workload:
            return
        sets = self.changed(config)
        # A map that is paged in is written by time, and so is an SLC cache in front of two passes (docs/architecture.md).
        if part(config["ftl"]["kind"]) == "dftl" or config["host"]["queues"] != 1:
            return
        if any(not path.startswith(BY_ORDER) or any(word in path for word in BY_TIME) for path in sets):
            return
        # These counters change with the decision, while programs may still be in flight when a timed run ends. But
        # writes wait for merges of blocks, and no decision is made yet for what queues behind one. FTLs that map pages
        # wait only for the erase of the next block, which leaves a few units, each with its share of a victim.
        queued = timed["buffer"]["destaging_bytes_at_end"] // 4096
        kind = part(config["ftl"]["kind"])
        if kind != "page_map" and queued != 0:
            return
        counts = (("gc_runs", 1), ("valid_pages_moved", 16), ("units_trimmed", 0))
        # The amount of data that a zone reset still finds in the buffer depends on time.
        for where, share in counts if kind != "zoned" else counts[:2]:
            if abs(timed["ftl"][where] - instant["ftl"][where]) > queued * share:
                raise Broken("timed and instant counts are the same", command,
                             f"{where}: {timed['ftl'][where]} timed, {instant['ftl'][where]} instant")

    def changed(self, config):
        """The paths whose values are not those of the preset tiny."""
        if self.tiny is None:
            self.tiny = dict(flat(json.loads(self.call("config", "config", "tiny", "--json")[1])))
        return [path for path, value in flat(config) if self.tiny.get(path) != value and path in self.schema.paths and path not in IDLE_KEYS]

    def state(self, case, device, result, out, ends):
        """A device that was preconditioned, saved and loaded runs like one preconditioned in place."""
        if not any(path.startswith("precondition.") for path in case.sets):
            return
        state = out / "device.state"
        code, _, _ = self.call("precondition", "precondition", *device, "--state", state, accepted=(0, 2))
        if code == 2:
            return
        _, _, command = self.call("run from state", "run", *device, *case.source(), "--state", state, "--out", out / "d",
                                  accepted=(ends,))
        loaded = json.loads((out / "d" / "result.json").read_text())
        for where in loaded:
            if where != "precondition" and loaded[where] != result[where]:
                raise Broken("a loaded state is the one that was saved", command, f"{where} differs")


def without(case, path):
    return dataclasses.replace(case, sets={key: value for key, value in case.sets.items() if key != path})


def until_accepted(trial, case):
    """The case without the keys that the configuration refuses together; None if nothing is left."""
    rng = random.Random(case.number)
    while True:
        accepted, said = trial.accepts(case)
        if accepted:
            return case
        spare = [path for path in case.sets if path not in case.kept]
        if not spare:
            return None
        named = [path for path in spare if path in said] or spare
        case = without(case, rng.choice(named))
