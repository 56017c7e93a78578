#!/usr/bin/env bash
# Installs the package that `make release` made in a small Debian, runs it as its unit does but
# for the sandbox, removes and purges it, and compares the file system with what it was. As
# root on Linux; wants mmdebstrap and curl. SUITE is the release of Debian, bookworm by default.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(cat VERSION)
package=$PWD/dist/ballast_${version}_$(dpkg --print-architecture).deb
[ -e "$package" ] || { echo "make deb-check: $package is missing: make release" >&2; exit 1; }
if [ "${1:-}" != inside ]; then
  exec unshare --mount-proc --pid --fork --kill-child "$0" inside
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
root=$dir/root
# The machine's own sources of packages, where it is of the suite, else Debian's.
suite=${SUITE:-bookworm}
if grep -qs "^VERSION_CODENAME=$suite$" /etc/os-release; then
  mapfile -t sources < <(find /etc/apt/sources.list /etc/apt/sources.list.d -type f 2>/dev/null)
else
  sources=()
fi
mmdebstrap --quiet --mode=root --variant=minbase --include=adduser,init-system-helpers "$suite" "$root" "${sources[@]}"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
# What a purge leaves anyway: run-time files, logs, dpkg's own notes, copies of the user files.
files() { (cd "$root" && find . -xdev \( -path ./run -o -path ./proc -o -path ./sys -o -path ./dev -o -path ./var/log -o -path ./var/lib/dpkg -o -path ./var/cache -o -name '*-' \) -prune -o -print | sort); }
files >"$dir/before"
cp "$root/etc/passwd" "$dir/passwd"

cp "$package" "$root/tmp/ballast.deb"
inside dpkg -i /tmp/ballast.deb
rm "$root/tmp/ballast.deb"
inside ballast version | grep -qx "ballast $version"
inside getent passwd ballast
test -L "$root/etc/systemd/system/multi-user.target.wants/ballast.service"

# As the unit: its environment, its user, its folder, its command.
unit=$root/usr/lib/systemd/system/ballast.service
read -ra environment <<<"$(sed -n 's/^Environment=//p' "$unit")"
read -ra command <<<"$(sed -n 's/^ExecStart=//p' "$unit")"
inside install -d -o ballast -g ballast -m 700 /var/lib/ballast
chroot "$root" setpriv --reuid=ballast --regid=ballast --clear-groups --no-new-privs --bounding-set=-all \
  env -i "${environment[@]}" BALLAST_VENUE=sim BALLAST_LISTEN=127.0.0.1:18080 "${command[@]}" >"$dir/out" 2>"$dir/log" &
for _ in $(seq 300); do
  ready=$(curl -s -o "$dir/ready" -w '%{http_code}' http://127.0.0.1:18080/readyz) || true
  [ "$ready" != 200 ] || break
  sleep 0.2
done
[ "$ready" = 200 ] || { cat "$dir/log" >&2; exit 1; }
inside ballast keys issue --data-dir /var/lib/ballast --email you@example.com >"$dir/key"
pid=$(pgrep -x ballast)
[ "$(ps -o user= -p "$pid" | tr -d ' ')" != root ]
kill -HUP "$pid"
sleep 0.5
grep -q SIGHUP "$dir/log"
kill -TERM "$pid"
wait

inside dpkg --remove ballast
test -d "$root/var/lib/ballast" && test -e "$root/etc/default/ballast"
inside dpkg --purge ballast
files >"$dir/after"
diff "$dir/before" "$dir/after"
diff "$dir/passwd" "$root/etc/passwd"
echo "deb-check: $(basename "$package") installs, starts and purges on $suite"
