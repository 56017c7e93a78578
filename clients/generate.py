#!/usr/bin/env python3
"""Writes the types of the clients from the contract: server/spec/openapi.json and asyncapi.json.

    clients/generate.py           writes them
    clients/generate.py --check   exits with 1 when a file is not what would be written
"""

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTE = "Written by clients/generate.py from the contract in server/spec. Do not edit."
# What a schema may say about a value: the keywords that change its type, and those that only limit or explain it.
SHAPE = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref"}
LIMITS = {
    "description", "minimum", "maximum", "exclusiveMinimum", "minItems", "maxItems", "uniqueItems",
    "pattern", "format", "default", "examples", "deprecated",
}  # fmt: skip


def contract():
    """Returns the named schemas of both documents, objects inside objects under names of their own."""
    schemas = {}
    for name in ("openapi", "asyncapi"):
        document = json.loads((ROOT / f"server/spec/{name}.json").read_text())
        for schema, node in document["components"]["schemas"].items():
            lift(schema, node, schemas)
    return schemas


def lift(name, node, schemas):
    """Files an object and what it holds under names."""
    if name in schemas:
        raise ValueError(f"two schemas are called {name}")
    schemas[name] = node
    for field, child in node.get("properties", {}).items():
        node["properties"][field] = reference(name + camel(field), child, schemas)


def reference(name, node, schemas):
    """Returns node with references in place of the objects in it."""
    unknown = node.keys() - SHAPE - LIMITS
    if unknown:
        raise ValueError(f"{name}: the generator does not know {unknown}")
    if "items" in node:
        return node | {"items": reference(name.removesuffix("s"), node["items"], schemas)}
    if "anyOf" in node:
        return node | {"anyOf": [reference(name, branch, schemas) for branch in node["anyOf"]]}
    if "properties" not in node:
        return node
    lift(name, {key: value for key, value in node.items() if key != "type"}, schemas)
    branches = [{"$ref": "#/components/schemas/" + name}]
    if "null" in types(node):
        branches.append({"type": "null"})
    return {"anyOf": branches, "description": node.get("description", "")}


def types(node):
    found = node.get("type", [])
    return found if isinstance(found, list) else [found]


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


# Python


def python_type(node):
    if "$ref" in node:
        return node["$ref"].rpartition("/")[2]
    if "anyOf" in node:
        return " | ".join(dict.fromkeys(python_type(branch) for branch in node["anyOf"]))
    if "enum" in node or "const" in node:
        values = node.get("enum", [node.get("const")])
        if any(isinstance(value, float) for value in values):
            return "float"  # which a Literal cannot hold
        texts = ["None" if value is None else json.dumps(value) for value in values]
        return f"Literal[{', '.join(texts)}]"
    if not types(node):
        return "Any"
    names = {
        "string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None", "object": "dict[str, Any]",
    }  # fmt: skip
    return " | ".join(
        f"list[{python_type(node['items'])}]" if name == "array" else names[name] for name in types(node)
    )


def python_comment(text, indent):
    return textwrap.wrap(text, 110 - len(indent), initial_indent=indent + "# ", subsequent_indent=indent + "# ")


def python_class(name, node):
    required = set(node.get("required", []))
    fields = {
        field: python_type(child) if field in required else f"NotRequired[{python_type(child)}]"
        for field, child in node["properties"].items()
    }
    notes = {field: child.get("description", "") for field, child in node["properties"].items()}
    if any(keyword.iskeyword(field) for field in fields):  # such as "from", which cannot be an attribute
        lines = python_comment(node.get("description", ""), "")
        lines += [f"{name} = TypedDict(", f'    "{name}",', "    {"]
        for field, kind in fields.items():
            lines += python_comment(notes[field], " " * 8) + [f'        "{field}": {kind!r},']
        return lines + ["    },", ")"]
    lines = [f"class {name}(TypedDict):"]
    if description := node.get("description"):
        lines += textwrap.wrap(f'"""{description}"""', 106, initial_indent="    ", subsequent_indent="    ") + [""]
    for field, kind in fields.items():
        lines += python_comment(notes[field], "    ") + [f"    {field}: {kind}"]
    return lines


def python(schemas):
    lines = [
        f'"""What the service takes and answers. {NOTE}"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Any, Literal, NotRequired, TypedDict",
        "",
    ]
    for name, node in schemas.items():
        if "properties" in node:
            lines += ["", *python_class(name, node), ""]
        else:
            values = textwrap.indent(",\n".join(json.dumps(value) for value in node["enum"]), "    ")
            lines += ["", *python_comment(node["description"], ""), f"{name} = Literal[\n{values},\n]", ""]
    return "\n".join(lines)


def main():
    schemas = contract()
    files = {"clients/python/src/ballast/contract.py": python(schemas)}
    stale = [name for name, text in files.items() if not (ROOT / name).exists() or (ROOT / name).read_text() != text]
    if "--check" not in sys.argv:
        for name, text in files.items():
            (ROOT / name).write_text(text)
    elif stale:
        sys.exit(f"not as the contract says: {', '.join(stale)}; run make gen")


if __name__ == "__main__":
    main()
