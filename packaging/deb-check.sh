#!/usr/bin/env bash
# Tests the .deb of `make release` in a small Debian: installs it, boots that Debian with systemd, so
# that the unit runs in its sandbox, removes and purges it, and checks that no file is left. As root
# on Linux; needs mmdebstrap and systemd-nspawn (Debian: apt-get install mmdebstrap
# systemd-container). SUITE is the release of Debian, bookworm by default.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in dpkg mmdebstrap systemd-nspawn; do
  command -v "$tool" >/dev/null || {
    echo "make deb-check: $tool is missing (Debian: apt-get install mmdebstrap systemd-container)" >&2
    exit 1
  }
done
[ "$(id -u)" = 0 ] || { echo "make deb-check: run it as root" >&2; exit 1; }
version=$(cat VERSION)
package=$PWD/dist/ballast_${version}_$(dpkg --print-architecture).deb
[ -e "$package" ] || { echo "make deb-check: $package is missing: make release" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
root=$dir/root
# Uses this machine's package sources if it runs the same release of Debian, else Debian's defaults.
suite=${SUITE:-bookworm}
sources=()
if grep -qs "^VERSION_CODENAME=$suite$" /etc/os-release; then
  mapfile -t sources < <(find /etc/apt/sources.list /etc/apt/sources.list.d -type f 2>/dev/null)
fi
mmdebstrap --quiet --mode=root --variant=minbase --include=adduser,init-system-helpers,systemd-sysv,curl "$suite" "$root" "${sources[@]}"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
# files lists all files but those that a purge may leave: run-time files, logs, dpkg's data, backups of /etc/passwd.
files() { (cd "$root" && find . -xdev \( -path ./run -o -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/tmp -o -path ./var/log -o -path ./var/lib/dpkg -o -path ./var/lib/systemd -o -path ./var/cache -o -path ./etc/machine-id -o -name '*-' \) -prune -o -print | sort); }
files >"$dir/before"
cp "$root/etc/passwd" "$dir/passwd"

cp "$package" "$root/tmp/ballast.deb"
inside dpkg -i /tmp/ballast.deb
rm "$root/tmp/ballast.deb"
inside ballast version | grep -qx "ballast $version"
cp "$root/etc/default/ballast" "$dir/default"
echo BALLAST_VENUE=sim >>"$root/etc/default/ballast"

# In the first boot a unit tests the service and writes its output to /check.log.
cat >"$root/etc/systemd/system/check.service" <<'U'
[Unit]
After=ballast.service
[Service]
Type=oneshot
ExecStart=/bin/bash -ex /check.sh
ExecStopPost=/bin/systemctl poweroff --no-block
StandardOutput=file:/check.log
StandardError=inherit
U
cat >"$root/check.sh" <<'S'
ready() { for _ in $(seq 100); do curl -fsS http://127.0.0.1:8080/readyz && return; sleep 0.2; done; return 1; }
ready
setpriv --reuid=ballast --regid=ballast --clear-groups ballast keys issue --data-dir /var/lib/ballast --email you@example.com
systemd-analyze security ballast --no-pager | tail -n 1
systemd-analyze security ballast --no-pager --threshold=15 >/dev/null
pid=$(systemctl show -p MainPID --value ballast)
grep -x 'CapEff:.0*' /proc/$pid/status
[ "$(stat -c %U /proc/$pid)" = ballast ]
systemctl reload ballast
systemctl kill -s KILL ballast
sleep 2
ready
systemctl stop ballast
[ "$(systemctl show -p Result --value ballast)" = success ]
echo checked
S
ln -s /etc/systemd/system/check.service "$root/etc/systemd/system/multi-user.target.wants/check.service"
timeout 120 systemd-nspawn --quiet --directory="$root" --boot --private-network --register=no --keep-unit >"$dir/console" 2>&1 </dev/null || true
tail -n 1 "$root/check.log" | grep -qx checked || { cat "$dir/console" "$root/check.log" >&2; exit 1; }
grep 'exposure level' "$root/check.log"
rm "$root"/check.* "$root"/etc/systemd/system/check.service "$root"/etc/systemd/system/multi-user.target.wants/check.service
cp "$dir/default" "$root/etc/default/ballast"

inside dpkg --remove ballast
test -d "$root/var/lib/ballast" && test -e "$root/etc/default/ballast"
inside dpkg --purge ballast
files >"$dir/after"
diff "$dir/before" "$dir/after"
diff "$dir/passwd" "$root/etc/passwd"
echo "deb-check: $(basename "$package") installs, starts and purges on $suite"
