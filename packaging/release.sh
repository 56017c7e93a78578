#!/usr/bin/env bash
# What `make release` makes, in dist/: an archive, a bill of materials and, for Linux, a .deb
# for each target, the container image, packages of the clients, and SHA256SUMS of all. The same commit gives the same
# bytes. CRANE, CYCLONEDX and NFPM must hold the paths of these tools.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in npm python3; do
  command -v "$tool" >/dev/null || { echo "make release: $tool is missing, for the packages of the clients" >&2; exit 1; }
done
version=$(cat VERSION)
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
  echo "make release: the working tree differs from its commit" >&2
  exit 1
fi
commit=$(git rev-parse --short=12 HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH VERSION=$version COMMIT=$commit
export CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false" TZ=UTC LC_ALL=C
umask 022

rm -rf dist
mkdir -p dist/.work
# Files that are the same for every target: manual pages, and shell completions, which a
# ballast built for this machine prints.
shopt -s nullglob
pages=(docs/*.1)
go build -o dist/.work/ballast ./cmd/ballast
mkdir -p dist/.work/completions
if grep -q 'completionCmd' cmd/ballast/flags.go; then
  for shell in bash zsh fish; do
    dist/.work/ballast completion $shell >dist/.work/completions/ballast.$shell
  done
fi
completions=(dist/.work/completions/*)

# tar_of FILE FOLDER NAME packs FOLDER/NAME so that neither time nor user changes the archive.
tar_of() {
  tar --create --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode='u+rwX,go+rX,go-w' --directory "$2" "$3" | gzip -9n >"$1"
}

for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64; do
  system=${target%/*} arch=${target#*/}
  name=ballast_${version}_${system}_$arch
  folder=dist/.work/$name
  mkdir -p "$folder"
  GOOS=$system GOARCH=$arch go build \
    -ldflags "-s -w -buildid= -X main.version=$version -X main.commit=$commit" \
    -o "$folder/" ./cmd/ballast ./cmd/ballast-load ./cmd/venuesim
  cp LICENSE THIRD_PARTY README.md CHANGELOG.md "$folder/"
  [ ${#pages[@]} = 0 ] || cp "${pages[@]}" "$folder/"
  [ ${#completions[@]} = 0 ] || { mkdir "$folder/completions" && cp "${completions[@]}" "$folder/completions/"; }
  tar_of "dist/$name.tar.gz" dist/.work "$name"
  "$CYCLONEDX" bin -json -std -noserial -notimestamp -version "$version" -output "dist/$name.cdx.json" "$folder/ballast"
  echo "$name"
  if [ "$system" = linux ]; then
    packaging/deb.sh "$folder" "$arch"
  fi
done
packaging/image.sh
packaging/clients.sh dist
(cd dist && sha256sum -- *.tar.gz *.tgz *.whl *.cdx.json *.deb *.tar >SHA256SUMS)
rm -rf dist/.work
cat dist/SHA256SUMS
