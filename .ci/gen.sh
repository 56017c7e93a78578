#!/usr/bin/env bash
# Runs make gen, which must change no file.
set -euo pipefail
cd "$(dirname "$0")/.."
state() { git status --porcelain; git diff HEAD; }
before=$(state)
make gen
after=$(state)
[ "$before" = "$after" ] || { diff <(echo "$before") <(echo "$after") | head -n 40; echo "make gen has changed files"; exit 1; }
