#!/usr/bin/env python3
"""Writes the types of the clients and a Postman collection from the contract: server/spec/openapi.json and
asyncapi.json.

    clients/generate.py           writes them
    clients/generate.py --check   exits with 1 when a file is out of date
"""

import json
import keyword
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTE = "Written by clients/generate.py from the contract in server/spec. Do not edit."
# The JSON Schema keywords that are allowed: SHAPE determine the type of a value, LIMITS only limit or explain it.
SHAPE = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref"}
LIMITS = {
    "description", "minimum", "maximum", "minItems", "maxItems", "uniqueItems",
    "minProperties", "maxProperties",
    "pattern", "format", "default", "deprecated",
}  # fmt: skip


def contract():
    """Returns the named schemas of both documents. Nested objects become schemas with their own names."""
    schemas = {}
    for name in ("openapi", "asyncapi"):
        document = json.loads((ROOT / f"server/spec/{name}.json").read_text())
        for schema, node in document["components"]["schemas"].items():
            lift(schema, node, schemas)
    return schemas


def lift(name, node, schemas):
    """Adds an object to schemas under a name, and its nested objects under names derived from it."""
    if name in schemas:
        raise ValueError(f"two schemas are called {name}")
    schemas[name] = node
    for field, child in node.get("properties", {}).items():
        node["properties"][field] = reference(name + camel(field), child, schemas)


