"""What a method asks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlencode


class Call(NamedTuple):
    """A request, and the type that its answer has in the contract."""

    method: str
    path: str
    full: str  # of the full view
    body: object = None
    query: Mapping[str, object] = MappingProxyType({})  # None is left out
    revision: int | None = None  # that is changed

    @property
    def answer(self) -> str:
        return "Compact" * (self.query.get("view") == "compact") + self.full

    @property
    def target(self) -> str:
        """The path with its query."""
        given = {name: _text(value) for name, value in self.query.items() if value not in (None, "full")}
        return self.path + ("?" + urlencode(given) if given else "")


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else str(value)
