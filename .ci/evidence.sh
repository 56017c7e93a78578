#!/usr/bin/env bash
# Runs the tests with the build tag evidence. They read candles and recordings of the venue that are
# not part of the project: data/candles and venue/recordings in the directory given as argument.
set -euo pipefail
dir=${1:-}
[ -n "$dir" ] || { echo "make evidence: want EVIDENCE=dir, a directory with data/candles and venue/recordings"; exit 2; }
for part in data/candles venue/recordings; do
  [ -d "$dir/$part" ] || { echo "make evidence: there is no directory $dir/$part"; exit 1; }
done
BALLAST_EVIDENCE=$(cd "$dir" && pwd) exec "$(dirname "$0")/tagged.sh" evidence
