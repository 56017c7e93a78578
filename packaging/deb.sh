#!/usr/bin/env bash
# deb.sh FOLDER ARCH packs the programs of a release as a Debian package; run by release.sh.
set -euo pipefail
folder=$1 arch=$2
root=dist/.work/deb-$arch
mkdir -p "$root"/usr/{bin,lib/systemd/system,share/doc/ballast,share/man/man1}
cp "$folder/ballast" "$folder/ballast-load" "$root/usr/bin/"
cp deploy/ballast.service "$root/usr/lib/systemd/system/"
cp packaging/deb/copyright "$root/usr/share/doc/ballast/"
gzip -9n <CHANGELOG.md >"$root/usr/share/doc/ballast/CHANGELOG.md.gz"
gzip -9n >"$root/usr/share/doc/ballast/changelog.Debian.gz" <<EOF
ballast ($VERSION-1) unstable; urgency=medium

  * Release $VERSION: /usr/share/doc/ballast/CHANGELOG.md.gz.

 -- The Ballast Authors <ballast@localhost>  $(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
EOF
gzip -9n <THIRD_PARTY >"$root/usr/share/doc/ballast/THIRD_PARTY.gz"
for page in "$folder"/*.1; do
  [ ! -e "$page" ] || gzip -9n <"$page" >"$root/usr/share/man/man1/${page##*/}.gz"
done
if [ -d "$folder/completions" ]; then
  install -Dm644 "$folder/completions/ballast.bash" "$root/usr/share/bash-completion/completions/ballast"
  install -Dm644 "$folder/completions/ballast.zsh" "$root/usr/share/zsh/vendor-completions/_ballast"
  install -Dm644 "$folder/completions/ballast.fish" "$root/usr/share/fish/vendor_completions.d/ballast.fish"
fi
rmdir --ignore-fail-on-non-empty "$root/usr/share/man/man1" "$root/usr/share/man"
find "$root" -type d -exec chmod 755 {} + -o -type f ! -path '*/usr/bin/*' -exec chmod 644 {} +
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
export ARCH=$arch ROOT=$root MTIME; MTIME=$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
config=dist/.work/nfpm-$arch.yaml
sed -e "s|@VERSION@|$VERSION|; s|@ARCH@|$ARCH|; s|@ROOT@|$ROOT|; s|@MTIME@|$MTIME|" packaging/nfpm.yaml >"$config"
"$NFPM" package --config "$config" --packager deb --target "dist/ballast_${VERSION}_$arch.deb"
