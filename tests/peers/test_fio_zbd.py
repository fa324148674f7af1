"""fio's t/zbd/test-zbd-support on a zoned drive in a guest."""
import json
import re
import unittest

from suites import FAILED, NOT_RUNNABLE, PASSED, GuestCase, needs, takes_long

# 200 zones of 1 MiB, of which 768 KiB can be written.
ZONED = ["nand.page_size=16 KiB", "nand.pages=12", "nand.blocks=256", "host_interface.sector_size=4 KiB",
         "buffer.replacement=fifo", 'ftl.kind={ name="zoned", zone_size="1 MiB", max_open=16, max_active=16 }']
ANSWERS = {"PASS": PASSED, "FAIL": FAILED, "SKIP": NOT_RUNNABLE}


class FioZbd(GuestCase):
    @needs("fio", "blkzone", "apt-get", "dpkg-source", "cc")
    @takes_long(115)
    def test_suite(self):
        source = self.source("fio")
        self.fio(source / "fio")
        script = source / "t/zbd/test-zbd-support"
        # Eight cases last 30 s, each of which are some 100,000 requests here: a second says the same.
        script.write_text(re.sub(r"--runtime=30s?\b", "--runtime=1", script.read_text(encoding="utf-8")), encoding="utf-8")
        # -w: other cases' zones count among those that may be active.
        out, printed = self.boot(f"cd {script.parent} && bash ./{script.name} -r -w /dev/nvme0n1\n"
                                 f"tail -n 40 {script.name}.log.* > /out/logs\n", "--memory", "512 MiB", sets=ZONED)
        self.judge("fio_zbd", {f"test{int(number)}": ANSWERS[answer] for number, answer in
                               re.findall(r"Running test (\d+) \.\.\. .*?(PASS|FAIL|SKIP)", printed)})
        result = json.loads((out / "result.json").read_text())
        self.assertEqual(result["verify"]["mismatches"], 0)


if __name__ == "__main__":
    unittest.main()
