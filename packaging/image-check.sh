#!/usr/bin/env bash
# Unpacks the image that `make release` made for this machine and starts it as a container engine
# would: as the image's user, with only the image's environment, in a network namespace with only
# the loopback. Then it sends the README's request. As root on Linux; needs python3 and curl.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in unshare python3 curl pgrep; do
  command -v "$tool" >/dev/null || {
    echo "make image-check: $tool is missing (Debian: apt-get install util-linux python3 curl procps)" >&2
    exit 1
  }
done
[ "$(id -u)" = 0 ] || { echo "make image-check: run it as root" >&2; exit 1; }
version=$(cat VERSION)
case $(uname -m) in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; *) echo "no image for $(uname -m)" >&2; exit 1 ;; esac
image=$PWD/dist/ballast_${version}_image_$arch.docker.tar
[ -e "$image" ] || { echo "make image-check: $image is missing: make release" >&2; exit 1; }
if [ "${1:-}" != inside ]; then
  exec unshare --net --mount-proc --pid --fork --kill-child "$0" inside
fi
ip link set lo up
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Reads the image's configuration, and unpacks its layers in order into root/.
tar -xf "$image" -C "$dir"
mkdir "$dir/root"
python3 - "$dir" >"$dir/run" <<'P'
import json, shlex, sys
dir = sys.argv[1]
[image] = json.load(open(f"{dir}/manifest.json"))
config = json.load(open(f"{dir}/{image['Config']}"))["config"]
print("layers=(" + shlex.join(image["Layers"]) + ")")
print("user=" + shlex.quote(config["User"]))
print("environment=(" + shlex.join(config["Env"]) + ")")
print("entrypoint=(" + shlex.join(config["Entrypoint"]) + ")")
print("tag=" + shlex.quote(image["RepoTags"][0]))
P
. "$dir/run"
for layer in "${layers[@]}"; do tar -xzf "$dir/$layer" -C "$dir/root" --numeric-owner; done
chroot=$(command -v chroot)
run() { env -i "${environment[@]}" "$chroot" --userspec="$user" "$dir/root" "${entrypoint[@]}" "$@"; }

run version | sed 's/^/  /' | head -n 2
run version | grep -qx "ballast $version"
touch "$dir/out"
run serve --venue sim >"$dir/out" 2>"$dir/log" &
for _ in $(seq 300); do
  KEY=$(sed -n 's/^API key, shown this once: //p' "$dir/out")
  [ -z "$KEY" ] || break
  sleep 0.2
done
[ -n "$KEY" ] || { cat "$dir/log" >&2; exit 1; }
export KEY
question=$(sed -n '/^curl .*\\$/,/^```/p' README.md | sed '/^```/,$d')
answer=$(bash -c "${question/curl /curl -sS --fail-with-body }") || { echo "$answer"; exit 1; } >&2
echo "$answer" | python3 -c '
import json, sys
a = json.load(sys.stdin)
print("  answer: score", a["risk_score"], a["recommendation"])
assert a["meta"]["venue"] == "simulated" and a["position_after"]["side"] == "long"'
pid=$(pgrep -x ballast)
kill -TERM "$pid"
wait
echo "image-check: ${tag} answers the README's question as user $user"
