"""The methods of both clients about what is recorded, and what operators set."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import quote

from .contract import (
    Accuracy,
    Audit,
    Decision,
    Decisions,
    KillSwitch,
    KillSwitchChange,
    OutcomeAnswer,
    OutcomeReport,
    Policy,
    PolicyRules,
    PolicyTest,
    PolicyTestRequest,
    ReceiptKey,
    Watch,
    WatchList,
    WatchRemoved,
    WatchRequest,
)


def _query(**parameters: str | None) -> dict[str, str]:
    """Returns the parameters that are given."""
    return {name: value for name, value in parameters.items() if value is not None}


def _page(since: datetime | None, until: datetime | None, limit: int | None, cursor: str | None) -> dict[str, str]:
    """Returns the parameters of a part of a list."""
    times = {"from": since, "to": until}
    query = {name: at.isoformat() for name, at in times.items() if at is not None}
    return query | _query(limit=None if limit is None else str(limit), cursor=cursor)


def _policy(wallet: str) -> str:
    return "/v1/policy/" + quote(wallet, safe="")


def _watch(wallet: str) -> str:
    return "/v1/watch/" + quote(wallet, safe="")


class Records:
    """The part of Client."""

    def _ask(
        self,
        method: str,
        kind: str,
        path: str,
        query: dict[str, str] | None = None,
        request: object = None,
        revision: int | None = None,
    ) -> Any:
        raise NotImplementedError

    def decisions(
        self,
        *,
        wallet: str | None = None,
        asset: str | None = None,
        verdict: str | None = None,
        request_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Decisions:
        """Recorded answers and actions of the gate, newest first: those of the client's key, of an operator's
        all. verdict is a recommendation, a verdict of the policy (pass, deny, unknown) or what the gate did (passed,
        allowed, refused); times have a zone, until is not included; cursor is next_cursor of the page before."""
        query = _query(wallet=wallet, asset=asset, verdict=verdict, request_id=request_id)
        query |= _page(since, until, limit, cursor)
        return self._ask("GET", "Decisions", "/v1/decisions", query)

    def decision(self, request_id: str) -> Decision:
        """The record of one request, by `meta` `request_id` of its answer, and what became of it."""
        return self._ask("GET", "Decision", "/v1/decisions/" + quote(request_id, safe=""))

    def audit(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Audit:
        """Who changed which key, policy or kill switch, newest first. For operators' keys."""
        return self._ask("GET", "Audit", "/v1/audit", _page(since, until, limit, cursor))

    def policy(self, wallet: str) -> Policy:
        """The operator's limits for a wallet, or "*" for all wallets."""
        return self._ask("GET", "Policy", _policy(wallet))

    def put_policy(self, wallet: str, rules: PolicyRules, *, revision: int | None = None) -> Policy:
        """Sets all rules of a wallet, or of "*". revision is that of the policy that is replaced, None if there must be
        none: a change upon another one raises an error with status 412 and the current `revision`. For operators'
        keys."""
        return self._ask("PUT", "Policy", _policy(wallet), request=rules, revision=revision)

    def delete_policy(self, wallet: str, *, revision: int) -> Policy:
        """Removes the policy of a revision. The answer has the rules that still hold. For operators' keys."""
        return self._ask("DELETE", "Policy", _policy(wallet), revision=revision)

    def test_policy(self, wallet: str, test: PolicyTestRequest) -> PolicyTest:
        """Tells what recorded decisions would have been under other rules. For operators' keys."""
        return self._ask("POST", "PolicyTest", _policy(wallet) + "/test", request=test)

    def kill_switch(self) -> KillSwitch:
        """Whether the kill switch is on."""
        return self._ask("GET", "KillSwitch", "/v1/kill-switch")

    def set_kill_switch(self, change: KillSwitchChange, *, revision: int | None = None) -> KillSwitch:
        """Turns the kill switch, on only with a reason. revision: the one that it must have. For operators' keys."""
        return self._ask("PUT", "KillSwitch", "/v1/kill-switch", request=change, revision=revision)

    def put_watch(self, wallet: str, watch: WatchRequest) -> Watch:
        """Lets the service make the monitor call of a wallet by itself, for this key."""
        return self._ask("PUT", "Watch", _watch(wallet), request=watch)

    def watch(self, wallet: str) -> Watch:
        """This key's watch of a wallet: the state of its calls, what stands, what was posted."""
        return self._ask("GET", "Watch", _watch(wallet))

    def delete_watch(self, wallet: str) -> WatchRemoved:
        """Ends this key's watch of a wallet."""
        return self._ask("DELETE", "WatchRemoved", _watch(wallet))

    def watches(self) -> WatchList:
        """The watches of this key, of an operator's those of all keys."""
        return self._ask("GET", "WatchList", "/v1/watch")

    def report_outcome(self, report: OutcomeReport) -> OutcomeAnswer:
        """Tells what became of a trade, once: the same trade_id with other values raises an error with status 409."""
        return self._ask("POST", "OutcomeAnswer", "/v1/outcome", request=report)

    def accuracy(self) -> Accuracy:
        """How right the answers to this key were; to an operator's those to all keys."""
        return self._ask("GET", "Accuracy", "/v1/accuracy")

    def outcome_stats(self) -> Accuracy:
        """Is accuracy by its other address."""
        return self._ask("GET", "Accuracy", "/v1/outcomes/stats")

    def receipt_key(self) -> ReceiptKey:
        """The public key of receipts. Get it once, from the service itself, and keep it."""
        return self._ask("GET", "ReceiptKey", "/v1/receipt-key")


