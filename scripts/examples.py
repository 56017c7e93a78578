#!/usr/bin/env python3
"""Writes the examples of answers in server/spec/openapi.json: what a service on the simulated venue answers.

usage: scripts/examples.py bin/ballast

It starts that program for a while. The requests are the contract's own examples. Long lists are cut to two elements where the contract allows it.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

SETTLES_S = 30  # until the histories of the first assets are there
CONTRACT = pathlib.Path(__file__).parent.parent / "server/spec/openapi.json"


def main(ballast):
    with tempfile.TemporaryDirectory() as folder:
        command = [ballast, "serve", "--venue=sim", "--listen=127.0.0.1:0", "--log-level=error", "--data-dir=" + folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
            try:
                for line in service.stdout:
                    if found := re.search(r"(http://\S+?)/v1/validate.*(blst_\w+)", line):
                        time.sleep(SETTLES_S)
                        write(*found.groups())
                        return
                sys.exit("the service printed no request")
            finally:
                service.terminate()


def write(base, key):
    text = CONTRACT.read_text()
    contract = json.loads(text)
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            answer = operation["responses"].get("200", {}).get("content", {}).get("application/json")
            if answer is None or path == "/mcp" or method not in ("get", "post"):
                continue  # changes by operators have examples written by hand
            request = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
            try:
                body = ask(base, key, fill(path, operation), request)
            except urllib.error.HTTPError as e:  # an operator's, or about what a new service does not have
                print(f"{method} {path}: {e.code}, its example stays", file=sys.stderr)
                continue
            text = insert(text, path, method, shorten(body, answer["schema"], contract))
    CONTRACT.write_text(text)


def fill(path, operation):
    for parameter in operation.get("parameters", []):
        if parameter.get("in") == "path":
            path = path.replace("{" + parameter["name"] + "}", parameter["example"])
    return path


def ask(base, key, path, request):
    headers = {"Authorization": "Bearer " + key, "Content-Type": "application/json"}
    data = None if request is None else json.dumps(request).encode()
    with urllib.request.urlopen(urllib.request.Request(base + path, data, headers)) as answer:
        return json.load(answer)


def shorten(value, schema, contract):
    """Returns value with its lists of objects cut to the two elements, or as many as the schema wants."""
    schema = resolve(schema, contract)
    if isinstance(value, list):
        items = schema.get("items", {})
        if value and isinstance(value[0], dict):
            value = value[: max(2, schema.get("minItems", 0))]
        return [shorten(element, items, contract) for element in value]
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        return {name: shorten(child, fields.get(name, {}), contract) for name, child in value.items()}
    return value


def resolve(schema, contract):
    if "anyOf" in schema:  # the full view, or what is not null
        schema = schema["anyOf"][0]
    if "$ref" in schema:
        return resolve(contract["components"]["schemas"][schema["$ref"].rpartition("/")[2]], contract)
    return schema


def insert(text, path, method, example):
    """Returns the contract with the example behind the schema of the operation's answer 200."""
    start = text.index(f'\n  "{path}": {{')
    start = text.index(f'\n   "{method}": {{', start)
    start = text.index('"200": {', start)
    mark = '"application/json": {"schema": '
    start = text.index(mark, start) + len(mark)
    _, end = json.JSONDecoder().raw_decode(text, start)
    rest = end
    if text.startswith(', "example": ', end):
        _, rest = json.JSONDecoder().raw_decode(text, end + len(', "example": '))
    return text[:end] + ', "example": ' + json.dumps(example, ensure_ascii=False) + text[rest:]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
