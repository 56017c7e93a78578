"""Whether an answer is complete."""

from __future__ import annotations

import math
from typing import Any

from ._answers import ANSWERS as _ANSWERS

ANSWERS: dict[str, dict[str, Any]] = _ANSWERS  # type: ignore[assignment]


def check(name: str, value: Any, asked: Any = None) -> None:
    """Raises ValueError unless every member that the contract requires is there, with its type, and a plan that was
    asked has one result for each trade."""
    problem = _problem({"ref": name}, "the answer", value)
    if not problem and name in ("BatchAnswer", "CompactBatchAnswer"):
        results, trades = len(value["results"]), len(asked["trades"])
        problem = "" if results == trades else f"{results} results for {trades} trades"
    if problem:
        raise ValueError(problem)


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
