"""A connection whose every step ends by one deadline."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from typing import Any


class _Reader(io.RawIOBase):
    """The bytes of a socket, until a deadline."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.deadline = 0.0  # of time.monotonic; 0: only what is there

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self.sock.settimeout(self.deadline and _left(self.deadline))
        try:
            return self.sock.recv_into(buffer)
        except (BlockingIOError, ssl.SSLWantReadError):
            return None


class _Buffered(io.BufferedReader):
    """Kept from one response to the next, so that no byte between them is overlooked."""

    def close(self) -> None:
        pass


class Connection(http.client.HTTPConnection):
    """A connection whose every step ends by one deadline."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext | None) -> None:
        super().__init__(host, port)
        self.context = context
        self.deadline = 0.0  # of time.monotonic
        self._raw: socket.socket | None = None

    def connect(self) -> None:
        problem: OSError = OSError("no address")
        for family, kind, protocol, _, address in socket.getaddrinfo(self.host, self.port, 0, socket.SOCK_STREAM):
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(_left(self.deadline))
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self.context:
                    sock = self.context.wrap_socket(sock, server_hostname=self.host)
                break
            except OSError as error:
                sock.close()
                problem = error
        else:
            raise problem
        self._raw = sock
        self._reader = _Reader(sock)
        self._buffered = _Buffered(self._reader)
        self.sock = self  # http.client uses sendall, makefile and close of its socket

    def sendall(self, data: Any) -> None:
        rest = memoryview(data)
        while rest:
            self._reader.sock.settimeout(_left(self.deadline))
            rest = rest[self._reader.sock.send(rest) :]

    def makefile(self, _: str) -> io.BufferedReader:
        self._reader.deadline = self.deadline
        return self._buffered

    def surplus(self) -> bool:
        """Whether there are bytes that no request has asked for."""
        self._reader.deadline = 0
        try:
            return self._buffered.peek(1) != b""
        except OSError:
            return True

    def close(self) -> None:
        self.sock = None  # http.client calls close before the last answer of a connection has been read
        super().close()

    def end(self) -> None:
        self.close()
        if self._raw:
            self._raw.close()


def _left(deadline: float) -> float:
    """Returns the seconds until a deadline; raises TimeoutError after it."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
