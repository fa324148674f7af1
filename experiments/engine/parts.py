"""The parts of a study: sweeps that answer one question together, as [part.NAME] tables of one study.toml."""
import dataclasses
import pathlib
from typing import Any

from .errors import StudyError, one_of, shown, wrong
from .expressions import Expression
from .figure_reader import Figure
from .study import Study, study_of
from .table_reader import NAME, laid_over, read_toml


def load_parts(folder: pathlib.Path, quick: bool = False) -> list[Study]:
    """The parts of a study, in the order of the file; a study without parts is the only one. Throws StudyError."""
    path = folder / "study.toml"
    values = read_toml(path)
    if "part" not in values:
        return [study_of(path, values, quick)]
    return [_loaded(path, name, text, quick) for name, text in parts_of(path, values).items()]


def parts_of(path: pathlib.Path, values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By name of each part: the keys of a study, which are those of the file with the part's own laid over them."""
    parts = values["part"]
    if not isinstance(parts, dict) or not parts or not all(isinstance(part, dict) for part in parts.values()):
        raise wrong(path, "part", "is a table of parts: [part.NAME]")
    common = {key: value for key, value in values.items() if key != "part"}
    found: dict[str, dict[str, Any]] = {}
    for name, part in parts.items():
        if not NAME.match(name):
            raise wrong(path, f"part.{name}", "a name is made of a-z, 0-9 and _ and begins with a letter")
        like = part.get("like")
        if like is not None and like not in found:
            raise wrong(path, f"part.{name}.like", f"is {like!r}, and must be a part above; {one_of(found, str(like))}")
        base = _without(path, f"part.{name}.without", found[like] if like else common, part.get("without", []))
        laid = laid_over(base, {key: value for key, value in part.items() if key not in ("like", "without", "keep")})
        found[name] = _kept(path, f"part.{name}.keep", laid, part.get("keep", {}))
    return found


def _without(path: pathlib.Path, key: str, values: dict[str, Any], gone: Any) -> dict[str, Any]:
    """The keys that a part takes from the file or another part, but for these: each is TABLE.NAME, as axis.depth or set.dram.size."""
    if not isinstance(gone, list) or not all(isinstance(name, str) for name in gone):
        raise wrong(path, key, "is a list of keys, each TABLE.NAME")
    left = dict(values)
    for text in gone:
        table, _, name = text.partition(".")
        inner = left.get(table)
        if not isinstance(inner, dict) or name not in inner:
            raise wrong(path, key, f"{text!r} is not there; each is TABLE.NAME, as axis.depth or set.dram.size")
        left[table] = {other: value for other, value in inner.items() if other != name}
    return {name: value for name, value in left.items() if value != {}}


def _kept(path: pathlib.Path, key: str, values: dict[str, Any], keep: Any) -> dict[str, Any]:
    """Of the axes (or workloads) that `keep` names only these values."""
    if not isinstance(keep, dict) or not all(isinstance(wanted, list) and wanted for wanted in keep.values()):
        raise wrong(path, key, "is a table of axes (or workload), each with a list of values")
    axes, workloads = dict(values.get("axis", {})), values.get("workload", {})
    for name, wanted in keep.items():
        there = workloads if name == "workload" else axes.get(name, {}).get("variants", axes.get(name, {}).get("values"))
        if there is None:
            raise wrong(path, f"{key}.{name}", f"unknown axis; {one_of(['workload', *axes], name)}")
        for value in wanted:
            if value not in there:
                raise wrong(path, f"{key}.{name}", f"{value!r} is none of its values; {one_of(list(there), str(value))}")
        if name == "workload":
            workloads = {value: workloads[value] for value in wanted}
        elif isinstance(there, dict):
            axes[name] = axes[name] | {"variants": {value: there[value] for value in wanted}}
        else:
            axes[name] = axes[name] | {"values": wanted}
    return values | {name: table for name, table in (("axis", axes), ("workload", workloads)) if table}


def _loaded(path: pathlib.Path, name: str, values: dict[str, Any], quick: bool) -> Study:
    try:
        study = study_of(path, values, quick)
    except StudyError as error:
        raise type(error)(f"{error} (in part {name})") from None
    return dataclasses.replace(study, name=f"{study.name}-{name}", part=name)


def chosen(parts: list[Study], name: str | None) -> list[Study]:
    """The part that is called so; without a name all. Throws StudyError."""
    found = [study for study in parts if name in (None, study.part)]
    if not found:
        names = [study.part for study in parts if study.part]
        raise StudyError(f"{shown(parts[0].file)}: has no part {name}; {one_of(names, str(name)) if names else 'it has no parts'}")
    return found


def with_figure(parts: list[Study], name: str) -> list[Study]:
    """The parts that have the figure, with it alone, and the points that it shows and compares with. Throws StudyError."""
    found = [_of_figure(study, figure) for study in parts for figure in study.figures if figure.name.replace("_", "-") == name.replace("_", "-")]
    if not found:
        names = [figure.name for study in parts for figure in study.figures]
        raise StudyError(f"{shown(parts[0].file)}: has no figure {name}; {one_of(names, name) if names else 'it has no figures'}")
    return found


def _of_figure(study: Study, figure: Figure) -> Study:
    drop = list(study.drop)
    axes = {"workload", *(axis.name for axis in study.axes)}
    if figure.rows is not None and figure.rows.names <= axes and not figure.rows.fields:
        kept = [figure.rows.text.strip(), *(" and ".join(f"{axis} == {value!r}" for axis, value in fixed.items())
                                            for fixed in study.baselines.values())]
        drop.append(Expression(f"not ({') and not ('.join(kept)})"))
    return dataclasses.replace(study, figures=[figure], summaries=[], indices=None, drop=drop)


def prefix_of(study: Study) -> str:
    """What stands before the names of a part's summaries in what the study keeps."""
    return f"{study.part}." if study.part else ""


def find_study(root: pathlib.Path, name: str) -> pathlib.Path:
    """The folder of a study; `name` is the name of a folder of experiments/, or a path. Throws StudyError."""
    valid = sorted(path.parent.name for path in (root / "experiments").glob("*/study.toml"))
    for folder in (root / "experiments" / name, pathlib.Path(name)):
        if (folder / "study.toml").is_file():
            return folder.resolve()
    if pathlib.Path(name).is_dir():
        raise StudyError(f"{shown(pathlib.Path(name))}: has no study.toml")
    raise StudyError(f"no study {name}; {one_of(valid, name)}; or the path of a folder with a study.toml")
