"""Tests the client against servers that give the answers of a script."""

import asyncio
import http.client
import json
import socket
import threading
import time
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ballast import AsyncClient, BallastError, Client
from ballast.contract import ValidationRequest

TRADE: ValidationRequest = {"asset": "BTC", "action": "long", "size": 50000, "wallet": "0x" + 40 * "a"}
Answer = tuple[int, dict[str, str], bytes]
OVERLOADED: Answer = (503, {"Retry-After": "0"}, b'{"error":"overloaded","detail":"too many"}')
DATA = Path(__file__).resolve().parents[2] / "testdata"
VALID = {name: json.dumps(sample).encode() for name, sample in json.loads((DATA / "answers.json").read_text()).items()}
SCORE: Answer = (200, {}, b"")  # the valid answer of the endpoint


def kind(path: str) -> str:
    """Names the type of the answer to a request."""
    place = path.removeprefix("/prefix").removeprefix("/v1/").partition("?")[0]
    kinds = {"validate": "Assessment", "validate/batch": "BatchAnswer", "stress": "ShockReport", "size": "SizeAnswer"}
    kinds["assets"] = "Assets"
    name = kinds.get(place) or {"market": "MarketData", "monitor": "WalletReport"}[place.partition("/")[0]]
    return "Compact" * ("view=compact" in path) + name


class Scripted(ThreadingHTTPServer):
    """Gives the answers of a script in order, then repeats the last. None closes the connection instead."""

    daemon_threads = True

    def __init__(self, script: list[Answer | None]) -> None:
        self.script = script
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.connections = 0
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Scripted  # pyright: ignore[reportIncompatibleVariableOverride]

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def answer(self) -> None:
        server = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server.asked.append((self.command, self.path, dict(self.headers), body))
        entry = server.script.pop(0) if len(server.script) > 1 else server.script[0]
        if entry is None:
            self.close_connection = True
            return
        status, headers, text = entry
        if status == 200 and not text:
            text = VALID[kind(self.path)]
        self.send_response(status)
        self.send_header("X-Request-Id", self.headers["X-Request-Id"])
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = answer

    def log_message(self, format: str, *args: object) -> None:
        pass


