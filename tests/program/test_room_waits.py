"""Waits of writes that find the buffer full: the causes add up, and are causes that the device has."""
import json

from program import ProgramCase, job

SMALL = ("buffer.size=64 KiB", "buffer.room_waits=true")
COLLECTING = ("die_collection", "die_erase", "block")


class RoomWaits(ProgramCase):
    def waits(self, text, *sets):
        out = self.simulate("tiny", "--job", self.file("job.fio", text), sets=(*SMALL, *sets))
        result = json.loads((out / "result.json").read_text())
        waits = result["buffer"]["room_waits"]
        self.assertAlmostEqual(sum(waits["causes_s"].values()), waits["total_s"], delta=1e-9 * (1 + waits["total_s"]))
        self.assertLessEqual(sum(waits["dies_s"]), waits["total_s"] * (1 + 1e-9))
        self.assertEqual(len(waits["dies_s"]), len(result["utilization"]["dies"]))
        return result, waits

    def test_they_are_the_part_of_the_latency(self):
        for ftl in ("page_map", "fast", "dftl"):
            with self.subTest(ftl=ftl):
                result, waits = self.waits(job(rw="randwrite", bs="4k", iodepth=8, size="100%", io_size="24m"), "precondition.fill=1.0",
                                           f"ftl.kind={ftl}")
                write = result["host"]["write"]
                part = write["latency_breakdown_ns"]["mean"]["buffer"] * write["ios"] * 1e-9
                self.assertGreater(waits["waits"], 100)
                self.assertAlmostEqual(waits["total_s"] / part, 1, places=9)
                # FAST merges while the destager hands over data, so the wait is the destager's.
                collecting = (*COLLECTING, "destager") if ftl == "fast" else COLLECTING
                self.assertGreater(sum(waits["causes_s"][cause] for cause in collecting), 0.3 * waits["total_s"])

    def test_where_nothing_is_collected_nobody_waits_for_it(self):
        _, waits = self.waits(job(rw="write", bs="16k", iodepth=8, size="100%", io_size="8m"))
        self.assertGreater(waits["waits"], 100)
        self.assertEqual((waits["causes_s"]["die_collection"], waits["causes_s"]["die_erase"]), (0, 0))
        self.assertGreater(waits["causes_s"]["array"], 0.2 * waits["total_s"])
        self.assertTrue(all(time > 0 for time in waits["dies_s"]))

    def test_they_are_noted_only_where_somebody_asks_and_change_nothing(self):
        text = job(rw="randwrite", bs="4k", iodepth=8, size="100%", io_size="8m")
        noted, _ = self.waits(text)
        out = self.simulate("tiny", "--job", self.file("job.fio", text), sets=("buffer.size=64 KiB",))
        plain = json.loads((out / "result.json").read_text())
        self.assertIsNone(plain["buffer"]["room_waits"])
        for result in (noted, plain):
            del result["buffer"]["room_waits"], result["config"]["buffer"]["room_waits"]
        self.assertEqual(noted, plain)

    def test_nobody_waits_without_time_or_for_an_empty_buffer(self):
        _, waits = self.waits(job(rw="write", bs="4k", iodepth=1, size="100%", io_size="32k"))
        self.assertEqual((waits["waits"], waits["total_s"]), (0, 0))


if __name__ == "__main__":
    import unittest
    unittest.main()
