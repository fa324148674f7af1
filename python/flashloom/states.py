"""Which keys of a device a saved state depends on."""
from collections.abc import Collection, Iterable, Mapping
from typing import Any


def shaping_keys(items: Iterable[Mapping[str, Any]]) -> set[str]:
    """Of what `flashloom list config --json` says."""
    return {f"{item['name'].strip('[]')}.{parameter['name']}".removeprefix("(top level).")
            for item in items for parameter in item["parameters"] if parameter.get("shapes_state")}


def shapes_state(key: str, shaping: Collection[str]) -> bool:
    """Cuts count, for a device with verify remembers more where power may be cut."""
    return key in shaping or key in ("power.cut_at", "power.cuts") or key.split(".")[0] == "precondition" or \
        any(key.startswith(f"{shaped}.") for shaped in shaping)