class Requests(unittest.TestCase):
    def scripted(self, *script: Answer | None) -> Scripted:
        server = Scripted(list(script))
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def client(self, server: Scripted, key: str | None = None, **options: float) -> Client:
        client = Client(server.url + "/prefix/", key, **options)  # type: ignore[arg-type]
        self.addCleanup(client.close)
        return client

    def error(self, ask: Callable[[], object]) -> BallastError:
        with self.assertRaises(BallastError) as caught:
            ask()
        return caught.exception

    def test_request(self) -> None:
        server = self.scripted(SCORE)
        client = self.client(server, "blst_k")
        self.assertEqual(client.validate(TRADE, explain=True)["risk_score"], 12.5)
        client.validate(TRADE, view="compact")
        with self.assertRaisesRegex(BallastError, "0 results for 1 trades"):
            client.plan({"wallet": TRADE["wallet"], "trades": [{"asset": "BTC", "action": "long", "size": 1}]})
        client.monitor("0x/é")
        client.market("xyz:TSLA")
        client.size({"wallet": TRADE["wallet"], "asset": "BTC", "action": "long", "target": {"max_score": 40}})
        self.assertEqual(
            [asked[:2] for asked in server.asked],
            [
                ("POST", "/prefix/v1/validate?explain=true"),
                ("POST", "/prefix/v1/validate?view=compact"),
                ("POST", "/prefix/v1/validate/batch"),
                ("GET", "/prefix/v1/monitor/0x%2F%C3%A9"),
                ("GET", "/prefix/v1/market/xyz%3ATSLA"),
                ("POST", "/prefix/v1/size"),
            ],
        )
        _, _, headers, body = server.asked[0]
        self.assertEqual(json.loads(body), TRADE)
        self.assertEqual((headers["Authorization"], headers["Content-Type"]), ("Bearer blst_k", "application/json"))
        self.assertEqual(server.connections, 1)  # one connection for all requests

    def test_no_nan(self) -> None:
        server = self.scripted(SCORE)
        with self.assertRaises(ValueError):
            self.client(server).validate({**TRADE, "size": float("nan")})
        self.assertEqual(server.asked, [])

    def test_error(self) -> None:
        members = {
            "error": "validation_error", "detail": "leverage 100 exceeds maximum 40", "field": "leverage", "got": 100,
            "allowed": {"min": 1, "max": 40}, "suggestion": "40", "problems": [{"field": "leverage", "detail": "d"}],
        }  # fmt: skip
        server = self.scripted((400, {}, json.dumps(members).encode()))
        error = self.error(lambda: self.client(server).validate(TRADE))
        got = (error.status, error.code, error.detail, error.field, error.got, error.allowed, error.suggestion)
        self.assertEqual(got, (400, *list(members.values())[:-1]))
        self.assertEqual((error.problems, error.request_id), (members["problems"], server.asked[0][2]["X-Request-Id"]))
        self.assertEqual(str(error), "validation_error: leverage 100 exceeds maximum 40")

    def test_error_without_detail(self) -> None:
        server = self.scripted((401, {}, b'{"error":"invalid API key"}'))
        error = self.error(lambda: self.client(server).markets())
        self.assertEqual((error.status, error.code, error.detail, error.problems), (401, "invalid API key", "", []))

    def test_not_ballast(self) -> None:
        for status, body in ((502, b"<h1>Bad Gateway</h1>"), (500, b'"no"'), (503, b'{"message":1}'), (200, b"<html>")):
            error = self.error(lambda: self.client(self.scripted((status, {}, body))).markets())
            self.assertEqual((error.status, error.code), (status, "not_ballast"))
            self.assertIn(body.decode(), error.detail)

    def test_retry(self) -> None:
        limited = (429, {"Retry-After": "0"}, b'{"error":"rate_limited","detail":"slower"}')
        server = self.scripted(OVERLOADED, limited, SCORE)
        self.assertEqual(self.client(server).validate(TRADE)["risk_score"], 12.5)
        self.assertEqual(len(server.asked), 3)

    def test_retry_ends(self) -> None:
        server = self.scripted(OVERLOADED)
        error = self.error(lambda: self.client(server, attempts=2).markets())
        self.assertEqual((error.code, error.retry_after, len(server.asked)), ("overloaded", 0, 2))

    def test_not_retried(self) -> None:
        for status, headers, waits in (
            (503, {"Retry-After": "60"}, 60),  # over max_wait
            (503, {}, None),
            (503, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
            (500, {"Retry-After": "0"}, 0),
        ):
            server = self.scripted((status, headers, b'{"error":"starting","detail":"wait"}'))
            error = self.error(lambda: self.client(server).markets())
            self.assertEqual((error.retry_after, len(server.asked)), (waits, 1))

    def test_kept_connection_that_has_ended(self) -> None:
        server = self.scripted(SCORE, None, SCORE)
        client = self.client(server)
        client.markets()
        client.markets()
        self.assertEqual((len(server.asked), server.connections), (3, 2))

    def test_unreachable(self) -> None:
        server = self.scripted(None)
        error = self.error(lambda: self.client(server).markets())
        self.assertEqual((error.status, error.code, len(server.asked)), (0, "unreachable", 1))
        self.assertIsInstance(error.__cause__, OSError)

    def test_silence(self) -> None:
        server = self.scripted((200, {"Content-Length": "9"}, b"{}"))  # announces 9 bytes and sends 2
        error = self.error(lambda: self.client(server, timeout=0.2).markets())
        self.assertEqual(error.code, "unreachable")

    def test_url(self) -> None:
        for url in ("127.0.0.1:8080", "ftp://host", ""):
            with self.assertRaises(ValueError):
                Client(url)

    def test_async(self) -> None:
        server = self.scripted(OVERLOADED, SCORE)

        async def ask() -> list[float]:
            async with AsyncClient(server.url) as client:
                answers = await asyncio.gather(*(client.validate(TRADE) for _ in range(40)))
                return [answer["risk_score"] for answer in answers]

        self.assertEqual(asyncio.run(ask()), 40 * [12.5])
        self.assertEqual(len(server.asked), 41)


class Exchanges(unittest.TestCase):
    """What a server may do to every client: clients/testdata/exchanges.json."""

    def test_all(self) -> None:
        for case in json.loads((DATA / "exchanges.json").read_text())["cases"]:
            with self.subTest(case["name"]):
                self.case(case)

    def case(self, case: dict[str, Any]) -> None:
        self.asked, self.connections, calls = 0, 0, case["calls"]
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        threading.Thread(target=self.accept, args=(listener, calls), daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with Client(url, timeout=case.get("timeout", 15)) as client:
            for call in calls:
                start = time.monotonic()
                try:
                    got = f"{client.validate(TRADE)['risk_score']:g}"
                except BallastError as error:
                    got = str(error)
                wants = [want.replace("{url}", url) for want in call["want"]]
                self.assertTrue(any(got == want or ":" in want and got.startswith(want) for want in wants), (got, wants))
                self.assertLess(time.monotonic() - start, 12)
                time.sleep(0.01)  # so that what comes too many has come
        self.assertEqual(self.asked, len(calls))
        self.assertEqual(self.connections, case.get("connections", self.connections))

    def accept(self, listener: socket.socket, calls: list[Any]) -> None:
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.answer, args=(connection, calls), daemon=True).start()

    def answer(self, connection: socket.socket, calls: list[Any]) -> None:
        with connection, connection.makefile("rb") as reader:
            while reader.readline():
                headers = http.client.parse_headers(reader)
                reader.read(int(headers["Content-Length"]))
                self.asked += 1
                for part in calls[min(self.asked, len(calls)) - 1]["parts"]:
                    text = scripted(part, headers["X-Request-Id"])[: part.get("cut")]
                    try:
                        size = 1 if "drip" in part else len(text) + 1
                        for i in range(0, len(text), size):
                            connection.sendall(text[i : i + size])
                            time.sleep(0.05 if "drip" in part else 0)
                    except OSError:
                        return
                    if "hang" in part:
                        reader.read(1)  # until the client closes it
                    if "cut" in part or "hang" in part:
                        return


def scripted(part: dict[str, Any], request_id: str) -> bytes:
    """Returns a part of an answer as it is sent to the request with an id."""
    if "raw" in part:
        return part["raw"].encode()
    assessment = json.loads(VALID["Assessment"]) | ({"risk_score": 1} if part.get("id") == "other" else {})
    assessment.pop(part.get("drop"), None)
    body = " " * part.get("pad", 0) + part.get("body", json.dumps(assessment | part.get("set", {})))
    ids = {"own": [request_id], "other": ["cli_other"], "none": [], "twice": 2 * [request_id]}[part.get("id", "own")]
    head = f"HTTP/1.1 {part.get('status', 200)} OK\r\nContent-Length: {len(body)}\r\n{part.get('header', '')}"
    return (head + "".join(f"X-Request-Id: {one}\r\n" for one in ids) + "\r\n" + body).encode()


if __name__ == "__main__":
    unittest.main()
