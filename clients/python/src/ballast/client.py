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
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, overload
from urllib.parse import quote, urlencode, urlsplit

from . import _alerts
from .contract import (
    AlertConfigThresholds,
    Assessment,
    Assets,
    BatchAnswer,
    BatchRequest,
    CompactAssessment,
    CompactBatchAnswer,
    CompactWalletReport,
    MarketData,
    RiskAlert,
    ShockReport,
    ShockRequest,
    ValidationRequest,
    WalletReport,
)
from .errors import BallastError, refusal

Notice = Callable[[str], None]
View = Literal["full", "compact"]

CONNECTIONS = 16  # maximum idle connections of a client, and concurrent requests of an AsyncClient


class _HTTP:
    """Base of both clients: kept-alive connections, single requests, and retries.

    url       address of the service, such as "http://127.0.0.1:8080"
    key       the API key
    timeout   seconds to wait for data from the service, whose own limit per request is 10
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
        self._host, self._port, self._secure = parts.hostname, parts.port, parts.scheme == "https"
        self._prefix = parts.path.rstrip("/")
        self._idle: deque[http.client.HTTPConnection] = deque(maxlen=CONNECTIONS)

    def _close_connections(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _once(self, method: str, path: str, query: dict[str, str] | None, request: object) -> Any:
        """Sends a request and returns the answer, or raises BallastError."""
        target = self._prefix + path + ("?" + urlencode(query) if query else "")
        body = None if request is None else json.dumps(request, allow_nan=False).encode()
        headers = {"Accept": "application/json"}
        if self._key is not None:
            headers["Authorization"] = "Bearer " + self._key
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            try:
                connection = self._idle.pop()
                status, answer_headers, answer = self._exchange(connection, method, target, body, headers)
            except (IndexError, ConnectionError):  # no idle connection, or the service has closed it
                status, answer_headers, answer = self._exchange(self._connect(), method, target, body, headers)
        except (OSError, http.client.HTTPException) as error:
            raise BallastError(0, "unreachable", f"{self.url}: {error or type(error).__name__}") from error
        if status != 200:
            raise refusal(status, answer_headers, answer)
        try:
            return json.loads(answer)
        except ValueError:
            raise refusal(status, answer_headers, answer) from None

    def _connect(self) -> http.client.HTTPConnection:
        if self._secure:
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=self._timeout, context=self._context
            )
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        body: bytes | None,
        headers: dict[str, str],
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            answer = response.read()
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        return response.status, response.headers, answer

    def _pause(self, attempt: int, error: BallastError) -> float:
        """Returns the seconds to wait before a retry, or raises the error if the request must not be retried."""
        wait = error.retry_after
        if error.status not in (429, 503) or wait is None or wait > self._max_wait or attempt >= self._attempts:
            raise error
        return wait + random.random() / 4  # so that clients do not retry simultaneously


def _query(view: View, explain: bool = False) -> dict[str, str]:
    query: dict[str, str] = {}
    if view != "full":
        query["view"] = view
    if explain:
        query["explain"] = "true"
    return query


class Client(_HTTP):
    """Client for threads, any number of which may share it. `with` closes its connections."""

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._close_connections()

    @overload
    def validate(self, request: ValidationRequest, *, view: Literal["full"] = ..., explain: bool = ...) -> Assessment: ...

    @overload
    def validate(self, request: ValidationRequest, *, view: Literal["compact"]) -> CompactAssessment: ...

    def validate(self, request: ValidationRequest, *, view: View = "full", explain: bool = False) -> Any:
        """Assesses a trade before it is sent. explain adds an explanation of the score."""
        return self._ask("POST", "/v1/validate", _query(view, explain), request)

    def stress(self, request: ShockRequest) -> ShockReport:
        """Computes what price moves of your own do to a wallet."""
        return self._ask("POST", "/v1/stress", {}, request)

    @overload
    def plan(self, request: BatchRequest, *, view: Literal["full"] = ..., explain: bool = ...) -> BatchAnswer: ...

    @overload
    def plan(self, request: BatchRequest, *, view: Literal["compact"]) -> CompactBatchAnswer: ...

    def plan(self, request: BatchRequest, *, view: View = "full", explain: bool = False) -> Any:
        """Assesses up to 50 trades, each as if those before it had filled. The result of a
        trade that breaks a rule has `meta["error"]`."""
        return self._ask("POST", "/v1/validate/batch", _query(view, explain), request)

    @overload
    def monitor(self, wallet: str, *, view: Literal["full"] = ...) -> WalletReport: ...

    @overload
    def monitor(self, wallet: str, *, view: Literal["compact"]) -> CompactWalletReport: ...

    def monitor(self, wallet: str, *, view: View = "full") -> Any:
        """Assesses the current positions of a wallet. All alert sockets that watch it get its alerts."""
        return self._ask("GET", "/v1/monitor/" + quote(wallet, safe=""), _query(view))

    def markets(self) -> Assets:
        """All listed assets: price, maximum leverage, funding, open interest."""
        return self._ask("GET", "/v1/assets")

    def market(self, asset: str) -> MarketData:
        """One asset in detail: book depth, age of the data, the last mid prices."""
        return self._ask("GET", "/v1/market/" + quote(asset, safe=""))

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

    def _ask(self, method: str, path: str, query: dict[str, str] | None = None, request: object = None) -> Any:
        for attempt in itertools.count(1):
            try:
                return self._once(method, path, query, request)
            except BallastError as error:
                time.sleep(self._pause(attempt, error))


class AsyncClient(_HTTP):
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

    @overload
    async def validate(self, request: ValidationRequest, *, view: Literal["full"] = ..., explain: bool = ...) -> Assessment: ...

    @overload
    async def validate(self, request: ValidationRequest, *, view: Literal["compact"]) -> CompactAssessment: ...

    async def validate(self, request: ValidationRequest, *, view: View = "full", explain: bool = False) -> Any:
        """Assesses a trade before it is sent. explain adds an explanation of the score."""
        return await self._ask("POST", "/v1/validate", _query(view, explain), request)

    async def stress(self, request: ShockRequest) -> ShockReport:
        """Computes what price moves of your own do to a wallet."""
        return await self._ask("POST", "/v1/stress", {}, request)

    @overload
    async def plan(self, request: BatchRequest, *, view: Literal["full"] = ..., explain: bool = ...) -> BatchAnswer: ...

    @overload
    async def plan(self, request: BatchRequest, *, view: Literal["compact"]) -> CompactBatchAnswer: ...

    async def plan(self, request: BatchRequest, *, view: View = "full", explain: bool = False) -> Any:
        """Assesses up to 50 trades, each as if those before it had filled. The result of a
        trade that breaks a rule has `meta["error"]`."""
        return await self._ask("POST", "/v1/validate/batch", _query(view, explain), request)

    @overload
    async def monitor(self, wallet: str, *, view: Literal["full"] = ...) -> WalletReport: ...

    @overload
    async def monitor(self, wallet: str, *, view: Literal["compact"]) -> CompactWalletReport: ...

    async def monitor(self, wallet: str, *, view: View = "full") -> Any:
        """Assesses the current positions of a wallet. All alert sockets that watch it get its alerts."""
        return await self._ask("GET", "/v1/monitor/" + quote(wallet, safe=""), _query(view))

    async def markets(self) -> Assets:
        """All listed assets: price, maximum leverage, funding, open interest."""
        return await self._ask("GET", "/v1/assets")

    async def market(self, asset: str) -> MarketData:
        """One asset in detail: book depth, age of the data, the last mid prices."""
        return await self._ask("GET", "/v1/market/" + quote(asset, safe=""))

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

    async def _ask(self, method: str, path: str, query: dict[str, str] | None = None, request: object = None) -> Any:
        loop = asyncio.get_running_loop()
        for attempt in itertools.count(1):
            try:
                return await loop.run_in_executor(self._threads, self._once, method, path, query, request)
            except BallastError as error:
                await asyncio.sleep(self._pause(attempt, error))
