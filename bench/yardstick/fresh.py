"""CPU time per answer of versions of the service, relative to static, in several processes.

    python3 bench/yardstick/fresh.py 6 load old=/tmp/ballast-old new=bin/ballast

CPU time differs by up to a tenth between two starts of the same program, so each version needs
several processes. The first argument is that number: the versions are started in turn, against the
simulated venue (64 assets). The generator measures each process ten times, alternating with static:
`load` is ballast-load (0.4 s each), `wrk` is wrk (2 s each). The
servers run on processor 0, generator and venue on processor 1; ports 9000, 9011 and 9021 must be
free. `make load` builds the programs. Prints the median ratio of each process, and of each version
the median, minimum and maximum over its processes.
"""
import json
import statistics
import subprocess
import sys
import tempfile
import time

import wrk

VISITS = 10


def start(processor, *command):
    """Starts a server on a processor and discards its output."""
    null = subprocess.DEVNULL
    return subprocess.Popen(["taskset", "-c", str(processor), *command], stdin=null, stdout=null, stderr=null)


def visit(generator, script, port, pid, key):
    """Runs the generator once and returns the CPU time per answer, microseconds."""
    if generator == "wrk":
        return wrk.visit(script, port, pid, key)[0]
    out = subprocess.run(
        ["taskset", "-c", "1", "bin/ballast-load", "--url", f"http://127.0.0.1:{port}", "--key", key, "--closed",
         "--duration", "400ms", "--warmup", "100ms", "--mix", "validate=1",
         "--wallets", "0xba11a57000000000000000000000000000000005", "--connections", "64", "--json", "--server-pid", str(pid)],
        capture_output=True, text=True, check=True).stdout
    report = json.loads(out)
    if report["failed"] or not report["answered"]:
        sys.exit(f"port {port}: {report['answered']} answers, {report['failed']} failures\n{out}")
    return report["server"]["cpu_answer_us"]


def process(binary, generator, script, static):
    """Starts a version and returns the median of its ratios to static."""
    with tempfile.TemporaryDirectory() as data:
        issued = subprocess.run([binary, "keys", "issue", "--email", "bench@localhost", "--data-dir", data, "--json"],
                                capture_output=True, text=True, check=True).stdout
        key = json.loads(issued)["key"]
        service = start(0, binary, "serve", "--venue", "http://127.0.0.1:9000", "--venue-budget", "0",
                        "--listen", "127.0.0.1:9011", "--data-dir", data)
        try:
            time.sleep(9)  # until all 64 assets are calibrated
            ratios = []
            for _ in range(VISITS):
                yard = visit(generator, script, 9021, static.pid, "none")
                ratios.append(visit(generator, script, 9011, service.pid, key) / yard)
            return statistics.median(ratios)
        finally:
            service.terminate()
            service.wait()


def main():
    if len(sys.argv) < 4 or sys.argv[2] not in ("load", "wrk"):
        sys.exit(__doc__)
    generator, versions = sys.argv[2], [argument.split("=") for argument in sys.argv[3:]]
    seen = {name: [] for name, _ in versions}
    servers = [start(1, "bin/venuesim", "--listen", "127.0.0.1:9000", "--assets", "64", "--dex-assets", "0"),
               start(0, "bin/yardsticks/static", "-listen", "127.0.0.1:9021")]
    try:
        time.sleep(1)
        with wrk.script() as script:
            for _ in range(int(sys.argv[1])):
                for name, binary in versions:
                    seen[name].append(process(binary, generator, script.name, servers[1]))
                    print(f"{name:10} {seen[name][-1]:.2f}", flush=True)
    finally:
        for server in servers:
            server.kill()
    for name, ratios in seen.items():
        print(f"{name:10} median {statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}")


main()
