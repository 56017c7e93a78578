#!/usr/bin/env bash
# Runs the tests in the files that have a build tag, and no others: tagged.sh all
set -euo pipefail
cd "$(dirname "$0")/.."
tag=$1
files=$(grep -rlE --include='*_test.go' "^//go:build (.* )?$tag\$" .)
tests=$(sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*/\1/p' $files | grep -v '^TestMain$' | sort -u)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2046,SC2086
go test -tags "$tag" -pgo=off -vet=off -count=1 -timeout 20m -json -run "^($(tr '\n' '|' <<<$tests | sed 's/|$//'))\$" \
  $(dirname $files | sort -u) | tee "$log" | go run -pgo=off ./internal/skips .ci/skips.txt
for test in $tests; do
  grep -qE '"Action":"(pass|skip)".*"Test":"'"$test"'"' "$log" || { echo "tests with the tag $tag: $test has not run"; exit 1; }
done
echo "tests with the tag $tag: all passed, $(wc -w <<<$tests)"
