#!/usr/bin/env bash
# Several replicas on one machine: a simulated venue, a NATS server with JetStream, and
# one `ballast serve` per port, each with its own data directory. Prints a key and curl
# lines when all are ready; Ctrl-C ends everything. A process that ends then, or is killed, does
# not end the others. See docs/replicas.md.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: scripts/replicas.sh [--dir DIR] [--ports P,P,P] [--nats-port P] [--venue-port P] [-- SERVE-FLAGS...]

  --dir DIR       folder for stores and logs, kept at the end (default: a temporary one,
                  removed at the end unless something failed)
  --ports P,P,P   HTTP ports of the replicas, as many as there are to be (8081,8082,8083)
  --nats-port P   port of the NATS server (4222)
  --venue-port P  port of the simulated venue (9090)
  -- FLAGS        further flags of each `ballast serve`, such as --feed shared
EOF
}

dir='' ports=8081,8082,8083 nats_port=4222 venue_port=9090
while (($#)); do
  case $1 in
    --dir | --ports | --nats-port | --venue-port)
      (($# > 1)) || { usage >&2; exit 2; }
      name=${1#--}
      printf -v "${name//-/_}" %s "$2"
      shift 2
      ;;
    --help) usage; exit 0 ;;
    --) shift; break ;;
    *) usage >&2; exit 2 ;;
  esac
done
IFS=, read -ra ports <<<"$ports"

temporary=''
if [[ -z $dir ]]; then
  dir=$(mktemp -d "${TMPDIR:-/tmp}/ballast-replicas.XXXXXX")
  temporary=yes
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
cd "$(dirname "$0")/.."

names=() pids=()

# run NAME COMMAND... starts a process that writes to DIR/NAME.log. It is in a process group
# of its own, so that Ctrl-C in the terminal reaches only this script, which then ends the
# processes, the last started first.
run() {
  local name=$1
  shift
  set -m
  "$@" </dev/null >"$dir/$name.log" 2>&1 &
  set +m
  names+=("$name") pids+=($!)
}

# end ends a process and waits for it, if it is still there.
end() {
  local pid=${pids[$1]}
  [[ -n $pid ]] || return 0
  kill "$pid" 2>/dev/null || true
  for ((n = 0; n < 150; n++)); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
}

stop() {
  local status=$?
  trap '' INT TERM
  trap - EXIT
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do end "$i"; done # replicas, NATS, the venue
  if ((status)); then
    echo "failed; what was started is stopped, the logs are in $dir" >&2
  elif [[ -n $temporary ]]; then
    rm -rf "$dir"
  fi
  exit "$status"
}
trap stop EXIT
trap 'echo; echo stopping; exit 0' INT TERM

# alive fails and prints the end of the log if a process has ended.
alive() {
  local i
  for i in "${!pids[@]}"; do
    if ! kill -0 "${pids[$i]}" 2>/dev/null; then
      echo "${names[$i]} has ended; the end of $dir/${names[$i]}.log:" >&2
      tail -n 20 "$dir/${names[$i]}.log" >&2
      return 1
    fi
  done
}

# await SECONDS WHAT COMMAND... waits until a command succeeds.
await() {
  local until=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    alive
    if ((SECONDS >= until)); then
      echo "$what: not ready in time; the ends of the logs:" >&2
      tail -n 20 "$dir"/*.log >&2
      return 1
    fi
    sleep 0.2
  done
  alive # fails if another process answered on that port and ours has ended
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1"); }

echo "building"
make --silent build
go build -o bin/nats-server github.com/nats-io/nats-server/v2

# With sync_interval always, NATS acknowledges a write only once it is on disk, so an issued
# key survives a power failure.
cat >"$dir/nats.conf" <<EOF
server_name: replicas
listen: "127.0.0.1:$nats_port"
jetstream {
  store_dir: "$dir/nats"
  sync_interval: always
}
EOF
run venue bin/venuesim --listen "127.0.0.1:$venue_port"
run nats bin/nats-server --config "$dir/nats.conf"
await 20 "the simulated venue" listens "$venue_port"
await 20 "NATS" listens "$nats_port"

nats_url=nats://127.0.0.1:$nats_port
for i in "${!ports[@]}"; do
  run "replica-$((i + 1))" bin/ballast serve --nats-url "$nats_url" --listen "127.0.0.1:${ports[$i]}" \
    --data-dir "$dir/replica-$((i + 1))" --venue "http://127.0.0.1:$venue_port" --venue-budget 0 "$@"
done
for i in "${!ports[@]}"; do
  await 90 "replica-$((i + 1))" curl -fsS "http://127.0.0.1:${ports[$i]}/readyz"
done

key=$(bin/ballast keys issue --email demo@localhost --nats-url "$nats_url" --json | sed -n 's/.*"key": *"\([^"]*\)".*/\1/p')
[[ -n $key ]] || { echo "no key was issued" >&2; exit 1; }
wallet=0xba11a57000000000000000000000000000000006 # always near its liquidation
cat <<EOF

${#ports[@]} replicas are ready. Logs and stores: $dir
API key, shown this once: $key

Look at a wallet on any of them:

$(for p in "${ports[@]}"; do echo "curl http://127.0.0.1:$p/v1/monitor/$wallet -H 'Authorization: Bearer $key'"; done)

and hear of it, from the first that answers:

PYTHONPATH=clients/python/src python3 clients/python/examples/alerts.py $(printf 'http://127.0.0.1:%s\n' "${ports[@]}" | paste -sd, -) $wallet

Kill one and see what the others do:

$(for i in "${!pids[@]}"; do echo "kill -9 ${pids[$i]}    # ${names[$i]}"; done)

Ctrl-C ends all of them.
EOF

replicas=${#ports[@]}
while ((replicas)); do
  sleep 0.5
  for i in "${!pids[@]}"; do
    if [[ -z ${pids[$i]} ]] || kill -0 "${pids[$i]}" 2>/dev/null; then continue; fi
    pids[i]=''
    [[ ${names[$i]} != replica-* ]] || replicas=$((replicas - 1))
    echo "${names[$i]} has ended; replicas that still run: $replicas. Its log: $dir/${names[$i]}.log"
  done
done
echo "no replica is left" >&2
exit 1
