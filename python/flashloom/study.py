"""Tables of studies (experiments/run) and of sweeps, out of their folders."""
import json
import os
import pathlib
from typing import TYPE_CHECKING, Any

from .errors import FlashloomError
from .units import unit_of

if TYPE_CHECKING:
    import pandas


def load_study(folder: str | os.PathLike[str], table: str = "table") -> "pandas.DataFrame":
    """The table of a study, out/studies/NAME, or of a sweep's `out` folder, as a DataFrame.

    A row a point. The column `point` is its id: the folder of its result below points/ (flashloom.load reads it), and its name in
    plan.json; with repetitions the ids of all of them, between spaces. attrs: `units` of the columns, `folder`, and `rows`, the
    values of the axes with the ids of each, as plan.json has them.

    table    "runs": a row a run of a study with repetitions; or the name of a summary. Throws FlashloomError.
    """
    import pandas  # pylint: disable=import-outside-toplevel
    place = pathlib.Path(folder).resolve()
    path = place / f"{table}.csv"
    if not path.is_file():
        there = ", ".join(sorted(found.stem for found in place.glob("*.csv"))) or "none"
        raise FlashloomError(f"{place}: there is no {table}.csv; tables there: {there}. experiments/run makes them")
    frame = pandas.read_csv(path, dtype={"point": str})
    plan: dict[str, Any] = {}
    if (place / "plan.json").is_file():
        plan = json.loads((place / "plan.json").read_text(encoding="utf-8"))
    known: dict[str, str] = plan.get("units", {})
    units = {str(name): known.get(str(name).replace("_ci95", ""), known.get(str(name), unit_of(str(name)))) for name in frame.columns}
    frame.attrs = {"units": {name: unit for name, unit in units.items() if unit}, "folder": str(place), "rows": plan.get("rows", [])}
    return frame
