"""The schedule of bench/segments against hand-worked cases."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from segment_schedule import bound, simulate  # noqa: E402  pylint: disable=wrong-import-position


class Schedule(unittest.TestCase):
    def test_a_pass_that_takes_nothing(self):
        for segments, cores, time in ((4, 2, 200), (4, 4, 100), (4, 64, 100), (5, 2, 300), (4, 1, 400)):
            self.assertAlmostEqual(simulate([100] * segments, 0, 0, 1, cores), time)
        self.assertAlmostEqual(simulate([100] * 4, 10, 0, 1, 4), 110)

    def test_each_segment_waits_for_the_pass(self):
        # With enough cores, segment k starts at its position times 0.1: the last one at 30 - 1, and takes 110.
        self.assertAlmostEqual(simulate([100] * 4, 10, 0.1, 1, 64), 29 + 110)
        self.assertAlmostEqual(bound([100] * 4, 10, 0.1, 1, 64), 139)

    def test_two_cores_share_three_processes(self):
        # The pass reaches 100 after 10 s; then three processes share two cores, and the pass ends after 15 more. By
        # then the segments have done 20 and 10 of 100; 80 s later the first ends, 10 s later the other.
        self.assertAlmostEqual(simulate([100, 100], 0, 0.1, 1, 2), 10 + 15 + 80 + 10)
        self.assertAlmostEqual(bound([100, 100], 0, 0.1, 1, 2), 110)

    def test_no_schedule_is_shorter_than_its_bound(self):
        for cores in (1, 2, 3, 7, 64):
            for lengths in ([100] * 7, [130, 110, 90, 70], [50, 100, 400]):
                self.assertGreaterEqual(simulate(lengths, 20, 0.07, 1, cores) + 1e-9, bound(lengths, 20, 0.07, 1, cores))


if __name__ == "__main__":
    unittest.main()
