"""Errors of the client."""

from __future__ import annotations

import json
from http.client import HTTPMessage
from typing import Any

from .contract import Allowed, Problem


class BallastError(Exception):
    """A request failed. Never take an error as permission: without an assessment, do not open or increase a position.

    status       HTTP status; 0 when there was no HTTP response
    code         stable code of the service, such as "validation_error"; "unreachable" when there was no
                 answer; "not_ballast" when the answer is not what this service sends
    detail       a sentence with the offending value; may be empty
    field        field of the request, or header, that is wrong
    got          the field's value
    allowed      values allowed for the field
    suggestion   a valid value of the field, or a sentence
    problems     all errors in the request, when there are several
    revision     current one, where a change was made upon another
    request_id   quote it in a bug report
    retry_after  seconds to wait before a retry; None when the service names none
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
        suggestion: str | float | bool | None = None,
        problems: list[Problem] | None = None,
        revision: int | None = None,
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
        self.revision = revision
        self.request_id = request_id
        self.retry_after = retry_after


def wrong(status: int, headers: HTTPMessage, what: str) -> BallastError:
    """Returns the error for a response that is not what this service sends."""
    return BallastError(status, "not_ballast", f"HTTP {status}: {what}", request_id=headers.get("X-Request-Id"))


def refusal(status: int, headers: HTTPMessage, body: bytes) -> BallastError:
    """Returns the error for a response whose status is not 200."""
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
            revision=members.get("revision"),
            request_id=request_id,
            retry_after=retry_after,
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # no error of the service, perhaps the page of a proxy
        text = body[:200].decode("utf-8", "replace")
        return BallastError(
            status, "not_ballast", f"HTTP {status}: {text}", request_id=request_id, retry_after=retry_after
        )


def seconds(text: str | None) -> float | None:
    """Returns the seconds in a Retry-After header; None if it is absent or a date."""
    return float(text) if text and text.isascii() and text.isdigit() else None
