#!/usr/bin/env bash
# Builds the container image without a base image and without a container engine; run by release.sh.
# Writes one archive per architecture for `docker load`, and one OCI archive of both.
set -euo pipefail
work=dist/.work
"$CRANE" registry serve --address 127.0.0.1:0 >"$work/registry.log" 2>&1 &
registry=$!
trap 'kill $registry' EXIT
for _ in $(seq 100); do
  port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$work/registry.log" | head -n 1)
  [ -z "$port" ] || break
  sleep 0.1
done
[ -n "$port" ] || { cat "$work/registry.log" >&2; exit 1; }
store=127.0.0.1:$port/ballast

for arch in amd64 arm64; do
  root=$work/image-$arch
  from=$work/ballast_${VERSION}_linux_$arch
  mkdir -p "$root"/{data,etc,licenses,tmp}
  cp "$from/ballast" "$root/"
  cp LICENSE THIRD_PARTY "$root/licenses/"
  echo 'ballast:x:65532:65532:Ballast:/data:/ballast' >"$root/etc/passwd"
  echo 'ballast:x:65532:' >"$root/etc/group"
  chmod 700 "$root/data"
  chmod 1777 "$root/tmp"
  plain=(--sort=name --format=gnu "--mtime=@$SOURCE_DATE_EPOCH" --numeric-owner --directory "$root")
  tar --create --file "$work/layer-$arch.tar" "${plain[@]}" --owner=0 --group=0 ballast etc licenses tmp
  tar --append --file "$work/layer-$arch.tar" "${plain[@]}" --owner=65532 --group=65532 data
  "$CRANE" append --oci-empty-base --new_layer "$work/layer-$arch.tar" --new_tag "$store:plain-$arch" >/dev/null 2>>"$work/crane.log"
  mutate=(--set-platform "linux/$arch" --entrypoint /ballast --cmd serve --user 65532:65532 --workdir /data
    --env BALLAST_DATA_DIR=/data --env BALLAST_LISTEN=0.0.0.0:8080 --exposed-ports 8080/tcp
    --label org.opencontainers.image.title=ballast --label org.opencontainers.image.version="$VERSION"
    --label org.opencontainers.image.revision="$COMMIT" --label org.opencontainers.image.licenses=Apache-2.0)
  "$CRANE" mutate "$store:plain-$arch" "${mutate[@]}" --tag "$store:$arch" >/dev/null 2>>"$work/crane.log"
  "$CRANE" mutate "$store:plain-$arch" "${mutate[@]}" --tag "ballast:$VERSION" --output "dist/ballast_${VERSION}_image_$arch.docker.tar" >/dev/null 2>>"$work/crane.log"
done
"$CRANE" index append --manifest "$store:amd64" --manifest "$store:arm64" --tag "$store:$VERSION" >/dev/null 2>>"$work/crane.log"
"$CRANE" pull --format=oci "$store:$VERSION" "$work/oci" 2>>"$work/crane.log"
tar --create --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --mode='u+rwX,go+rX,go-w' --file "dist/ballast_${VERSION}_image.oci.tar" --directory "$work/oci" .
