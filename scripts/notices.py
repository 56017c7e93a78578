"""Prints the licences of everything that the released programs contain, for THIRD_PARTY: make notices.

These are the Go modules that are linked into them, Go's own library, and the JavaScript that is embedded in the
service's pages. Fails when a module has no licence file.
"""
import json
import os
import re
import subprocess
import sys

PROGRAMS = ["./cmd/ballast", "./cmd/ballast-load", "./cmd/venuesim"]
TARGETS = ["linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"]  # of make release
LICENCE = re.compile(r"(licen[sc]e|copying|notice|patents)", re.I)
FOLDER = re.compile(r"(third_party_)?licen[sc]es$", re.I)
RULE = "=" * 80


def go(*arguments, **environment):
    return subprocess.run(["go", *arguments], capture_output=True, text=True, check=True,
                          env=os.environ | environment).stdout.strip()


def licences(folder, module):
    """The licence files of a package's folder and those above it, up to the module's."""
    while True:
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.path.isdir(path) and FOLDER.match(name):
                yield from (os.path.join(path, inside) for inside in os.listdir(path))
            elif os.path.isfile(path) and LICENCE.match(name) and not name.endswith(".go"):
                yield path
        if folder == module:
            return
        folder = os.path.dirname(folder)


def components():
    """Names with their licence files."""
    yield "Go, its standard library and runtime", [os.path.join(go("env", "GOROOT"), "LICENSE")]
    form = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"
    found = {}
    for target in TARGETS:
        system, processor = target.split("/")
        lines = go("list", "-deps", "-f", form, *PROGRAMS, GOOS=system, GOARCH=processor, CGO_ENABLED="0")
        for line in filter(None, lines.split("\n")):  # a package of the standard library has none
            name, module, folder = line.split("\t")
            found.setdefault(name, set()).update(licences(folder, module))
    yield from ((name, sorted(found[name])) for name in sorted(found))
    yield "Redoc, and what its bundle contains", ["server/spec/redoc/LICENSE",
                                                  "server/spec/redoc/redoc.standalone.js.LICENSE.txt"]
    with open("server/console/package.json", encoding="utf-8") as manifest:
        for name, version in sorted(json.load(manifest).get("dependencies", {}).items()):
            yield f"{name} {version}", [f"server/console/{name}.LICENSE"]


def main():
    users = {}  # by text, in the order of first use
    print("THIRD-PARTY NOTICES\n\nThe programs of Ballast (ballast, ballast-load, venuesim) contain the works listed here,\n"
          'under the licences that follow. Written by "make notices".\n')
    for name, files in components():
        if not files:
            sys.exit(f"{name} has no licence file")
        print(name)
        for path in files:
            with open(path, encoding="utf-8") as file:
                of = users.setdefault(file.read().strip(), [])
            if name not in of:
                of.append(name)
    for text, names in users.items():
        print(f"\n{RULE}\n" + "\n".join(names) + f"\n{RULE}\n\n{text}")


main()
