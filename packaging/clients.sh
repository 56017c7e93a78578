#!/usr/bin/env bash
# clients.sh FOLDER writes the packages of the clients: npm tarball, Python wheel and source archive, and the Go module
# as an archive of a module proxy. Needs npm and python3. The same commit gives the same bytes. Run by release.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(cd "$1" && pwd)
version=$(cat VERSION)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# copy FOLDER copies what git tracks of a client, with the licence.
copy() {
  mkdir -p "$work/$1"
  git ls-files "clients/$1" | tar --create --files-from=- | tar --extract --strip-components=2 --directory "$work/$1"
  cp LICENSE "$work/$1/"
}

copy typescript
(cd "$work/typescript" && npm ci --ignore-scripts --no-audit --no-fund --silent && npm pack --silent --pack-destination "$out")

(cd clients/python && PYTHONDONTWRITEBYTECODE=1 python3 -c "
import sys, backend
print(backend.build_wheel(sys.argv[1]))
print(backend.build_sdist(sys.argv[1]))" "$out")

# The layout of a module proxy: https://go.dev/ref/mod#goproxy-protocol
copy go
module=$(sed -n 's/^module //p' clients/go/go.mod)
versions=$work/goproxy/$module/@v
mkdir -p "$versions"
echo "v$version" >"$versions/list"
printf '{"Version":"v%s","Time":"%s"}\n' "$version" "$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" \
  >"$versions/v$version.info"
cp clients/go/go.mod "$versions/v$version.mod"
python3 - "$work/go" "$module@v$version" "$versions/v$version.zip" <<'PY'
import pathlib, sys, zipfile
root, prefix, name = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        entry = zipfile.ZipInfo(f"{prefix}/{path.relative_to(root).as_posix()}")
        entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
        archive.writestr(entry, path.read_bytes())
PY
tar --create --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --mode='u+rwX,go+rX,go-w' --directory "$work" goproxy | gzip -9n >"$out/ballast_${version}_goproxy.tar.gz"
echo "ballast_${version}_goproxy.tar.gz"
