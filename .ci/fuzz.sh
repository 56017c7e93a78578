#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time, two at once, each in one worker:
# what is linked for one is linked while the other runs.
set -euo pipefail
cd "$(dirname "$0")/.."
export time=${1:-5s}

# Go's fuzzer may end a clean run with "context deadline exceeded" when a worker is cut off
# by the end of the time itself. That alone is run again; a failing input never is.
fuzz() {
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  for try in 1 2 3; do
    if go test -pgo=off -vet=off -run '^$' -fuzz "^$2\$" -fuzztime "$time" -parallel 1 "$1" >"$log" 2>&1 </dev/null; then
      echo "fuzz $1 $2 $time: $(grep -o 'execs: [0-9]*' "$log" | tail -n 1)"
      return 0
    fi
    if grep -q 'Failing input written' "$log" || ! grep -q '^ *context deadline exceeded$' "$log"; then break; fi
    echo "fuzz $1 $2: cut off at the deadline, run again ($try)"
  done
  echo "fuzz $1 $2:"
  cat "$log"
  return 1
}
export -f fuzz

grep -ro --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sort | while IFS=: read -r file func; do
  echo "$(dirname "$file") ${func#func }"
done | xargs -P 2 -L 1 bash -euo pipefail -c 'fuzz "$@"' fuzz
