"""Tests what a server may do to every client: clients/testdata/exchanges.json."""

import asyncio
import http.client
import json
import socket
import threading
import time
import unittest
from pathlib import Path
from typing import Any

from ballast import AsyncClient, BallastError, Client
from ballast.contract import ValidationRequest

DATA = Path(__file__).resolve().parents[2] / "testdata"
ASSESSMENT: dict[str, Any] = json.loads((DATA / "answers.json").read_text())["Assessment"]
TRADE: ValidationRequest = {"asset": "BTC", "action": "long", "size": 50000, "wallet": "0x" + 40 * "a"}
MEMBERS = ("status", "field", "got", "allowed", "suggestion", "problems", "revision", "retry_after")


class Exchanges(unittest.TestCase):
    def test_client(self) -> None:
        for case in json.loads((DATA / "exchanges.json").read_text())["cases"]:
            with self.subTest(case["name"]):
                self.case(case, Client)

    def test_async_client(self) -> None:
        """The requests are the other client's; the attempts and the deadline are its own."""
        for case in json.loads((DATA / "exchanges.json").read_text())["cases"]:
            if case["name"] in ("trying again", "the last attempt", "not trying again", "silence"):
                with self.subTest(case["name"]):
                    self.case(case, AsyncClient)

    def case(self, case: dict[str, Any], kind: type[Client] | type[AsyncClient]) -> None:
        self.asked, self.connections, self.request_id = 0, 0, ""
        self.answers = [answer for call in case["calls"] for answer in call["answers"]]
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        client = kind(url, timeout=case.get("timeout", 15), attempts=case.get("attempts", 3))
        self.addCleanup(client.close)
        for call in case["calls"]:
            start = time.monotonic()
            try:
                got = self.ask(client, "change" in call)
            except BallastError as error:
                got = str(error)
                self.assertEqual(got, f"{error.code}: {error.detail}" if error.detail else error.code)
                members = {name: value for name in MEMBERS if (value := getattr(error, name)) not in (None, [])}
                if error.request_id == self.request_id:
                    members["request_id"] = "own"
                self.assertEqual(call.get("error", members), members)
                self.assertTrue(error.status or isinstance(error.__cause__, (OSError, http.client.HTTPException)))
            wants = [want.replace("{url}", url) for want in call["want"]]
            self.assertTrue(any(got == want or ":" in want and got.startswith(want) for want in wants), (got, wants))
            self.assertLess(time.monotonic() - start, 12)
            self.assertGreaterEqual(time.monotonic() - start, call.get("waits", 0))
            time.sleep(0.01)  # so that what comes too many has come
        self.assertEqual(self.asked, len(self.answers))
        self.assertEqual(self.connections, case.get("connections", self.connections))

    def ask(self, client: Client | AsyncClient, change: bool) -> str:
        asked: Any = client.put_policy("0x", {}, revision=7) if change else client.validate(TRADE)
        if isinstance(client, AsyncClient):

            async def waiting() -> Any:
                return await asked

            asked = asyncio.run(waiting())
        return f"{asked['risk_score']:g}"

    def accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as reader:
            while reader.readline():
                headers = http.client.parse_headers(reader)
                reader.read(int(headers["Content-Length"]))
                self.asked += 1
                self.request_id = headers["X-Request-Id"]
                for part in self.answers[min(self.asked, len(self.answers)) - 1]:
                    if "end" in part:
                        return
                    text = scripted(part, self.request_id)[: part.get("cut")]
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
    assessment = ASSESSMENT | ({"risk_score": 1} if part.get("id") == "other" else {}) | part.get("set", {})
    assessment.pop(part.get("drop", ""), None)
    body = " " * part.get("pad", 0) + part.get("body", json.dumps(part.get("json", assessment)))
    ids = {"own": [request_id], "other": ["cli_other"], "none": [], "twice": 2 * [request_id]}[part.get("id", "own")]
    head = f"HTTP/1.1 {part.get('status', 200)} OK\r\nContent-Length: {len(body)}\r\n{part.get('header', '')}"
    return (head + "".join(f"X-Request-Id: {one}\r\n" for one in ids) + "\r\n" + body).encode()


if __name__ == "__main__":
    unittest.main()
