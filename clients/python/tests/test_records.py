"""Tests the methods about records against a server that gives valid answers."""

import asyncio
import json
import threading
import unittest
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ballast import AsyncClient, BallastError, Client
from ballast.contract import OutcomeReport

DATA = Path(__file__).resolve().parents[2] / "testdata"
VALID: dict[str, Any] = json.loads((DATA / "answers.json").read_text())
AT = datetime(2026, 11, 27, 10, 22, 17, 191000, UTC)
PAGE = "from=2026-11-27T10%3A22%3A17.191000%2B00%3A00&to=2026-11-27T10%3A22%3A17.191000%2B00%3A00&limit=5&cursor=1.2"
OUTCOME: OutcomeReport = {
    "trade_id": "t",
    "request_id": "r",
    "entry_price": 1,
    "exit_price": 2,
    "pnl_usd": 0,
    "pnl_pct": 0,
    "holding_period_hours": 0,
    "liquidated": False,
}
# Kind of the answer, what is asked, and the call, which is the same of both clients.
CALLS: list[tuple[str, str, Callable[[Any], Any]]] = [
    (
        "Decisions",
        f"GET /v1/decisions?wallet=0x&asset=xyz%3AA&verdict=abort&request_id=a%2Fb&{PAGE}",
        lambda c: c.decisions(
            wallet="0x", asset="xyz:A", verdict="abort", request_id="a/b", since=AT, until=AT, limit=5, cursor="1.2"
        ),
    ),
    ("Decisions", "GET /v1/decisions", lambda c: c.decisions()),
    ("Decision", "GET /v1/decisions/a%2Fb", lambda c: c.decision("a/b")),
    ("Audit", "GET /v1/audit?limit=2&cursor=7", lambda c: c.audit(limit=2, cursor="7")),
    ("Policy", "GET /v1/policy/%2A", lambda c: c.policy("*")),
    ("Policy", 'PUT /v1/policy/0x {"max_leverage": 5}', lambda c: c.put_policy("0x", {"max_leverage": 5})),
    ("Policy", 'PUT /v1/policy/0x "7" {}', lambda c: c.put_policy("0x", {}, revision=7)),
    ("Policy", 'DELETE /v1/policy/0x "7"', lambda c: c.delete_policy("0x", revision=7)),
    ("PolicyTest", 'POST /v1/policy/0x/test {"rules": {}}', lambda c: c.test_policy("0x", {"rules": {}})),
    ("KillSwitch", "GET /v1/kill-switch", lambda c: c.kill_switch()),
    (
        "KillSwitch",
        'PUT /v1/kill-switch {"on": true, "reason": "r"}',
        lambda c: c.set_kill_switch({"on": True, "reason": "r"}),
    ),
    ("KillSwitch", 'PUT /v1/kill-switch "3" {"on": false}', lambda c: c.set_kill_switch({"on": False}, revision=3)),
    ("Watch", 'PUT /v1/watch/0x {"every_s": 10}', lambda c: c.put_watch("0x", {"every_s": 10})),
    ("Watch", "GET /v1/watch/0x", lambda c: c.watch("0x")),
    ("WatchRemoved", "DELETE /v1/watch/0x", lambda c: c.delete_watch("0x")),
    ("WatchList", "GET /v1/watch", lambda c: c.watches()),
    ("OutcomeAnswer", f"POST /v1/outcome {json.dumps(OUTCOME)}", lambda c: c.report_outcome(OUTCOME)),
    ("Accuracy", "GET /v1/accuracy", lambda c: c.accuracy()),
    ("Accuracy", "GET /v1/outcomes/stats", lambda c: c.outcome_stats()),
    ("ReceiptKey", "GET /v1/receipt-key", lambda c: c.receipt_key()),
]


class Server(ThreadingHTTPServer):
    """Gives one answer again and again, or closes the connection for None."""

    daemon_threads = True

    def __init__(self) -> None:
        self.answer: tuple[int, Any] | None = None
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def respond(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        parts = (self.command, self.path, self.headers.get("If-Match"), body)
        self.server.asked.append(" ".join(part for part in parts if part))
        if self.server.answer is None:
            self.close_connection = True
            return
        status, answer = self.server.answer
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("X-Request-Id", self.headers["X-Request-Id"])
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_DELETE = respond

    def log_message(self, format: str, *args: object) -> None:
        pass


class Records(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.client = Client(self.url)
        self.addCleanup(self.client.close)

    def test_requests(self) -> None:
        for kind, want, call in CALLS:
            self.server.answer = (200, VALID[kind])
            self.assertEqual(call(self.client), VALID[kind])
            self.assertEqual(self.server.asked.pop(), want)
            self.server.answer = (200, {})
            with self.assertRaises(BallastError, msg=want) as caught:
                call(self.client)
            self.assertEqual(caught.exception.code, "not_ballast")

    def test_async_requests(self) -> None:
        async def ask() -> None:
            async with AsyncClient(self.url) as client:
                for kind, want, call in CALLS:
                    self.server.answer = (200, VALID[kind])
                    self.assertEqual(await call(client), VALID[kind])
                    self.assertEqual(self.server.asked.pop(), want)

        asyncio.run(ask())

    def test_revision(self) -> None:
        self.server.answer = (412, {"error": "precondition_failed", "detail": "d", "revision": 8})
        with self.assertRaises(BallastError) as caught:
            self.client.delete_policy("0x", revision=7)
        self.assertEqual((caught.exception.status, caught.exception.revision), (412, 8))

    def test_change_is_not_repeated(self) -> None:
        self.server.answer = (200, VALID["Policy"])
        self.client.policy("0x")
        self.server.answer = None
        with self.assertRaises(BallastError) as caught:
            self.client.put_policy("0x", {}, revision=7)
        self.assertEqual(caught.exception.code, "unreachable")
        self.assertEqual(len(self.server.asked), 2)


if __name__ == "__main__":
    unittest.main()
