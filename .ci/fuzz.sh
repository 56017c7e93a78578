#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time, two at once, each in one worker:
#
#	fuzz.sh 5m         guided by coverage; compiles everything again with instrumentation
#	fuzz.sh 2s plain   from the seeds, without coverage, in ordinary test programs
set -euo pipefail
cd "$(dirname "$0")/.."
export time=${1:-5s} mode=${2:-guided}
export dir; dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

once() { # package target
  if [ "$mode" = guided ]; then
    go test -pgo=off -vet=off -run '^$' -fuzz "^$2\$" -fuzztime "$time" -parallel 1 "$1"
  else
    (cd "$1" && "$dir/${1//\//_}.test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "$time" -test.parallel 1 -test.fuzzcachedir "$dir/cache")
  fi
}

# Go's fuzzer may end a clean run with "context deadline exceeded" when a worker is cut off
# by the end of the time itself. Only such a run is repeated; a run with a failing input is not.
fuzz() { # package target
  log=$dir/$2.log
  for try in 1 2 3; do
    if once "$1" "$2" >"$log" 2>&1 </dev/null; then
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
export -f once fuzz

grep -ro --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sort | while IFS=: read -r file func; do
  echo "$(dirname "$file") ${func#func }"
done >"$dir/targets"
if [ "$mode" = plain ]; then
  cut -d' ' -f1 "$dir/targets" | sort -u | while read -r pkg; do
    go test -pgo=off -vet=off -c -o "$dir/${pkg//\//_}.test" "$pkg"
  done
fi
xargs -P 2 -L 1 bash -euo pipefail -c 'fuzz "$@"' fuzz <"$dir/targets"
