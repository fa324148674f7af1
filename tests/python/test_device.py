"""flashloom.Device: keys, units, refusals; and which program it runs."""
import os
import signal
import subprocess
import sys
import unittest

from case import PROGRAM, ROOT, PackageCase

import flashloom


class Devices(PackageCase):
    def test_keys_in_each_form(self):
        drive = flashloom.Device("tiny", nand={"channels": 8}, **{"nand.read_time": "25 us"},
                                 buffer={"replacement": {"name": "cflru", "window": "20 %"}})
        config = drive.config()
        self.assertEqual((config["nand"]["channels"], config["nand"]["read_time"]), (8, ["25 us"]))
        self.assertEqual(config["buffer"]["replacement"]["name"], "cflru")
        self.assertEqual(config["nand"]["ways"], 2)  # from the preset
        self.assertEqual(drive.name, "tiny")

    def test_set_gives_another(self):
        drive = flashloom.Device("tiny")
        other = drive.set({"nand.ways": 4}, nand={"channels": 3})
        self.assertEqual((drive.config()["nand"]["ways"], drive.keys), (2, {}))
        self.assertEqual((other.config()["nand"]["ways"], other.config()["nand"]["channels"]), (4, 3))
        self.assertEqual(other, flashloom.Device("tiny", nand={"ways": 4, "channels": 3}))
        self.assertEqual(len({drive, other, other.set()}), 2)
        config = other.config()
        config["nand"]["ways"] = 100  # a copy
        self.assertEqual(other.config()["nand"]["ways"], 4)

    def test_a_file_and_a_text(self):
        path = self.scratch / "mine.toml"
        path.write_text("[nand]\nchannels = 5\n", encoding="utf-8")
        self.assertEqual(flashloom.Device(path).config()["nand"]["channels"], 5)
        self.assertEqual(flashloom.Device(path).name, "mine")
        self.assertEqual(flashloom.Device(text="[nand]\nchannels = 6\n").config()["nand"]["channels"], 6)

    def test_bad_input_says_what_is_valid(self):
        for keys, words in (({"nand.chanels": 3}, ("nand.chanels", "channels")),
                            ({"nand.read_time": 25}, ("nand.read_time", "us")),
                            ({"nand.channels": 0}, ("nand.channels",))):
            with self.subTest(keys), self.assertRaises(flashloom.BadInput) as caught:
                flashloom.Device("tiny", **keys).config()
            self.assertEqual(caught.exception.exit_code, 2)
            self.assertNotIn("flashloom: error:", str(caught.exception))
            for word in words:
                self.assertIn(word, str(caught.exception))
        with self.assertRaisesRegex(flashloom.BadInput, "tiny"):
            flashloom.Device("tinny").config()
        with self.assertRaisesRegex(flashloom.BadInput, r"device\.toml:2.*chanels"):
            flashloom.Device(text="[nand]\nchanels = 6\n").config()
        for given in ((), ("tiny",)):
            with self.assertRaisesRegex(flashloom.BadInput, "exactly one"):
                flashloom.Device(*given, text="" if given else None)
        with self.assertRaisesRegex(flashloom.BadInput, "None"):
            flashloom.Device("tiny", nand={"channels": None})

    def test_errors_are_of_one_family(self):
        for kind in (flashloom.BadInput, flashloom.RunFailed, flashloom.Interrupted):
            self.assertTrue(issubclass(kind, flashloom.FlashloomError))
        self.assertTrue(issubclass(flashloom.Interrupted, KeyboardInterrupt))


class Programs(PackageCase):
    def test_exit_codes_are_exceptions(self):
        for code, kind in ((1, flashloom.RunFailed), (2, flashloom.BadInput), (130, flashloom.Interrupted), (77, flashloom.RunFailed)):
            self.pretend(f"echo 'flashloom: error: so it was' >&2; exit {code}\n")
            with self.subTest(code), self.assertRaises(kind) as caught:
                flashloom.version()
            self.assertEqual(caught.exception.exit_code, code)
            if code != 130:
                self.assertEqual(str(caught.exception), "so it was")
        self.pretend("kill -SEGV $$\n")
        with self.assertRaisesRegex(flashloom.RunFailed, "SIGSEGV"):
            flashloom.version()

    def test_the_variable_names_the_program(self):
        self.assertEqual(str(flashloom.find_program()), os.path.realpath(PROGRAM))
        self.assertRegex(flashloom.version(), r"^\d+\.\d+\.\d+")
        os.environ["FLASHLOOM_PROGRAM"] = "/no/such/program"
        self.addCleanup(os.environ.update, FLASHLOOM_PROGRAM=PROGRAM)
        with self.assertRaisesRegex(flashloom.FlashloomError, "FLASHLOOM_PROGRAM.*/no/such/program"):
            flashloom.version()

    def test_the_command_ends_with_its_reader(self):
        """`flashloom config tiny | head -1`: SIGPIPE ends the command silently, like the program without Python."""
        environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
        with subprocess.Popen([sys.executable, "-m", "flashloom.command", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment) as process:
            process.stdout.close()
            self.assertEqual((process.stderr.read(), process.wait(60)), (b"", -signal.SIGPIPE))

    def test_the_command_is_the_program(self):
        done = subprocess.run([sys.executable, "-m", "flashloom.command", "config", "tiny", "--set", "nand.chanels=1"], check=False,
                              capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT / "python")})
        self.assertEqual(done.returncode, 2)
        self.assertIn("nand.chanels", done.stderr)


if __name__ == "__main__":
    unittest.main()
