#!/usr/bin/env bash
# Runs the tests named TestEvidence*, which have the build tag evidence. They read candles and
# recordings of the venue that are not part of the project: data/candles and venue/recordings
# in the directory given as argument.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${1:-}
[ -n "$dir" ] || { echo "make evidence: want EVIDENCE=dir, a directory with data/candles and venue/recordings"; exit 2; }
for part in data/candles venue/recordings; do
  [ -d "$dir/$part" ] || { echo "make evidence: there is no directory $dir/$part"; exit 1; }
done
BALLAST_EVIDENCE=$(cd "$dir" && pwd)
export BALLAST_EVIDENCE

packages=$(grep -rl --include='*_test.go' '^//go:build evidence$' . | xargs -n1 dirname | sort -u)
[ -n "$packages" ] || { echo "make evidence: no package has such tests"; exit 1; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
go test -tags evidence -pgo=off -vet=off -count=1 -json -run '^TestEvidence' $packages | tee "$log" | go run -pgo=off ./internal/skips .ci/skips.txt
for package in $packages; do
  grep -q "\"Action\":\"pass\",\"Package\":\"ballast/${package#./}\",\"Test\":\"TestEvidence" "$log" ||
    { echo "make evidence: no test ran in $package"; exit 1; }
done
echo "make evidence: all passed, $(grep -c '"Action":"pass".*"Test":"TestEvidence[^/"]*"' "$log") tests"
