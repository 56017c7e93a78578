"""Tests the client against a service on the simulated venue: python3 test_service.py URL KEY OPERATORS-KEY."""

import asyncio
import contextlib
import sys
import threading
import unittest
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any

from ballast import AsyncClient, BallastError, Client
from ballast.contract import RiskAlert, ValidationRequest

CALM = "0xba11a57000000000000000000000000000000001"
ENDANGERED = "0xba11a57000000000000000000000000000000006"
TRADE: ValidationRequest = {"asset": "BTC", "action": "long", "size": 50000, "leverage": 10, "wallet": CALM}
URL, KEY, OPERATOR = sys.argv[1:4]


class Service(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(URL, KEY)
        self.addCleanup(self.client.close)

    def test_validate(self) -> None:
        answer = self.client.validate({**TRADE, "monte_carlo": True}, explain=True)
        self.assertIn(answer["recommendation"], ("proceed", "proceed_with_caution", "abort"))
        self.assertEqual((len(answer["stress"]), answer["meta"]["venue"]), (13, "simulated"))
        assert "explanation" in answer and "monte_carlo" in answer
        self.assertAlmostEqual(answer["explanation"]["raw_score"], answer["risk_score"], delta=1e-4)

    def test_compact(self) -> None:
        self.assertIn(" ", self.client.validate(TRADE, view="compact")["summary"])
        self.assertEqual(self.client.monitor(CALM, view="compact")["wallet"], CALM)

    def test_plan(self) -> None:
        first, second = self.client.plan(
            {
                "wallet": CALM,
                "trades": [
                    {"asset": "BTC", "action": "long", "size": 1000},
                    {"asset": "btc", "action": "long", "size": 1000},
                ],
            }
        )["results"]
        self.assertNotIn("error", first["meta"])
        assert "error" in second["meta"]
        self.assertEqual(second["meta"]["error"], "invalid asset: btc")

    def test_monitor(self) -> None:
        report = self.client.monitor(ENDANGERED)
        self.assertEqual({position["recommendation"] for position in report["positions"]}, {"abort"})

    def test_markets(self) -> None:
        names = [asset["name"] for asset in self.client.markets()["assets"]]
        self.assertIn("BTC", names)
        self.assertGreater(self.client.market("BTC")["mark_price"] or 0, 0)

    def test_errors(self) -> None:
        with self.assertRaises(BallastError) as caught:
            self.client.validate({**TRADE, "asset": "btc"})
        error = caught.exception
        self.assertEqual((error.status, error.code, error.field, error.got), (400, "validation_error", "asset", "btc"))
        self.assertIn("BTC", str(error.suggestion))
        self.assertTrue((error.request_id or "").startswith("cli_"))
        with self.assertRaises(BallastError) as caught:
            self.client.validate({"asset": "BTC", "action": "long"})  # type: ignore[typeddict-item]
        self.assertEqual([problem["field"] for problem in caught.exception.problems], ["wallet", "size"])
        with self.assertRaises(BallastError) as caught, Client(URL, "blst_wrong") as stranger:
            stranger.markets()
        self.assertEqual((caught.exception.status, caught.exception.code), (401, "invalid API key"))

    def test_decisions(self) -> None:
        answer = self.client.validate(TRADE)
        name = answer["meta"]["request_id"]
        told = self.client.decision(name)
        self.assertEqual((told["asset"], told["risk_score"], told["outcome"]), ("BTC", answer["risk_score"], None))
        reported = self.client.report_outcome(
            {
                "trade_id": "py-" + name,
                "request_id": name,
                "entry_price": 100,
                "exit_price": 101,
                "pnl_usd": 500,
                "pnl_pct": 10,
                "holding_period_hours": 1,
                "liquidated": False,
            }
        )
        self.assertTrue(reported["verified"])
        now, minute = datetime.now(UTC), timedelta(minutes=1)
        page = self.client.decisions(
            wallet=CALM, asset="BTC", request_id=name, since=now - minute, until=now + minute, limit=1
        )
        outcome = page["decisions"][0]["outcome"]
        self.assertEqual(outcome and outcome["reported"][0]["trade_id"], "py-" + name)
        for right in (self.client.accuracy(), self.client.outcome_stats()):
            self.assertGreater(right["by_source"]["reported"], 0)
        self.assertEqual(self.client.backtest("BTC")["asset"], "BTC")
        self.assertGreater(self.client.calibration_health()["assets_calibrated"], 0)
        with Client(URL) as keyless:
            health = keyless.health()
        self.assertEqual(self.client.model_info()["engine_version"], health["engine_version"])
        assert "receipt" in answer
        self.assertEqual(self.client.receipt_key()["key_id"], answer["receipt"]["key_id"])

    def test_limits(self) -> None:
        operator = Client(URL, OPERATOR)
        self.addCleanup(operator.close)
        first = operator.put_policy(CALM, {"max_leverage": 5})
        self.assertEqual(first["rules"], {"max_leverage": 5})
        with self.assertRaises(BallastError) as caught:
            operator.put_policy(CALM, {}, revision=first["revision"] + 1)
        self.assertEqual((caught.exception.status, caught.exception.revision), (412, first["revision"]))
        second = operator.put_policy(CALM, {}, revision=first["revision"])
        self.assertEqual(self.client.policy(CALM)["rules"], {})
        self.assertEqual(operator.test_policy("*", {"rules": {"max_leverage": 5}})["wallet"], "*")
        with self.assertRaises(BallastError) as caught:
            self.client.delete_policy(CALM, revision=second["revision"])
        self.assertEqual(caught.exception.status, 403)
        self.assertIsNone(operator.delete_policy(CALM, revision=second["revision"])["rules"])

        on = operator.set_kill_switch({"on": True, "reason": "a test"})
        self.assertFalse(operator.set_kill_switch({"on": False}, revision=on["revision"])["on"])
        self.assertFalse(self.client.kill_switch()["on"])
        newest = operator.audit(limit=1)
        self.assertEqual(newest["events"][0]["event"], "kill_switch_off")
        before = operator.audit(limit=1, cursor=newest["next_cursor"])
        self.assertEqual(before["events"][0]["detail"], "a test")
        with self.assertRaises(BallastError) as caught:
            self.client.audit()
        self.assertEqual((caught.exception.status, caught.exception.code), (403, "forbidden"))

    def test_watches(self) -> None:
        self.assertEqual(self.client.put_watch(CALM, {"every_s": 60})["every_s"], 60)
        self.assertEqual(self.client.watch(CALM)["wallet"], CALM)
        self.assertEqual(len(self.client.watches()["watches"]), 1)
        self.assertTrue(self.client.delete_watch(CALM)["removed"])

    def test_alerts(self) -> None:
        watching = threading.Event()
        alerts = self.client.alerts(
            [ENDANGERED], {"min_liquidation_distance_pct": 101}, on_watching=lambda _: watching.set()
        )
        first: list[RiskAlert] = []
        listener = threading.Thread(target=lambda: first.append(next(alerts)))
        listener.start()
        self.assertTrue(watching.wait(20))
        self.client.monitor(ENDANGERED)
        listener.join(20)
        self.assertEqual((first[0]["wallet"], first[0]["severity"]), (ENDANGERED, "critical"))
        alerts.close()
        self.assertNotIn("ballast alerts", [thread.name for thread in threading.enumerate()])

    def test_alerts_refused(self) -> None:
        with self.assertRaises(BallastError) as caught:
            next(self.client.alerts([ENDANGERED], {"max_risk_score": 300}))
        self.assertEqual(caught.exception.code, "invalid_config")
        misspelt: Any = {"max_score": 30}
        with self.assertRaises(BallastError) as caught:
            next(self.client.alerts([ENDANGERED], misspelt))
        self.assertEqual(caught.exception.field, "thresholds.max_score")
        self.assertEqual(caught.exception.suggestion, "thresholds.max_risk_score")
        with self.assertRaises(BallastError) as caught:
            next(self.client.alerts([ENDANGERED], urls=[URL + "/elsewhere"]))
        self.assertEqual((caught.exception.code, caught.exception.status), ("refused", 404))

    def test_async(self) -> None:
        async def ask() -> None:
            async with AsyncClient(URL, KEY) as client:
                watching = asyncio.Event()
                async with contextlib.aclosing(
                    client.alerts([ENDANGERED], on_watching=lambda _: watching.set())
                ) as alerts:
                    heard = asyncio.create_task(first(alerts))
                    await asyncio.wait_for(watching.wait(), 20)
                    reports = await asyncio.gather(*(client.monitor(ENDANGERED) for _ in range(5)))
                    alert = await asyncio.wait_for(heard, 20)
                self.assertEqual((len(reports), alert["wallet"]), (5, ENDANGERED))
                with self.assertRaises(BallastError):
                    await client.market("NONE")

        asyncio.run(ask())


async def first(alerts: AsyncGenerator[RiskAlert, None]) -> RiskAlert:
    return await anext(alerts)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
