"""What a device draws at least and at most, from the powers of its configuration. docs/energy.md has the models."""
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .bound_device import Device
from .bound_facts import Facts

if TYPE_CHECKING:
    from .bounds import Bound


@dataclass(frozen=True)
class Energy:
    """`background`: watts at any time at least; `bytes_j`: joules that each byte of the host takes beside it at least."""
    background: float
    bytes_j: float

    def j_per_gb(self, most_bytes_per_s: float) -> float:
        time = 0.0 if math.isinf(most_bytes_per_s) or most_bytes_per_s <= 0 else 1e9 / most_bytes_per_s
        return self.background * time + self.bytes_j * 1e9

    def reason(self, throughput: "Bound") -> str:
        return f"{self.background:.4g} W while it moves a GB ({throughput.reason_high}), and {self.bytes_j * 1e9:.4g} J/GB"


def least_energy(device: Device, facts: Facts) -> Energy:
    return Energy(0.0, 0.0)


def most_power(device: Device, facts: Facts) -> tuple[float, str]:
    return math.inf, "not known"
