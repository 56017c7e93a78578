#!/usr/bin/env bash
# Checks that every package imports only the packages that .ci/floors.txt allows it, and that no program has a
# NATS server in it: only tests start one.
set -euo pipefail
cd "$(dirname "$0")/.."
go list -f '{{.ImportPath}} {{join .Imports " "}}' ./... | awk '
  NR == FNR { if ($0 ~ /^#/ || NF == 0) next; known[$1] = 1; for (i = 2; i <= NF; i++) granted[$1 " " $i] = 1; next }
  {
    if (!known[$1]) { print "floors: " $1 " has no row in .ci/floors.txt"; bad = 1; next }
    for (i = 2; i <= NF; i++)
      if ($i ~ /^ballast\// && !granted[$1 " *"] && !granted[$1 " " $i]) {
        print "floors: " $1 " must not import " $i; bad = 1
      }
  }
  END { exit bad }
' .ci/floors.txt -
if go list -deps ./cmd/... | grep nats-server; then
  echo "floors: a program imports the NATS server, which only tests may start"
  exit 1
fi
