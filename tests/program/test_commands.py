"""The commands as people type them: help, version, manual pages, completion, colours, messages."""
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest

from program import PROGRAM, TIMEOUT_S, ProgramCase, job

READS = job(rw="randread", bs="4k", size="1m")
COLOUR = "\x1b["


class Help(ProgramCase):
    def commands(self):
        """Names of all commands, including subcommands such as "trace info"."""
        names = []
        for group in ("", "trace"):
            done = self.start(*([group] if group else []), "--help")
            listed = done.stdout.split("Subcommands:\n")[1].split("\n\n")[0]
            names += [f"{group} {line.split()[0]}".strip() for line in listed.splitlines()]
        self.assertIn("trace convert", names)
        return names

    def test_help_is_what_the_option_says(self):
        for name in ["", *self.commands()]:
            words = name.split()
            self.assertEqual(self.start("help", *words).stdout, self.start(*words, "--help").stdout, name)

    def test_no_such_command(self):
        for words, expected in ((["precondtion"], 'did you mean "precondition"?'), (["trace", "conver"], "valid: info, convert"),
                                (["run", "x"], "`flashloom run` has none")):
            done = self.start("help", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(expected, done.stderr)

    def test_a_program_without_components(self):
        core = pathlib.Path(PROGRAM).parent / "flashloom-core"
        if not core.exists():
            self.skipTest("tests of another build")
        self.assertEqual(set(json.loads(self.start("version", "--json").stdout)["components"].values()), {True})
        def run(*words):
            return self.start(*words, program=core)
        self.assertEqual(run("--version").stdout.split(" without ")[1], "array, attach, heap, tier\n")
        self.assertEqual(run("run", "tiny", "--generate", "mix:read=0,requests=1000", "--quiet").returncode, 0)
        for key, name in (("hdd.capacity=1 GiB", "tier"), ("array.level=raid1", "array"), ("heap.nvram.kind=stt_mram", "heap")):
            done = run("config", "tiny", "--set", key)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{key.split('=')[0]}: needs a flashloom that is built with `{name}`", done.stderr)
        self.assertIn('unknown command "nbd"', run("nbd", "tiny").stderr)
        self.assertIn("built without array, attach", run("nbd", "tiny").stderr)
        self.assertIn("built without `attach`", run("torture", "tiny", "--linux", "ext4").stderr)

    def test_version(self):
        self.assertEqual(self.start("version").stdout, self.start("--version").stdout)
        done = self.start("version", "--json")
        build = json.loads(done.stdout)
        self.assertEqual(self.start("version").stdout, f"flashloom {build['version']}\n")
        self.assertRegex(build["compiler"]["version"], r"^\d+\.\d+")
        self.assertRegex(build["systemc"], r"^\d+\.\d+\.\d+$")
        self.assertGreaterEqual(build["cxx_standard"], 202002)
        self.assertEqual(set(build["schemas"]), {"result", "run", "state"})
        result = self.result("tiny", "--job", self.file("j.fio", READS))
        self.assertEqual(build["schemas"]["result"], result["schema"])
        self.assertNotIn("/", re.sub(r"flashloom\.\w+/", "", done.stdout), "a path")
        self.assertEqual(self.start("version", "--json").stdout, done.stdout)

    def test_manual_pages(self):
        self.assertEqual(self.start("help", "--man", "--out", "man").returncode, 0)
        pages = {page.stem: page.read_text() for page in (self.scratch / "man").glob("*.1")}
        names = ["", *self.commands()]
        self.assertEqual(set(pages), {"-".join(["flashloom", *name.split()]) for name in names})
        for name in names:
            page = pages["-".join(["flashloom", *name.split()])]
            self.assertEqual(page, self.start("help", "--man", *name.split()).stdout)
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", '"EXIT STATUS"', "FILES", "ENVIRONMENT", '"SEE ALSO"'):
                self.assertRegex(page, rf"\n\.SH {section}\n".replace('"', '"?'), name)
            for option in re.findall(r"^  (--[\w-]+)", self.start("help", *name.split()).stdout, re.M):
                self.assertIn(option.replace("-", "\\-"), page)

    def check_pages(self, *command):
        if shutil.which(command[0]) is None:
            self.skipTest(f"there is no {command[0]}")
        self.start("help", "--man", "--out", "man")
        for page in sorted((self.scratch / "man").iterdir()):
            done = subprocess.run([*command, page], capture_output=True, text=True, check=False, timeout=TIMEOUT_S,
                                  env=os.environ | {"LC_ALL": "C.UTF-8"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            if "lint" in command[-1]:
                self.assertEqual(done.stdout, "")

    def test_mandoc_finds_no_fault(self):
        self.check_pages("mandoc", "-Tlint")

    def test_groff_finds_no_fault(self):
        self.check_pages("groff", "-man", "-ww", "-Tutf8")


class Import(ProgramCase):
    """flashloom import checks its words, and begins the Python package with them."""

    def begun(self, *words):
        show = self.file("python", '#!/bin/sh\nshift 2; for word; do echo "$word"; done\n')
        show.chmod(0o755)
        return subprocess.run([PROGRAM, "import", *words], cwd=self.scratch, capture_output=True, text=True, check=False,
                              timeout=TIMEOUT_S, env=os.environ | {"FLASHLOOM_PYTHON": str(show)})

    def test_words_are_passed_on(self):
        for words, passed in ((["mqsim", "a b.xml"], ["--", "mqsim", "a b.xml"]),
                              (["mqsim", "a", "w", "--out", "o", "--job", "j"], ["--out", "o", "--job", "j", "--", "mqsim", "a", "w"]),
                              (["nvmevirt", "h", "N", "--capacity", "1 GiB"], ["--capacity", "1 GiB", "--", "nvmevirt", "h", "N"])):
            done = self.begun(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("from flashloom.importers.main import main\n", done.stdout)
            self.assertEqual(done.stdout.split("sys.exit(main(sys.argv[1:]))\n\n")[1].splitlines(), passed)

    def test_wrong_words(self):
        for words, said in (([], "kind"), (["mqsim"], "source"), (["mqsm", "a"], 'import: "mqsm" is none of mqsim, simplessd, nvmevirt, femu, fio'),
                            (["mqsim", "a", "--out", ""], "--out: is empty")):
            done = self.begun(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(said, done.stderr)


class Completion(ProgramCase):
    # Words typed, the last one incomplete; a completion that must be offered; one that must not.
    OFFERED = [
        (["ru"], "run", "list"),
        (["trace", ""], "convert", "run"),
        (["help", "trace", "in"], "info", "convert"),
        (["run", "ti"], "tiny", "mqsim-default"),
        (["run", "tiny", "--addr"], "--address-fit", "--job"),
        (["run", "tiny", "--address-fit", ""], "wrap", "--job"),
        (["run", "tiny", "--address-fit=w"], "--address-fit=wrap", "--address-fit=scale"),
        (["run", "tiny", "--set", "na"], "nand.", "nvram."),
        (["run", "tiny", "--set", "nand.chan"], "nand.channels=", "nand.ways="),
        (["run", "tiny", "--set", "link.kind="], "link.kind=sata", "link.kind=ideal2"),
        (["run", "tiny", "--set=link.kind=p"], "--set=link.kind=pcie", "--set=link.kind=sata"),
        (["run", "tiny", "--set", "verify=t"], "verify=true", "verify=false"),
        (["run", "tiny", "--set", "ftl.garbage_collection=g"], "ftl.garbage_collection=greedy", "ftl.garbage_collection=fifo"),
        (["run", "tiny", "--set", "host_interface.kind.arb"], "host_interface.kind.arbitration=", "host_interface.kind.burst="),
        (["run", "tiny", "--set", "host_interface.kind.arbitration="], "host_interface.kind.arbitration=weighted", "x"),
        (["run", "tiny", "--generate", "mix:dis"], "mix:distribution=", "mix:theta="),
        (["run", "tiny", "--generate", "mix:distribution=z"], "mix:distribution=zipf", "mix:distribution=uniform"),
        (["cache", "t.csv", "--policy", "lru,cflru:wi"], "lru,cflru:window=", "lru,cflru:x"),
        (["datasheet", "tiny", "--tests", "iops,w"], "iops,wsat", "iops,lat"),
        (["import", "nv"], "nvmevirt", "mqsim"),
        (["list", "garb"], "garbage_collection", "config"),
        (["torture", "tiny", "--linux", "ext4-"], "ext4-journal", "xfs"),
        (["completion", ""], "fish", "sh"),
    ]

    def offered(self, *words):
        """The values and directives that the program offers to the completion scripts."""
        done = self.start("__complete", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def test_what_is_offered(self):
        for words, there, not_there in self.OFFERED:
            lines = self.offered(*words)
            self.assertIn(there, lines, words)
            self.assertNotIn(not_there, lines, words)

    def test_files_and_folders(self):
        self.assertIn(":files", self.offered("run", "tiny", "--job", ""))
        self.assertIn(":folders", self.offered("run", "tiny", "--out", ""))
        self.assertEqual(self.offered("run", "tiny", "--seed", ""), [])

    def test_what_makes_no_sense_is_no_error(self):
        for words in ([], [""], ["nonsense", ""], ["run", "--nonsense", ""], ["run", "a", "b", "c"], ["--", ""], ["run", "-"]):
            self.offered(*words)

    def test_no_completion_fails(self):
        for name in ("run", "precondition", "endurance", "torture", "list", "config", "workload", "cache", "cold", "linux",
                     "nbd", "vfio-user", "compare", "fit", "datasheet", "import", "help", "version", "completion", "trace info", "trace convert"):
            for option in self.offered(*name.split(), "--"):
                self.offered(*name.split(), option, "")
            for count in range(3):
                self.offered(*name.split(), *["x"] * count, "")

    def typed(self, shell, environment, setup, lines):
        """What an interactive shell shows for each line followed by a tab; the lines are not executed."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.scratch)
            os.execvpe(shell[0], shell, environment)
        self.addCleanup(os.close, terminal)
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.kill, child, signal.SIGKILL)

        def hear(until):
            heard = b""
            end = time.monotonic() + 60
            while until not in heard and time.monotonic() < end:
                if select.select([terminal], [], [], 0.2)[0]:
                    heard += os.read(terminal, 65536)
            return heard

        for line in setup:
            os.write(terminal, line.encode() + b"\n")
        os.write(terminal, b"PS1='rea''dy> '\n")
        hear(b"ready> ")  # printed once the shell reads input letter by letter
        shown = []
        for line in lines:  # a mark after the tab shows where the completion ends; then the line is discarded
            os.write(terminal, line.encode() + b"\t#END")
            heard = hear(b"#END")
            os.write(terminal, b"\x15")
            shown.append(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", heard.decode(errors="replace")).rpartition("#END")[0])
        return shown

    TYPED = [("flashloom ru", "flashloom run "), ("flashloom run ti", "flashloom run tiny "),
             ("flashloom run tiny --set nand.channels", "nand.channels="), ("flashloom run tiny --set link.kind=s", "link.kind=sata "),
             ("flashloom run tiny --io-log=c", "--io-log=csv "), ("flashloom run tiny --generate mix:distribution=z", "=zipf"),
             ("flashloom run tiny --job only-o", "only-one.fio "), ("flashloom run tiny --out=only", "only-folder/"),
             ("flashloom help trace conv", "trace convert ")]

    def environment(self):
        self.file("only-one.fio", READS)
        (self.scratch / "only-folder").mkdir(exist_ok=True)
        folder = str(pathlib.Path(PROGRAM).resolve().parent)
        return os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "TERM": "xterm", "HOME": str(self.scratch), "PS1": "> "}

    def test_bash(self):
        shown = self.typed(["bash", "--norc", "--noprofile", "-i"], self.environment(),
                           ["source <(flashloom completion bash)"], [line for line, _ in self.TYPED])
        for (line, expected), heard in zip(self.TYPED, shown):
            self.assertIn(expected, heard.replace("\r", ""), line)

    def test_zsh(self):
        if shutil.which("zsh") is None:
            self.skipTest("there is no zsh")
        shown = self.typed(["zsh", "-f", "-i"], self.environment(),
                           ["autoload -Uz compinit; compinit -u -D", "source <(flashloom completion zsh)"],
                           [line for line, _ in self.TYPED])
        for (line, expected), heard in zip(self.TYPED, shown):
            self.assertIn(expected.strip(), heard.replace("\r", ""), line)

    def test_fish(self):
        if shutil.which("fish") is None:
            self.skipTest("there is no fish")
        for line, expected in self.TYPED:
            done = subprocess.run(["fish", "--no-config", "-c", f"flashloom completion fish | source; complete -C '{line}'"],
                                  env=self.environment(), cwd=self.scratch, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
            self.assertIn(expected.split()[-1], done.stdout, f"{line}: {done.stderr}")

    def test_scripts_are_whole(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.start("completion", shell).stdout
            self.assertIn("__complete", script)
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", self.file(f"script.{shell}", script)], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


class Messages(ProgramCase):
    def refused(self, *arguments):
        done = self.start(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr

    def test_misspelt_presets(self):
        self.assertIn('did you mean "tiny"?', self.refused("config", "tinny"))
        self.assertIn('did you mean "mqsim-default"?', self.refused("config", "mqsim"))

    def test_a_key_is_named_once_and_the_nearest_come_first(self):
        said = self.refused("config", "tiny", "--set", "nand.chanels=3")
        self.assertEqual(said.count("nand.chanels"), 1, said)
        valid = re.search(r"valid in \[nand\]: (.*) and \d+ more: `flashloom list config`", said)[1].split(", ")
        self.assertEqual((valid[0], len(valid)), ("channels", 10))
        said = self.refused("run", "tiny", "--joob", "x")
        self.assertRegex(said, r"valid: --job, .* and \d+ more: `flashloom run --help`")

    def test_sizes_as_people_write_them(self):
        text = job(rw="read", bs="4k", size="1m")
        said = self.refused("workload", self.file("j.fio", text), "--device-size", "700 KiB")
        self.assertIn("1 MiB do not fit: the device holds 700 KiB", said)

    def test_a_device_file_that_says_nothing(self):
        reads = self.file("j.fio", READS)
        for text in ("", "# nothing\n"):
            said = self.refused("run", self.file("empty.toml", text), "--job", reads)
            self.assertIn("empty.toml: describes nothing", said)
        self.simulate(self.file("named.toml", 'name = "defaults"\n'), "--job", reads)

    def test_inert_options_that_matter_are_told_once(self):
        options = {"direct": 1, "group_reporting": 1, "gtod_reduce": 1, "verify": "crc32c", "iodepth_batch": 4}
        text = job("a", rw="read", bs="4k", size="64k", **options) + job("b", rw="read", bs="4k", size="64k", **options)
        done = self.start("run", "tiny", "--job", self.file("j.fio", text))
        self.assertEqual(re.findall(r"^  inert .*", done.stdout, re.M),
                         ["  inert  verify=crc32c, iodepth_batch=4: not carried out; fio would measure otherwise"])
        done = self.start("run", "tiny", "--job", self.file("k.fio", job(rw="read", bs="4k", size="64k", direct=1, thread=1)))
        self.assertNotIn("inert", done.stdout)

    def test_devices_that_a_front_cannot_drive(self):
        tier = '[hdd]\ncapacity = "1 GiB"\n'
        cases = [(["linux", "--shell", "--kernel", "/bin/true"], tier, "hdd.capacity: a Linux guest is in front of an SSD alone"),
                 (["linux", "--shell", "--kernel", "/bin/true"], '[host.cache]\nsize = "1 MiB"\n', "host.cache.size: a Linux guest"),
                 (["linux", "--shell", "--kernel", "/bin/true"], "[power]\ncut_at = \"1 ms\"\n", "power.cut_at: power cuts are for"),
                 (["torture", "--linux", "ext4", "--kernel", "/bin/true"], tier, "hdd.capacity: a Linux guest"),
                 (["nbd", "--run", "true", "--state", "kept"], tier, "hdd.capacity: a tier cannot be saved"),
                 (["nbd", "--run", "true"], "[power]\ncut_at = \"1 ms\"\n", "power.cut_at: power cuts are for"),
                 (["vfio-user", "--socket", "s"], tier, "hdd.capacity: a vfio-user server is in front of an SSD alone"),
                 (["vfio-user", "--socket", "s"], "[power]\ncut_at = \"1 ms\"\n", "power.cut_at: power cuts are for")]
        tiny = self.start("config", "tiny").stdout
        for (command, *options), table, expected in cases:
            header, line = table.splitlines()
            lines = tiny.splitlines()
            at = lines.index(header)
            key = line.split(" = ")[0]
            row = next(i for i in range(at, len(lines)) if lines[i].startswith(f"{key} = "))
            lines[row] = line
            device = self.file("bad.toml", "\n".join(lines) + "\n")
            self.assertIn(f"bad.toml:{row + 1}: {expected}", self.refused(command, device, *options))


class Datasheet(ProgramCase):
    """flashloom datasheet checks its words, and begins the Python package with them."""

    def begun(self, *words):
        """Runs the command with a Python that shows its environment and words, a line each."""
        show = self.file("python", '#!/bin/sh\necho "$FLASHLOOM_PROGRAM"; shift 2; for word; do echo "$word"; done\n')
        show.chmod(0o755)
        return subprocess.run([PROGRAM, "datasheet", *words], cwd=self.scratch, capture_output=True, text=True, check=False,
                              timeout=TIMEOUT_S, env=os.environ | {"FLASHLOOM_PYTHON": str(show)})

    def test_words_are_passed_on(self):
        for words in (["tiny"], ["tiny", "--class", "client", "--tests", "iops,wsat", "--figures", "dwpd,cost", "--error", "2 %", "--set", "ftl.gc_low=2", "--set", "verify=true",
                                 "--sweep", "nand.channels=1,2", "--sweep", "buffer.size=1 MiB,2 MiB", "--out", "a b", "--jobs", "3", "--seed", "7", "--quiet"]):
            done = self.begun(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            program, begin = done.stdout.split("\n", 1)
            self.assertTrue(os.path.samefile(program, PROGRAM))
            self.assertIn("from flashloom.datasheet.main import main\n", begin)
            self.assertEqual(begin.split("sys.exit(main(sys.argv[1:]))\n\n")[1].splitlines(), words)

    def test_wrong_words(self):
        for words, said in ((["tinny"], 'did you mean "tiny"?'), (["tiny", "--set", "nand.chanels=2"], "nand.chanels"), ([], "device"),
                            (["tiny", "--class", "x"], '--class: "x" is none of client, enterprise'),
                            (["tiny", "--tests", "iops,x"], '--tests: "x" is none of brief, iops, tp, lat, wsat, hir, xsr, dirth, ecw'),
                            (["tiny", "--tests", "lat,lat"], "--tests: lat is named twice"), (["tiny", "--error", "0"], "--error: 0 is out of range"),
                            (["tiny", "--sweep", "nand.channels"], '--sweep: "nand.channels" is no KEY=VALUE,...'),
                            (["tiny", "--sweep", "a=1,,2"], "an empty value"), (["tiny", "--sweep", "a=1,1"], "has 1 twice"),
                            (["tiny", "--sweep", "a=1", "--sweep", "a=2"], "--sweep: a is swept twice"), (["tiny", "--jobs", "0"], "--jobs"),
                            (["tiny", "--seed", "x"], "--seed"), (["tiny", "--out", ""], "--out: is empty")):
            done = self.begun(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(said, done.stderr)


class Terminal(ProgramCase):
    """Colours, --verbose and the pager."""

    def on_terminal(self, *arguments, **environment):
        """What the program writes to stdout and stderr on a terminal of 24 lines."""
        terminal, program = pty.openpty()
        fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
        started = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.scratch, stdin=subprocess.DEVNULL, stdout=program,
                                   stderr=program, env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment})
        os.close(program)
        shown = b""
        try:
            while block := os.read(terminal, 65536):
                shown += block
        except OSError:  # the program has closed the terminal
            pass
        os.close(terminal)
        started.wait(TIMEOUT_S)
        return shown.decode().replace("\r\n", "\n")

    def commands(self):
        return [["config", "tinny"], ["help", "run"], ["list", "streams"],
                ["run", "tiny", "--job", self.file("j.fio", READS)]]

    def test_colours_are_for_terminals(self):
        for command in self.commands():
            with self.subTest(command=command[0]):
                self.assertIn(COLOUR + "1", self.on_terminal(*command))
                for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
                    shown = re.sub(r"\r\x1b\[K[^\r]*", "", self.on_terminal(*command, **environment))  # progress
                    self.assertNotIn(COLOUR, shown.replace("\r" + COLOUR + "K", ""))
                piped = self.start(*command)
                self.assertNotIn("\x1b", piped.stdout + piped.stderr)
        self.assertIn(COLOUR + "1;31merror:", self.on_terminal("config", "tinny"))
        self.assertIn(COLOUR + "33mwarning:", self.on_terminal(*self.commands()[-1]))

    def test_the_pager_is_for_what_is_longer_than_the_terminal(self):
        pager = {"PAGER": "sed 's/^/paged /'"}
        long = self.on_terminal("list", **pager)
        self.assertIn("paged ", long)
        self.assertIn("trace_format", long)
        self.assertNotIn("paged ", self.on_terminal("list", "streams", **pager))
        self.assertNotIn("paged ", self.on_terminal("list", "--no-pager", **pager))
        self.assertNotIn("paged ", self.start("list").stdout)
        self.assertIn("trace_format", self.on_terminal("list", PAGER="no-such-program"))
        self.assertIn("trace_format", self.on_terminal("list", PAGER=""))

    def test_verbose_tells_on_stderr_what_is_read(self):
        work = self.file("j.fio", job(rw="read", bs="4k", size="64k", direct=1))
        plain = self.start("run", "tiny", "--job", work)
        for place in (0, 1, 4):
            words = ["run", "tiny", "--job", work]
            words.insert(place, "--verbose")
            told = self.start(*words)
            self.assertEqual((told.returncode, plain.stderr), (0, ""))
            self.assertRegex(told.stderr, r"flashloom: device file \S*configs/tiny\.toml\n")
            self.assertRegex(told.stderr, r"flashloom: workload: job j\.fio, 16 requests\n")
            self.assertIn("inert direct=1: ", told.stderr)
            cost = re.compile(r"^  cost .*$", re.M)
            self.assertEqual(cost.sub("", told.stdout), cost.sub("", plain.stdout))
        self.start("precondition", "tiny", "--state", "s.state", "--quiet")
        told = self.start("--verbose", "run", "tiny", "--state", "s.state", "--job", work)
        self.assertIn("flashloom: state s.state, of device tiny", told.stderr)


if __name__ == "__main__":
    unittest.main()
