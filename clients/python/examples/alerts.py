#!/usr/bin/env python3
"""Prints the risk alerts of wallets, one JSON object a line, with the Python client.

    alerts.py [--thresholds JSON] URL[,URL...] WALLET...

    alerts.py --thresholds '{"max_risk_score": 60}' \\
        http://127.0.0.1:8080 0xba11a57000000000000000000000000000000006

Each time it prints "watching" on standard error, get the current state of the wallets with
GET /v1/monitor/{wallet}: alerts raised earlier are not sent again. Exit status: 0 after
SIGTERM or SIGINT, 1 when the service rejects the subscription, 2 for invalid arguments.
"""

import argparse
import json
import signal
import sys

from ballast import BallastError, Client


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def leave(_signum: int, _frame: object) -> None:
    sys.exit(0)  # raised wherever the program is waiting


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints the risk alerts of wallets, one JSON object a line.")
    parser.add_argument("--thresholds", type=json.loads, metavar="JSON", help='such as {"max_risk_score": 60}')
    parser.add_argument("url", help="http://host:port, several separated by commas")
    parser.add_argument("wallets", nargs="+", metavar="wallet")
    args = parser.parse_args()
    urls = args.url.split(",")
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, leave)
    try:
        client = Client(urls[0])
    except ValueError as error:
        parser.error(str(error))
    try:
        for alert in client.alerts(
            args.wallets,
            args.thresholds,
            urls=urls,
            on_watching=lambda url: log(f"watching {len(args.wallets)} wallets at {url}"),
            on_lost=log,
        ):
            print(json.dumps(alert), flush=True)
    except BallastError as error:
        log(str(error))
        sys.exit(1)


if __name__ == "__main__":
    main()
