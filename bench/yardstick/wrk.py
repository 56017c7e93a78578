"""CPU time per answer of several servers, measured in turn with wrk, an independent generator.

    taskset -c 0 bin/yardsticks/static -listen 127.0.0.1:9021 &
    taskset -c 0 bin/yardsticks/nethttp -listen 127.0.0.1:9022 &
    taskset -c 0 bin/ballast serve --listen 127.0.0.1:9011 ... &
    python3 bench/yardstick/wrk.py 11 static=9021:PID ballast=9011:PID:KEY nethttp=9022:PID

The first argument is the number of rounds. A round is 2 s per server, with 64 connections and one
thread of wrk on processor 1. Prints the median and the minimum CPU time per answer in microseconds
(/proc/PID/task/*/schedstat), answers per second, and the median ratios to the first server.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

SCRIPT = """
wrk.method = "POST"
wrk.body = '{"asset":"BTC","action":"long","size":50000,"leverage":10,"wallet":"0xba11a57000000000000000000000000000000005"}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("KEY")
"""


def used(pid):
    """CPU time of all threads so far, microseconds."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/schedstat") as f:
                total += int(f.read().split()[0])
        except FileNotFoundError:  # a thread that has just ended
            pass
    return total / 1e3


def visit(script, port, pid, key):
    """Runs wrk once; returns CPU time per answer, microseconds, and answers per second."""
    before = used(pid)
    out = subprocess.run(
        ["taskset", "-c", "1", "wrk", "-t1", "-c64", "-d2s", "-s", script, f"http://127.0.0.1:{port}/v1/validate"],
        capture_output=True, text=True, check=True, env=dict(os.environ, KEY=key)).stdout
    after = used(pid)
    if "Non-2xx" in out:
        sys.exit(f"port {port}: not every answer was a 2xx\n{out}")
    answers = int(re.search(r"(\d+) requests in", out)[1])
    return (after - before) / answers, float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])


def script():
    """Returns an open file with wrk's Lua script; closing it deletes it."""
    file = tempfile.NamedTemporaryFile("w", suffix=".lua")
    file.write(SCRIPT)
    file.flush()
    return file


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    servers = []
    for argument in sys.argv[2:]:
        name, rest = argument.split("=")
        servers.append((name, *(rest + "::x").split(":")[:3]))
    rounds = {name: [] for name, *_ in servers}
    with script() as asks:
        for _ in range(int(sys.argv[1])):
            for name, port, pid, key in servers:
                rounds[name].append(visit(asks.name, port, int(pid), key or "none"))
    first = rounds[servers[0][0]]
    for name, seen in rounds.items():
        median, least = statistics.median(c for c, _ in seen), min(c for c, _ in seen)
        cpu = statistics.median(a[0] / b[0] for a, b in zip(seen, first))
        rate = statistics.median(a[1] / b[1] for a, b in zip(seen, first))
        print(f"{name:10} {median:6.1f} us, least {least:5.1f}, {statistics.median(r for _, r in seen):8.0f}/s; "
              f"of {servers[0][0]}: CPU {cpu:.2f}, rate {rate:.2f}")


if __name__ == "__main__":
    main()
