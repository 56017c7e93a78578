"""Whether an answer is complete."""

from __future__ import annotations

import math
from typing import Any

from ._answers import ANSWERS as _ANSWERS
from .contract import BatchRequest
from .errors import BallastError

ANSWERS: dict[str, dict[str, Any]] = _ANSWERS  # type: ignore[assignment]


def check(name: str, value: object) -> None:
    """Raises ValueError unless every member that the contract requires is there, with its type."""
    problem = _problem({"ref": name}, "the answer", value)
    if problem:
        raise ValueError(problem)


def planned(answer: Any, request: BatchRequest) -> Any:
    """Returns the answer to a plan if it has one result for each trade."""
    results, trades = len(answer["results"]), len(request["trades"])
    if results != trades:
        raise BallastError(200, "not_ballast", f"HTTP 200: {results} results for {trades} trades")
    return answer


def _problem(shape: dict[str, Any], path: str, value: Any) -> str:
    """Says what is wrong with a value; "": nothing."""
    shape = ANSWERS[shape["ref"]] if "ref" in shape else shape
    if "any" in shape:
        problems = [_problem(one, path, value) for one in shape["any"]]
        return "" if "" in problems else problems[0]
    kind = _kind(value)
    types = shape.get("type", [kind])
    if kind not in types and not (kind == "integer" and "number" in types):
        return f"{path} is {kind}, want {' or '.join(types)}"
    if "enum" in shape and value not in shape["enum"] or (
        kind in ("integer", "number") and not shape.get("minimum", value) <= value <= shape.get("maximum", value)
    ):
        return f"{path} has a value that the contract does not have"
    parts = []
    if kind == "array" and "items" in shape:
        parts = [(shape["items"], f"{path}[{i}]", element) for i, element in enumerate(value)]
    elif kind == "object":
        for name in shape.get("required", []):
            if name not in value:
                return f"{path}.{name} is missing"
        members = shape.get("properties", {})
        rest = shape.get("values", {})
        parts = [(members.get(name, rest), f"{path}.{name}", member) for name, member in value.items()]
    return next(filter(None, (_problem(*part) for part in parts)), "")


def _kind(value: object) -> str:
    """Names the type of a JSON value."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return "infinite"
        return "integer" if value.is_integer() else "number"
    names: dict[type, str] = {type(None): "null", bool: "boolean", str: "string", int: "integer", list: "array"}
    return names.get(type(value), "object")
