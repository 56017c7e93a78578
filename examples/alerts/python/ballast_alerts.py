#!/usr/bin/env python3
"""Prints the risk alerts of wallets, one JSON object a line.

    ballast_alerts.py [--thresholds JSON] URL[,URL...] WALLET...

    ballast_alerts.py --thresholds '{"max_risk_score": 60}' \\
        ws://127.0.0.1:8080/v1/alerts/ws 0xba11a57000000000000000000000000000000006

Reconnects by itself, to the next URL when there are several replicas, and subscribes
again. What happened in between is not sent later: each time this program says "watching"
on standard error, ask for the state of the wallets (GET /v1/monitor/{wallet}). Exit
status: 0 after SIGTERM or SIGINT, 1 when the service refuses what was asked, 2 for
arguments that make no sense. Python 3.9, standard library only.
"""

import argparse
import base64
import hashlib
import json
import os
import random
import signal
import socket
import ssl
import sys
import time
from urllib.parse import urlsplit

CONNECT_TIMEOUT = 10  # seconds
SILENCE = 40  # seconds; the service pings every 15, so this long without a frame is the end
MAX_PAUSE = 15  # seconds between two attempts
MAX_MESSAGE = 1 << 20  # bytes
# Close codes that say that this program is at fault: doing the same again cannot help.
OUR_FAULT = {1002, 1003, 1007, 1008, 1009}


class Closed(Exception):
    """The service closed the connection, or would not open it."""

    def __init__(self, text, fatal):
        super().__init__(text)
        self.fatal = fatal


class WebSocket:
    """The client's side of RFC 6455, as much as a subscriber needs."""

    CONTINUATION, TEXT, CLOSE, PING, PONG = 0x0, 0x1, 0x8, 0x9, 0xA

    def __init__(self, url):
        u = urlsplit(url)
        secure = u.scheme == "wss"
        self.sock = socket.create_connection((u.hostname, u.port or (443 if secure else 80)), CONNECT_TIMEOUT)
        self.read = self.sock.makefile("rb")
        try:
            if secure:
                self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=u.hostname)
                self.read = self.sock.makefile("rb")
            self.handshake(u.netloc, (u.path or "/") + ("?" + u.query if u.query else ""))
            self.sock.settimeout(SILENCE)
        except BaseException:
            self.sock.close()
            raise

    def handshake(self, host, path):
        key = base64.b64encode(os.urandom(16)).decode()
        self.sock.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        lines = []
        while (line := self.read.readline(8192).rstrip(b"\r\n")) and len(lines) < 100:
            lines.append(line.decode("latin-1"))
        status = int("".join(lines[:1])[9:12] or 0)  # HTTP/1.1 101 ...
        if status != 101:
            raise Closed(f"refused with HTTP {status}", fatal=400 <= status < 500 and status != 429)
        headers = {name.strip().lower(): value.strip() for name, _, value in (s.partition(":") for s in lines[1:])}
        digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        if headers.get("sec-websocket-accept") != base64.b64encode(digest).decode():
            raise ConnectionError("the answer to the handshake is not a WebSocket's")

    def send(self, op, payload):
        n, mask = len(payload), os.urandom(4)
        size = bytes([0x80 | n]) if n < 126 else bytes([0x80 | 126]) + n.to_bytes(2, "big")
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
        self.sock.sendall(bytes([0x80 | op]) + size + mask + masked)

    def frame(self):
        """Returns one frame: whether it ends its message, its opcode, its payload."""
        b0, b1 = self.exactly(2)
        n = b1 & 0x7F
        if n >= 126:
            n = int.from_bytes(self.exactly(2 if n == 126 else 8), "big")
        fin, op = b0 & 0x80 != 0, b0 & 0x0F
        if b0 & 0x70 or b1 & 0x80 or n > MAX_MESSAGE or (op >= self.CLOSE and (n > 125 or not fin)):
            raise ConnectionError("malformed frame")
        return fin, op, self.exactly(n)

    def exactly(self, n):
        data = self.read.read(n)
        if len(data) < n:
            raise ConnectionError("the connection ended")
        return data

    def receive(self):
        """Returns the next text message; answers pings meanwhile."""
        message, expected = b"", self.TEXT
        while True:
            fin, op, payload = self.frame()
            if op == self.PING:
                self.send(self.PONG, payload)
            elif op == self.CLOSE:
                self.send(self.CLOSE, payload[:2])
                code, reason = int.from_bytes(payload[:2], "big"), payload[2:].decode("utf-8", "replace")
                raise Closed(f"closed with {code} {reason}", fatal=code in OUR_FAULT)
            elif op == expected and len(message) + len(payload) <= MAX_MESSAGE:
                message, expected = message + payload, self.CONTINUATION
                if fin:
                    return message.decode()
            elif op != self.PONG:
                raise ConnectionError("not what a WebSocket server may send")

    def close(self):
        try:
            self.send(self.CLOSE, (1000).to_bytes(2, "big"))
        except OSError:
            pass
        self.sock.close()


def log(text):
    print(text, file=sys.stderr, flush=True)


def listen(url, wallets, thresholds, connected):
    """Prints alerts until the connection ends, which it says by raising."""
    ws = WebSocket(url)
    try:
        for wallet in wallets:
            ws.send(ws.TEXT, json.dumps({"wallet": wallet, "thresholds": thresholds}).encode())
        waiting = {wallet.lower() for wallet in wallets}
        while True:
            text = ws.receive()
            message = json.loads(text)
            if "alert_type" in message:
                print(text, flush=True)
            elif "error" in message:
                log(f"{message['error']}: {message.get('detail')}")  # a close frame follows
            elif "subscribed" in message and waiting:
                waiting.discard(message["subscribed"])
                if not waiting:
                    connected()
                    log(f"watching {len(wallets)} wallets at {url}")
    finally:
        ws.close()


def main():
    parser = argparse.ArgumentParser(description="Prints the risk alerts of wallets, one JSON object a line.")
    parser.add_argument("--thresholds", type=json.loads, metavar="JSON", help='such as {"max_risk_score": 60}')
    parser.add_argument("url", help="ws://host:port/v1/alerts/ws, several separated by commas")
    parser.add_argument("wallets", nargs="+", metavar="wallet")
    args = parser.parse_args()
    urls = args.url.split(",")
    if not all(url.startswith(("ws://", "wss://")) for url in urls):
        parser.error("want a URL such as ws://host:port/v1/alerts/ws")
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda *_: sys.exit(0))  # raised wherever the program is waiting

    pause = 1  # seconds

    def connected():
        nonlocal pause
        pause = 1

    turn = 0
    while True:
        try:
            listen(urls[turn % len(urls)], args.wallets, args.thresholds, connected)
        except Closed as end:
            log(str(end))
            if end.fatal:
                sys.exit(1)
        except (OSError, ValueError) as error:  # the network, or somebody else's service
            log(f"connection lost: {error}")
        turn += 1
        # A random share of a growing pause: after a restart thousands must not come at once.
        time.sleep(random.random() * pause)
        pause = min(2 * pause, MAX_PAUSE)


if __name__ == "__main__":
    main()