def reference(name, node, schemas):
    """Returns node with its nested objects replaced by references to schemas."""
    unknown = node.keys() - SHAPE - LIMITS
    if unknown:
        raise ValueError(f"{name}: the generator does not know {unknown}")
    if "items" in node:
        return node | {"items": reference(name.removesuffix("s"), node["items"], schemas)}
    if "anyOf" in node:
        return node | {"anyOf": [reference(name, branch, schemas) for branch in node["anyOf"]]}
    if "properties" not in node:
        values = node.get("additionalProperties")
        if isinstance(values, dict):  # a map
            return node | {"additionalProperties": reference(name + "Value", values, schemas)}
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
            return "float"  # a Literal cannot hold a float
        texts = [repr(value) if value is None or isinstance(value, bool) else json.dumps(value) for value in values]
        return f"Literal[{', '.join(texts)}]"
    if not types(node):
        return "Any"
    values = node.get("additionalProperties")
    names = {
        "string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None",
        "object": f"dict[str, {python_type(values) if isinstance(values, dict) else 'Any'}]",
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


# Go

INITIALISMS = {"cex": "CEX", "evt": "EVT", "id": "ID", "oi": "OI", "pnl": "PnL", "usd": "USD", "utc": "UTC", "var": "VaR"}


def go_name(text):
    """Returns the exported Go name. An underscore between digits stays: var_99_24h is VaR99_24h."""
    words = [INITIALISMS.get(word, word[:1].upper() + word[1:]) for word in re.split(r"[^A-Za-z0-9]+", text)]
    return re.sub(r"(?<=[0-9])_(?![0-9])|(?<![0-9])_", "", "_".join(words))


def go_enums(schemas):
    """Returns the names of the Go enum types by field and values, and the values by type name.

    A type is named after its field if several schemas have this field with these values or if the field's
    name has several words, else after schema and field. A subset of a shared type's values has that type."""
    users = {}
    for schema, node in schemas.items():
        for field, child in node.get("properties", {}).items():
            if values := go_values(child):
                users.setdefault((field, values), []).append(schema)
    names, constants = {}, {}
    for field, values in sorted(users, key=lambda key: -len(key[1])):
        wider = next((key for key in names if key[0] == field and set(values) <= set(key[1]) and len(users[key]) > 1), None)
        if wider:
            names[field, values] = names[wider]
        elif len(values) > 1:
            shared = len(users[field, values]) > 1 or "_" in field
            name = go_name(field) if shared else users[field, values][0] + go_name(field)
            if name in schemas or name in constants:
                raise ValueError(f"{name} is two types")
            names[field, values] = name
            constants[name] = values
    return names, constants


def go_values(node):
    """Returns the values of an enum field; () for another field or if a value cannot be a Go constant."""
    for branch in node.get("anyOf", []):
        if "enum" in branch:
            return go_values(branch)
    values = tuple(value for value in node.get("enum", [node.get("const")]) if value is not None)
    return values if all(isinstance(value, str) and re.fullmatch(r"[a-z][a-z0-9_-]*", value) for value in values) else ()


def go_type(node, enum):
    """Returns the Go type, and whether the field can be null."""
    if "$ref" in node:
        return node["$ref"].rpartition("/")[2], False
    if "anyOf" in node:
        branches = list(dict.fromkeys(go_type(branch, enum)[0] for branch in node["anyOf"] if types(branch) != ["null"]))
        null = any(types(branch) == ["null"] for branch in node["anyOf"])
        return (branches[0] if len(branches) == 1 else f"TradeResult[{', '.join(branches)}]"), null
    kinds = [kind for kind in types(node) if kind != "null"]
    null = len(kinds) < len(types(node))
    if len(kinds) != 1:
        return "any", False
    if kinds == ["array"]:
        return "[]" + go_type(node["items"], enum)[0], False
    values = node.get("additionalProperties")
    element = go_type(values, None)[0] if isinstance(values, dict) else "any"
    names = {
        "string": enum or "string", "number": "float64", "integer": "int64", "boolean": "bool",
        "object": "map[string]" + element,
    }  # fmt: skip
    return names[kinds[0]], null and kinds != ["object"]


def go_field(field, node, required, enum):
    """Returns the declaration. An optional field is a pointer, unless its zero value means the same as omitting it."""
    kind, null = go_type(node, enum)
    if required:
        return f'{go_name(field)} {"*" if null else ""}{kind} `json:"{field}"`'
    plain = (
        kind in ("string", "any", enum)
        or kind.startswith(("[]", "map["))
        or node.get("minimum", 0) > 0
        or "over 0" in node.get("description", "")  # the contract has no exclusiveMinimum: some generators lack it
        or re.search("Left out: false|Only false", node.get("description", ""))
    )
    return f'{go_name(field)} {"" if plain else "*"}{kind} `json:"{field},omitzero"`'


def go_comment(text, indent=""):
    return textwrap.wrap(text, 110, initial_indent=indent + "// ", subsequent_indent=indent + "// ")


def reachable(schemas, name, found):
    """Adds to found the schemas that the schema of a name uses, itself included."""
    if name not in found:
        found.add(name)
        for used in re.findall(r"#/components/schemas/(\w+)", json.dumps(schemas[name])):
            reachable(schemas, used, found)
    return found


def go(package, schemas):
    names, constants = go_enums(schemas)
    lines = [f"// {NOTE}", "", f"package {package}"]
    for name, node in schemas.items():
        lines += ["", *go_comment(f"{name}: {node.get('description', '')}")]
        if "properties" not in node:
            constants[name] = tuple(node["enum"])
            lines += [f"type {name} string"]
            continue
        lines += [f"type {name} struct {{"]
        for field, child in node["properties"].items():
            enum = names.get((field, go_values(child)))
            lines += go_comment(child.get("description", ""), "\t")
            lines += ["\t" + go_field(field, child, field in node.get("required", []), enum)]
        lines += ["}"]
    for name, values in constants.items():
        if name not in schemas:
            fields = sorted({field for (field, _), kind in names.items() if kind == name})
            lines += ["", f"// {name} is a value of {' or '.join(fields)}.", f"type {name} string"]
        lines += ["", f"// Values of {name}.", "const ("]
        lines += [f'\t{name}{go_name(value)} {name} = "{value}"' for value in values] + [")"]
    return subprocess.run(["gofmt"], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True).stdout


# The shape of the answers, for the check that each client makes before it returns one

ANSWERS = (
    "Assessment", "CompactAssessment", "BatchAnswer", "CompactBatchAnswer", "WalletReport", "CompactWalletReport",
    "SizeAnswer", "CompactSizeAnswer", "ShockReport", "Assets", "MarketData", "RiskAlert", "Subscribed", "InvalidConfig",
    "Decisions", "Decision", "Policy", "PolicyTest", "KillSwitch", "Watch", "WatchList", "WatchRemoved", "OutcomeAnswer",
    "Accuracy", "Audit", "ReceiptKey",
)  # fmt: skip
DECIDES = ("risk_score", "recommendation")  # only these have their values checked: other lists may grow


def shape(name, node):
    """Returns what an answer must fulfil: types, required members, and the values of what decides."""
    if "$ref" in node:
        return {"ref": node["$ref"].rpartition("/")[2]}
    if "anyOf" in node:
        return {"any": [shape(name, branch) for branch in node["anyOf"]]}
    kinds = types(node) or (["object"] if "properties" in node else [])
    out = {"type": kinds} if kinds else {}  # without: any
    if name in DECIDES and None in node.get("enum", []):
        one = {"type": "string", "enum": [value for value in node["enum"] if value is not None]}
        return {"any": [shape(name, one), {"type": ["null"]}]}
    if name in DECIDES:
        out |= {key: node[key] for key in ("enum", "minimum", "maximum") if key in node}
        out |= {"enum": [node["const"]]} if "const" in node else {}
    if "items" in node:
        out["items"] = shape("", node["items"])
    if isinstance(node.get("additionalProperties"), dict):
        out["values"] = shape("", node["additionalProperties"])
    if "properties" in node:
        out["required"] = node.get("required", [])
        out["properties"] = {field: shape(field, child) for field, child in node["properties"].items()}
    return out


def sample(node, schemas):
    """Returns a value that fulfils a shape, for the tests of the clients."""
    if "ref" in node:
        return sample(shape("", schemas[node["ref"]]), schemas)
    if "any" in node:
        return sample(node["any"][0], schemas)
    values = {"number": 12.5, "integer": 1, "string": "x", "boolean": True, "array": [], "null": None}
    if "enum" in node:
        return node["enum"][0]
    if node.get("type", ["object"])[0] != "object":
        return values[node["type"][0]]
    return {name: sample(node["properties"][name], schemas) for name in node.get("required", [])}


def answers(schemas):
    """Returns the shapes as JSON, which is Python and TypeScript, too: it has no true, false or null."""
    found = set()
    for name in ANSWERS:
        reachable(schemas, name, found)
    lines = (f"  {json.dumps(name)}: {json.dumps(shape('', schemas[name]))}" for name in schemas if name in found)
    return "{\n" + ",\n".join(lines) + "\n}"


# Postman (Insomnia and Bruno read the same)

FOLDERS = ("Assess", "Look up", "Operate")  # not "Limit": whoever sends all requests must not change anything
BEARER = {"type": "bearer", "bearer": [{"key": "token", "value": "{{key}}", "type": "string"}]}
ANSWERED = (  # nothing is watched until somebody asks for it
    "pm.test('answered', () => pm.expect(pm.response.code).to.be.oneOf("
    "pm.info.requestName === 'A watch' ? [200, 404] : [200]));"
)
KEPT = "if (pm.response.code === 200) pm.collectionVariables.set('request_id', pm.response.json().meta.request_id);"


def collection(document):
    """Returns a collection whose requests are the examples of the contract."""
    folders = {name: [] for name in FOLDERS}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            folder = operation.get("tags", [""])[0] if method in ("get", "post") else ""
            if folder in folders and "101" not in operation["responses"]:  # Postman has a form of its own for sockets
                folders[folder].append(item(path, method, operation))
    return {
        "info": {
            "name": "Ballast",
            "description": NOTE + " Set the variables baseUrl and key: `make run` prints both.",
            "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
        },
        "variable": [
            {"key": "baseUrl", "value": "http://127.0.0.1:8080", "type": "string"},
            {"key": "key", "value": "", "type": "string", "description": "A key that `ballast keys issue` printed."},
            {"key": "request_id", "value": "", "type": "string", "description": "Of the last trade that was assessed."},
        ],
        "event": [test(ANSWERED)],
        "item": [{"name": name, "item": items} for name, items in folders.items()],
    }


def test(script):
    """Returns what is run after an answer."""
    return {"listen": "test", "script": {"type": "text/javascript", "exec": [script]}}


def item(path, method, operation):
    """Returns a request. Parameters of the query are there, switched off, but for the short view."""
    parameters = [one for one in operation.get("parameters", []) if "name" in one]
    parts = [f":{part[1:-1]}" if part.startswith("{") else part for part in path.strip("/").split("/")]
    query = [
        {
            "key": one["name"],
            "value": str(one["schema"].get("default", one["schema"].get("enum", [""])[0])).lower(),
            "description": one["description"],
            "disabled": one["name"] != "view",
        }
        for one in parameters
        if one["in"] == "query"
    ]
    url = {"raw": "{{baseUrl}}/" + "/".join(parts), "host": ["{{baseUrl}}"], "path": parts}
    if used := [one for one in query if not one["disabled"]]:
        url["raw"] += "?" + "&".join(f"{one['key']}={one['value']}" for one in used)
    if query:
        url["query"] = query
    own = {"request_id": "{{request_id}}"}
    if variables := [
        {"key": one["name"], "value": own.get(one["name"], one["example"])} for one in parameters if one["in"] == "path"
    ]:
        url["variable"] = variables
    request = {"method": method.upper(), "url": url}
    if "requestBody" in operation:
        body = operation["requestBody"]["content"]["application/json"]["example"]
        request["header"] = [{"key": "Content-Type", "value": "application/json"}]
        request["body"] = {"mode": "raw", "raw": json.dumps(body, indent=2), "options": {"raw": {"language": "json"}}}
    # of each request, because Insomnia does not read that of a collection
    open_to_all = operation.get("security") == []
    request["auth"] = {"type": "noauth"} if open_to_all else BEARER
    kept = {"event": [test(KEPT)]} if operation["operationId"] == "validate" else {}
    return {"name": operation["summary"], **kept, "request": request}


def main():
    schemas = contract()
    shapes = answers(schemas)
    samples = {name: sample({"ref": name}, schemas) for name in ANSWERS}
    report = reachable(schemas, "Assessment", set())
    files = {
        "clients/python/src/ballast/contract.py": python(schemas),
        "clients/go/contract.go": go("ballast", schemas),
        "clients/testdata/answers.json": json.dumps(samples) + "\n",
        "clients/go/answers.json": shapes + "\n",
        "clients/python/src/ballast/_answers.py": f'"""The shape of the answers. {NOTE}"""\n\nANSWERS = {shapes}\n',
        "clients/typescript/src/answers.ts": f"// {NOTE}\n\nexport const answers = {shapes};\n",
        "clients/ballast.postman_collection.json": json.dumps(
            collection(json.loads((ROOT / "server/spec/openapi.json").read_text())), indent=1
        )
        + "\n",
        "server/spec/types/types.go": go("types", {name: schemas[name] for name in schemas if name in report}),
    }
    stale = [name for name, text in files.items() if not (ROOT / name).exists() or (ROOT / name).read_text() != text]
    if "--check" not in sys.argv:
        for name, text in files.items():
            (ROOT / name).write_text(text)
    elif stale:
        sys.exit(f"not as the contract says: {', '.join(stale)}; run make gen")


if __name__ == "__main__":
    main()
