"""What CPU and memory cost to host, by a price list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal

import yaml
from pydantic import TypeAdapter

from testbed.analysis.results import total
from testbed.model.declared import Declared
from testbed.model.errors import unknown
from testbed.model.project import SHIPS

FILE = SHIPS / "analysis" / "prices.yaml"

Sizes = Literal["pro rata", "on sale"]
SIZES: tuple[Sizes, ...] = ("pro rata", "on sale")


class Size(Declared):
    """A number of vCPUs on sale, and the memory that can be bought with it, in GB of 2^30 bytes."""

    vcpus: float
    least_gb: float
    most_gb: float
    step_gb: float = 1

    def memory(self, gb: float) -> float | None:
        """Return the least memory on sale that is enough; None if the most is not."""
        bought_gb = self.least_gb
        while bought_gb < gb - 1e-9:
            # Half a GB is followed by whole ones.
            bought_gb = bought_gb + self.step_gb if bought_gb >= self.step_gb else self.step_gb
        return bought_gb if bought_gb <= self.most_gb else None


class PriceList(Declared):
    """Prices per hour; ``sizes`` are those on sale, the smallest first."""

    source: str
    vcpu_hour_usd: float
    gb_hour_usd: float
    sizes: tuple[Size, ...]

    def cost(self, vcpus: float, gb: float, sizes: Sizes) -> float | None:
        """Return what one part costs per hour; None if nothing on sale is enough."""
        if sizes == "pro rata":
            return vcpus * self.vcpu_hour_usd + gb * self.gb_hour_usd
        bought = (
            self.cost(size.vcpus, memory, "pro rata")
            for size in self.sizes
            if size.vcpus >= vcpus - 1e-9 and (memory := size.memory(gb)) is not None
        )
        return min((price for price in bought if price is not None), default=None)

    def together(self, parts: Iterable[tuple[float, float]], sizes: Sizes) -> float | None:
        """Return what parts of vCPUs and GB cost together; each part is bought by itself."""
        return total(self.cost(vcpus, gb, sizes) for vcpus, gb in parts) or None


@cache
def price_lists() -> Mapping[str, PriceList]:
    data = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return TypeAdapter(dict[str, PriceList]).validate_python(data["lists"])


def price_list(name: str) -> PriceList:
    """Return a price list; raise `UserError` if there is none of this name."""
    if name not in price_lists():
        raise unknown("price list", name, price_lists())
    return price_lists()[name]
