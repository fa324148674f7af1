"""Error bars of energy in results and in the frames of sweeps, from a script with known bands in place of the program.
"""
import json

from case import PackageCase

import flashloom

BAND = {"mean": 3.0, "p5": 2.0, "p50": 3.0, "p95": 4.5}
RESULT = {"energy": {"j_per_gb": 3.1, "average_w": 2.0, "uncertainty": {
              "samples": 100, "keys": {}, "total_j": BAND, "j_per_gb": BAND, "kinds": {"nand": BAND}, "operations": {"nand.read": BAND}, "tornado": []}},
          "ftl": {"units_zeroed": 0, "waf": 1.0}, "buffer": {"read_units": 1}, "workload": {}}
# Copies answer.json into the folder after --out; records its arguments.
SCRIPT = """
case "$1" in config) echo '{}'; exit 0;; esac
echo "$@" >> "$(dirname "$0")/words"
while [ "$1" != --out ]; do shift; done
cp "$(dirname "$0")/answer.json" "$2/result.json"
"""


class Uncertainty(PackageCase):
    def setUp(self):
        super().setUp()
        self.pretend(SCRIPT)
        self.answer(RESULT)

    def answer(self, result):
        (self.scratch / "answer.json").write_text(json.dumps(result), encoding="utf-8")

    def sweep(self, **more):
        device = flashloom.Device(text="[nand]\nchannels = 2\n")
        metrics = {"energy": "energy.j_per_gb", "power": "energy.average_w", "waf": "ftl.waf", "twice": lambda result: 2 * result["energy.j_per_gb"]}
        return flashloom.sweep(device, {"nand.ways": [1, 2]}, generate="mix:requests=10", metrics=metrics, progress=False, **more)

    def test_frames_have_the_columns_of_bands(self):
        frame = self.sweep(uncertainty=100).frame
        self.assertEqual(list(frame.columns), ["point", "nand.ways", "energy", "energy_p5", "energy_p50", "energy_p95", "power", "waf", "twice"])
        self.assertEqual(frame["energy_p95"].tolist(), [4.5, 4.5])
        self.assertEqual(frame.attrs["units"]["energy_p5"], frame.attrs["units"]["energy"])
        self.assertEqual((self.scratch / "words").read_text().count("--uncertainty 100"), 2)

    def test_without_there_are_none_and_points_are_others(self):
        with_bands = self.sweep(uncertainty=100).frame
        del RESULT["energy"]["uncertainty"]
        self.addCleanup(RESULT["energy"].update, uncertainty=json.loads((self.scratch / "answer.json").read_text())["energy"]["uncertainty"])
        self.answer(RESULT)
        frame = self.sweep().frame
        self.assertEqual(list(frame.columns), ["point", "nand.ways", "energy", "power", "waf", "twice"])
        self.assertFalse(set(frame["point"]) & set(with_bands["point"]))

    def test_the_bands_of_a_result(self):
        folder = self.scratch / "result"
        folder.mkdir()
        (folder / "result.json").write_text(json.dumps(RESULT), encoding="utf-8")
        bands = flashloom.load(folder).energy_bands
        self.assertEqual(list(bands.index), ["total_j", "j_per_gb", "kinds.nand", "operations.nand.read"])
        self.assertEqual(bands.loc["kinds.nand"].to_dict(), BAND)
        (folder / "result.json").write_text(json.dumps({"energy": {"j_per_gb": 3}}), encoding="utf-8")
        empty = flashloom.load(folder).energy_bands
        self.assertEqual((len(empty), list(empty.columns)), (0, ["mean", "p5", "p50", "p95"]))


if __name__ == "__main__":
    import unittest
    unittest.main()