class AsyncRecords:
    """The part of AsyncClient."""

    async def _ask(
        self,
        method: str,
        kind: str,
        path: str,
        query: dict[str, str] | None = None,
        request: object = None,
        revision: int | None = None,
    ) -> Any:
        raise NotImplementedError

    async def decisions(
        self,
        *,
        wallet: str | None = None,
        asset: str | None = None,
        verdict: str | None = None,
        request_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Decisions:
        """Recorded answers and actions of the gate, newest first: those of the client's key, of an operator's
        all. verdict is a recommendation, a verdict of the policy (pass, deny, unknown) or what the gate did (passed,
        allowed, refused); times have a zone, until is not included; cursor is next_cursor of the page before."""
        query = _query(wallet=wallet, asset=asset, verdict=verdict, request_id=request_id)
        query |= _page(since, until, limit, cursor)
        return await self._ask("GET", "Decisions", "/v1/decisions", query)

    async def decision(self, request_id: str) -> Decision:
        """The record of one request, by `meta` `request_id` of its answer, and what became of it."""
        return await self._ask("GET", "Decision", "/v1/decisions/" + quote(request_id, safe=""))

    async def audit(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Audit:
        """Who changed which key, policy or kill switch, newest first. For operators' keys."""
        return await self._ask("GET", "Audit", "/v1/audit", _page(since, until, limit, cursor))

    async def policy(self, wallet: str) -> Policy:
        """The operator's limits for a wallet, or "*" for all wallets."""
        return await self._ask("GET", "Policy", _policy(wallet))

    async def put_policy(self, wallet: str, rules: PolicyRules, *, revision: int | None = None) -> Policy:
        """Sets all rules of a wallet, or of "*". revision is that of the policy that is replaced, None if there must be
        none: a change upon another one raises an error with status 412 and the current `revision`. For operators'
        keys."""
        return await self._ask("PUT", "Policy", _policy(wallet), request=rules, revision=revision)

    async def delete_policy(self, wallet: str, *, revision: int) -> Policy:
        """Removes the policy of a revision. The answer has the rules that still hold. For operators' keys."""
        return await self._ask("DELETE", "Policy", _policy(wallet), revision=revision)

    async def test_policy(self, wallet: str, test: PolicyTestRequest) -> PolicyTest:
        """Tells what recorded decisions would have been under other rules. For operators' keys."""
        return await self._ask("POST", "PolicyTest", _policy(wallet) + "/test", request=test)

    async def kill_switch(self) -> KillSwitch:
        """Whether the kill switch is on."""
        return await self._ask("GET", "KillSwitch", "/v1/kill-switch")

    async def set_kill_switch(self, change: KillSwitchChange, *, revision: int | None = None) -> KillSwitch:
        """Turns the kill switch, on only with a reason. revision: the one that it must have. For operators' keys."""
        return await self._ask("PUT", "KillSwitch", "/v1/kill-switch", request=change, revision=revision)

    async def put_watch(self, wallet: str, watch: WatchRequest) -> Watch:
        """Lets the service make the monitor call of a wallet by itself, for this key."""
        return await self._ask("PUT", "Watch", _watch(wallet), request=watch)

    async def watch(self, wallet: str) -> Watch:
        """This key's watch of a wallet: the state of its calls, what stands, what was posted."""
        return await self._ask("GET", "Watch", _watch(wallet))

    async def delete_watch(self, wallet: str) -> WatchRemoved:
        """Ends this key's watch of a wallet."""
        return await self._ask("DELETE", "WatchRemoved", _watch(wallet))

    async def watches(self) -> WatchList:
        """The watches of this key, of an operator's those of all keys."""
        return await self._ask("GET", "WatchList", "/v1/watch")

    async def report_outcome(self, report: OutcomeReport) -> OutcomeAnswer:
        """Tells what became of a trade, once: the same trade_id with other values raises an error with status 409."""
        return await self._ask("POST", "OutcomeAnswer", "/v1/outcome", request=report)

    async def accuracy(self) -> Accuracy:
        """How right the answers to this key were; to an operator's those to all keys."""
        return await self._ask("GET", "Accuracy", "/v1/accuracy")

    async def outcome_stats(self) -> Accuracy:
        """Is accuracy by its other address."""
        return await self._ask("GET", "Accuracy", "/v1/outcomes/stats")

    async def receipt_key(self) -> ReceiptKey:
        """The public key of receipts. Get it once, from the service itself, and keep it."""
        return await self._ask("GET", "ReceiptKey", "/v1/receipt-key")
