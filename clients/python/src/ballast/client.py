"""Requests over HTTP."""

from __future__ import annotations

import asyncio
import functools
import http.client
import itertools
import json
import random
import ssl
import threading
import time
import uuid
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from . import _alerts, _complete, _methods
from ._call import Call
from ._connection import Connection
from .contract import AlertConfigThresholds, RiskAlert
from .errors import BallastError, refusal, wrong

Notice = Callable[[str], None]

CONNECTIONS = 16  # maximum idle connections of a client, and concurrent requests of an AsyncClient
MAX_ANSWER = 16 << 20  # bytes; a larger answer is an error
CHANGES = ("PUT", "DELETE")  # each has a connection of its own


class _HTTP:
    """Base of both clients: kept-alive connections, single requests, and retries.

    url       address of the service, such as "http://127.0.0.1:8080"
    key       the API key
    timeout   seconds that a call may take, whatever happens: connecting, sending, the answer to its last
              byte, all attempts; the service's own limit per request is 10
    attempts  maximum attempts of a request; only a 429 or 503 with Retry-After is repeated
    max_wait  seconds: a request is not repeated if its Retry-After is longer
    context   TLS settings; None for the system's
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = 15,
        attempts: int = 3,
        max_wait: float = 10,
        context: ssl.SSLContext | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("want a URL such as http://127.0.0.1:8080")
        self.url = url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._attempts = attempts
        self._max_wait = max_wait
        self._context = context
        if parts.scheme == "https" and context is None:
            self._context = ssl.create_default_context()
        elif parts.scheme == "http":
            self._context = None
        self._host, self._port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
        self._prefix = parts.path.rstrip("/")
        self._idle: deque[Connection] = deque(maxlen=CONNECTIONS)

    def _close_connections(self) -> None:
        while self._idle:
            self._idle.pop().end()

    def _once(self, deadline: float, call: Call) -> Any:
        """Sends a request and returns the answer, or raises BallastError."""
        body = None if call.body is None else json.dumps(call.body, allow_nan=False).encode()
        request_id = "cli_" + uuid.uuid4().hex
        headers = {"Accept": "application/json", "X-Request-Id": request_id}
        if self._key is not None:
            headers["Authorization"] = "Bearer " + self._key
        if body is not None:
            headers["Content-Type"] = "application/json"
        if call.revision is not None:
            headers["If-Match"] = f'"{call.revision}"'
        request = (deadline, call.method, self._prefix + call.target, body, headers)
        try:
            try:
                if call.method in CHANGES:  # not over a connection that may have ended: it is not sent twice
                    raise IndexError
                connection = self._kept()
                status, answer_headers, answer = self._exchange(connection, *request)
            except (IndexError, ConnectionError):  # no idle connection, or the service has closed it
                connection = Connection(self._host, self._port, self._context)
                status, answer_headers, answer = self._exchange(connection, *request)
        except TimeoutError as error:
            raise self._late() from error
        except (OSError, http.client.HTTPException) as error:
            raise BallastError(0, "unreachable", f"{self.url}: {error or type(error).__name__}") from error
        ids = answer_headers.get_all("X-Request-Id", [])
        # a proxy, and the service when it has too many connections, refuse without an id
        if ids != [request_id] and (ids or status == 200):
            raise wrong(status, answer_headers, "the response belongs to another request")
        if len(answer) > MAX_ANSWER:
            raise wrong(status, answer_headers, f"the answer has over {MAX_ANSWER} bytes")
        if status != 200 and (status, call.answer) != (503, "Health"):  # of a service that is not ready
            raise refusal(status, answer_headers, answer)
        try:
            decoded = json.loads(answer)
            _complete.check(call.answer, decoded, call.body)
        except (ValueError, RecursionError) as error:
            if status != 200:
                raise refusal(status, answer_headers, answer) from None
            text = answer[:200].decode("utf-8", "replace")
            raise wrong(status, answer_headers, f"{error}: {text}") from None
        return decoded

    def _late(self) -> BallastError:
        return BallastError(0, "unreachable", f"{self.url}: no answer within {self._timeout:g} s")

    def _kept(self) -> Connection:
        """Returns an idle connection on which nothing has come since; raises IndexError if there is none."""
        while True:
            connection = self._idle.pop()
            if not connection.surplus():
                return connection
            connection.end()

    def _exchange(
        self,
        connection: Connection,
        deadline: float,
        method: str,
        target: str,
        body: bytes | None,
        headers: dict[str, str],
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection.deadline = deadline
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            try:
                answer = response.read(MAX_ANSWER + 1)
            except ConnectionError as error:  # the service did answer: do not ask again
                raise http.client.HTTPException(str(error)) from error
            if response.length and len(answer) <= MAX_ANSWER:
                raise http.client.IncompleteRead(answer, response.length)
        except BaseException:
            connection.end()
            raise
        own = response.headers.get_all("X-Request-Id") == [headers["X-Request-Id"]]
        if response.will_close or not own or len(answer) > MAX_ANSWER or method in CHANGES:
            connection.end()
        else:
            self._idle.append(connection)
        return response.status, response.headers, answer

    def _pause(self, attempt: int, error: BallastError, deadline: float) -> float:
        """Returns the seconds to wait before a retry, or raises the error if the request must not be retried."""
        wait = error.retry_after
        if error.status not in (429, 503) or wait is None or wait > self._max_wait or attempt >= self._attempts:
            raise error
        wait += random.random() / 4  # so that clients do not retry simultaneously
        if time.monotonic() + wait >= deadline:
            raise error
        return wait


class Client(_methods.Methods, _HTTP):
    """Client for threads, any number of which may share it. `with` closes its connections."""

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._close_connections()

    def alerts(
        self,
        wallets: Sequence[str],
        thresholds: AlertConfigThresholds | None = None,
        *,
        urls: Sequence[str] = (),
        on_watching: Notice | None = None,
        on_lost: Notice | None = None,
    ) -> Generator[RiskAlert, None, None]:
        """Like AsyncClient.alerts. A thread keeps the connection open while the caller is busy."""
        stream = _alerts.stream(urls or (self.url,), wallets, thresholds, self._key, on_watching, on_lost)
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="ballast alerts", daemon=True)
        thread.start()

        async def following() -> RiskAlert:
            return await anext(stream)

        async def ending() -> None:
            waiting = asyncio.all_tasks() - {asyncio.current_task()}  # following(), if a signal interrupted result()
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            await stream.aclose()

        try:
            while True:
                yield asyncio.run_coroutine_threadsafe(following(), loop).result()
        finally:
            asyncio.run_coroutine_threadsafe(ending(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _ask(self, call: Call) -> Any:
        deadline = time.monotonic() + self._timeout
        for attempt in itertools.count(1):
            try:
                return self._once(deadline, call)
            except BallastError as error:
                time.sleep(self._pause(attempt, error, deadline))


class AsyncClient(_methods.AsyncMethods, _HTTP):
    """Client for asyncio. Requests run on the client's own threads; `async with` closes it.

    A request whose task is cancelled still runs to its end on its thread.
    """

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._threads.shutdown(wait=False)
        self._close_connections()

    @functools.cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(CONNECTIONS, "ballast")

    def alerts(
        self,
        wallets: Sequence[str],
        thresholds: AlertConfigThresholds | None = None,
        *,
        urls: Sequence[str] = (),
        on_watching: Notice | None = None,
        on_lost: Notice | None = None,
    ) -> AsyncGenerator[RiskAlert, None]:
        """Yields the alerts of up to 64 wallets, which monitor calls of any client raise. Needs websockets.

        After a lost connection it reconnects, to the next of urls, and subscribes again. on_watching is
        called with a replica's URL when that replica watches all wallets. Alerts raised while disconnected
        are not sent later, so call monitor then for the current state. on_lost is called with the reason
        when a connection ends; no wallet is watched until the next on_watching. Raises BallastError if the
        service rejects the subscription. Close the generator to stop: contextlib.aclosing.
        """
        return _alerts.stream(urls or (self.url,), wallets, thresholds, self._key, on_watching, on_lost)

    async def _ask(self, call: Call) -> Any:
        loop, deadline = asyncio.get_running_loop(), time.monotonic() + self._timeout
        for attempt in itertools.count(1):
            once = loop.run_in_executor(self._threads, self._once, deadline, call)
            try:
                async with asyncio.timeout(deadline - time.monotonic()):  # waiting for a thread counts, too
                    return await once
            except TimeoutError as error:
                raise self._late() from error
            except BallastError as error:
                await asyncio.sleep(self._pause(attempt, error, deadline))
