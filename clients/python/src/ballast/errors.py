"""What goes wrong."""

from __future__ import annotations

import json
from http.client import HTTPMessage
from typing import Any

from .contract import Allowed, Problem


class BallastError(Exception):
    """There is no answer. An error is no permission: without an assessment, do not open a position.

    status       HTTP status; 0 when nothing came over HTTP
    code         stable code of the service, such as "validation_error"; "unreachable" when there was no
                 answer; "not_ballast" when the answer is not what this service sends
    detail       a sentence with the offending value; may be empty
    field        what to change: a field of the request, or a header
    got          its value
    allowed      what it may be
    suggestion   a value that would do, or where to find one
    problems     all mistakes, when there are several
    request_id   to be quoted when a fault is reported
    retry_after  seconds after which it makes sense to try again
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str = "",
        *,
        field: str | None = None,
        got: str | float | None = None,
        allowed: Allowed | None = None,
        suggestion: str | None = None,
        problems: list[Problem] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.status = status
        self.code = code
        self.detail = detail
        self.field = field
        self.got = got
        self.allowed = allowed
        self.suggestion = suggestion
        self.problems = problems or []
        self.request_id = request_id
        self.retry_after = retry_after


def refusal(status: int, headers: HTTPMessage, body: bytes) -> BallastError:
    """The error of an answer that is none of the service's successes."""
    request_id, retry_after = headers.get("X-Request-Id"), seconds(headers.get("Retry-After"))
    try:
        members: Any = json.loads(body)
        return BallastError(
            status,
            members["error"],
            members.get("detail", ""),
            field=members.get("field"),
            got=members.get("got"),
            allowed=members.get("allowed"),
            suggestion=members.get("suggestion"),
            problems=members.get("problems"),
            request_id=request_id,
            retry_after=retry_after,
        )
    except (ValueError, TypeError, KeyError, AttributeError):  # a proxy's page
        text = body[:200].decode("utf-8", "replace")
        return BallastError(
            status, "not_ballast", f"HTTP {status}: {text}", request_id=request_id, retry_after=retry_after
        )


def seconds(text: str | None) -> float | None:
    """What Retry-After says, None for nothing or a date."""
    return float(text) if text and text.isascii() and text.isdigit() else None
