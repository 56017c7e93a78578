"""Alerts over a WebSocket: docs/alerts.md."""

from __future__ import annotations

import asyncio
import json
import random
import warnings
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any

from . import _complete
from .contract import AlertConfig, AlertConfigThresholds, RiskAlert
from .errors import BallastError

PATH = "/v1/alerts/ws?details=true"
CONNECT_TIMEOUT = 10  # seconds
CLOSE_TIMEOUT = 2  # seconds
KEEPALIVE = 20  # seconds between our pings, and to wait for a pong: after 40 s of silence the connection is lost
MAX_MESSAGE = 1 << 20  # bytes
MAX_PAUSE = 15  # seconds between two connection attempts
# Close codes for a fault of the client, after which reconnecting is pointless.
OUR_FAULT = {1002, 1003, 1007, 1008, 1009}


class _Lost(Exception):
    """A connection has ended. fatal: reconnecting is pointless. status: HTTP status of a refused handshake, else 0."""

    def __init__(self, reason: str, fatal: bool = False, status: int = 0) -> None:
        super().__init__(reason)
        self.fatal = fatal
        self.status = status


async def stream(
    urls: Sequence[str],
    wallets: Sequence[str],
    thresholds: AlertConfigThresholds | None,
    key: str | None,
    on_watching: Callable[[str], None] | None,
    on_lost: Callable[[str], None] | None,
) -> AsyncGenerator[RiskAlert, None]:
    """Yields alerts and reconnects until the generator is closed or an error is fatal."""
    configs: list[AlertConfig] = [{"wallet": wallet, "thresholds": thresholds} for wallet in wallets]
    pause, turn = 1, 0
    while True:
        url = urls[turn % len(urls)].rstrip("/")
        turn += 1
        waiting = {wallet.lower() for wallet in wallets}
        refusal = None  # error message that the service sends before it closes the connection
        try:
            async with aclosing(_messages(url, configs, key)) as messages:
                async for message in messages:
                    if "alert_type" in message:
                        yield message
                    elif "error" in message:
                        refusal = BallastError(
                            0,
                            message["error"],
                            message.get("detail", ""),
                            field=message.get("field"),
                            suggestion=message.get("suggestion"),
                        )
                    elif message.get("subscribed") in waiting:
                        waiting.remove(message["subscribed"])
                        if not waiting:
                            pause = 1
                            if on_watching:
                                on_watching(url)
        except _Lost as end:
            if end.fatal:
                raise refusal or BallastError(end.status, "refused", f"{url}: {end}") from end
            if on_lost:
                on_lost(f"{end} after {refusal}" if refusal else str(end))
        # The pause is random and grows, so that after a restart thousands of clients do not reconnect simultaneously.
        await asyncio.sleep(random.random() * pause)
        pause = min(2 * pause, MAX_PAUSE)


async def _messages(url: str, configs: Sequence[AlertConfig], key: str | None) -> AsyncGenerator[Any, None]:
    """Yields the messages of one connection; raises _Lost when it ends."""
    # The legacy API works from websockets 10.4 (Debian's) to the newest; since 14 its import gives a warning.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            from websockets.exceptions import ConnectionClosed, InvalidStatusCode, WebSocketException
            from websockets.legacy.client import connect
        except ModuleNotFoundError:
            raise BallastError(0, "no_websockets", "alerts need a package: pip install 'websockets>=10.4'") from None

    try:
        async with connect(
            "ws" + url.removeprefix("http") + PATH,
            extra_headers={"Authorization": "Bearer " + key} if key is not None else {},
            compression=None,
            open_timeout=CONNECT_TIMEOUT,
            close_timeout=CLOSE_TIMEOUT,
            ping_interval=KEEPALIVE,
            ping_timeout=KEEPALIVE,
            max_size=MAX_MESSAGE,
        ) as socket:
            for config in configs:
                await socket.send(json.dumps(config))
            while True:
                message = json.loads(await socket.recv())
                if not isinstance(message, dict):
                    raise ValueError("not what this service sends")
                if "alert_type" in message:
                    _complete.check("RiskAlert", message)  # pyright: ignore[reportUnknownArgumentType]
                yield message
    except ConnectionClosed as end:
        if end.rcvd is None:
            raise _Lost("connection lost") from end
        raise _Lost(f"closed with {end.rcvd.code} {end.rcvd.reason}", end.rcvd.code in OUR_FAULT) from end
    except InvalidStatusCode as end:
        status = end.status_code
        raise _Lost(f"refused with HTTP {status}", 400 <= status < 500 and status != 429, status) from end
    except (OSError, ValueError, TimeoutError, WebSocketException) as error:
        raise _Lost(f"connection lost: {error or type(error).__name__}") from error
