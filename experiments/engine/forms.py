"""Functions that expressions of metrics may call: closed forms of a device's effective configuration."""
from collections.abc import Callable, Mapping
from typing import Any

from . import closed_forms, cost

FORMS: dict[str, Callable[..., Any]] = {"bound": closed_forms.bound, "bottleneck": closed_forms.bottleneck, "price": cost.price,
                                        "dwpd": cost.drive_writes_per_day}


def of_device(configuration: Callable[[], dict[str, Any] | None]) -> Mapping[str, Callable[..., Any]]:
    """The functions for one device. Each call gets the device from `configuration`; if that is None, the value is None, too."""
    def one(form: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any) -> Any:
            found = configuration()
            return None if found is None else form(found, *arguments)
        return called
    return {name: one(form) for name, form in FORMS.items()}
