"""Liquidation prices of invented accounts, found by bisection on what the venue says:
a pool is liquidated where its equity meets its maintenance margin, while the other marks
stand still. No formula for the price is used, so that the package's can be checked.

    python3 reference.py > accounts.json      # Python 3.9 or later, no packages
"""
import json
from fractions import Fraction as F

# Margin tables: (lower bound of the notional in USD, maximum leverage).
TABLES = {"BTC": [(0, 40), (150_000_000, 20)], "ETH": [(0, 25), (100_000_000, 15)],
          "TEN": [(0, 10), (3_000_000, 5)], "THREE": [(0, 3)]}


def maintenance(coin, notional):
    """Half of the initial margin at the maximum leverage, tier by tier like a tax."""
    table, total = TABLES[coin], F(0)
    for i, (low, leverage) in enumerate(table):
        high = table[i + 1][0] if i + 1 < len(table) else None
        part = notional - low if high is None else min(notional, F(high)) - low
        if part > 0:
            total += part / (2 * leverage)
    return total


def liquidation(position, equity, others):
    """The price at which equity less all maintenance margins crosses zero on the side on
    which the position loses; None when there is none."""
    coin, units, mark = position["coin"], F(position["units"]), F(position["mark"])

    def excess(price):
        return equity + units * (price - mark) - maintenance(coin, abs(units) * price) - others

    assert excess(mark) > 0, "liquidated already"
    if units > 0:
        if excess(F(0)) > 0:
            return None
        bad, good = F(0), mark
    else:
        good, bad = mark, mark * 2
        while excess(bad) > 0:
            bad *= 2
    for _ in range(120):
        middle = (bad + good) / 2
        middle = F(int(middle * 2 ** 140), 2 ** 140)  # keep the fractions short
        good, bad = (middle, bad) if excess(middle) > 0 else (good, middle)
    return float((good + bad) / 2)


def account(name, cross_value, positions):
    cross = [p for p in positions if "raw_usd" not in p]
    margin = {p["coin"]: maintenance(p["coin"], abs(F(p["units"])) * F(p["mark"])) for p in positions}
    for p in positions:
        if "raw_usd" in p:
            equity, others = F(p["raw_usd"]) + F(p["units"]) * F(p["mark"]), F(0)
        else:
            equity, others = F(cross_value), sum(margin[q["coin"]] for q in cross if q is not p)
        p["liquidation_price"] = liquidation(p, equity, others)
    return {"name": name, "cross_value": cross_value, "positions": positions}


def pos(coin, units, mark, leverage, **more):
    return dict(coin=coin, units=units, mark=mark, leverage=leverage, max_leverage=TABLES[coin][0][1], **more)


if __name__ == "__main__":
    print(json.dumps({"tables": TABLES, "accounts": [
        account("one long", 5_000, [pos("BTC", 1.5, 64_000, 20)]),
        account("one short", 5_000, [pos("BTC", -1.5, 64_000, 20)]),
        account("long that cannot be liquidated", 200_000, [pos("ETH", 10, 2_500, 3)]),
        account("long and short in one pool", 40_000, [
            pos("BTC", 2, 64_000, 20), pos("ETH", -60, 2_500, 10), pos("TEN", 2_000, 12.5, 5)]),
        account("second tier at the mark", 40_000_000, [
            pos("BTC", 3_000, 64_000, 20), pos("TEN", -400_000, 12.5, 5)]),
        account("short that reaches the second tier", 900_000, [pos("TEN", -200_000, 12.5, 5)]),
        account("long that leaves the second tier", 1_800_000, [pos("TEN", 300_000, 12.5, 5)]),
        account("isolated beside a pool", 12_000, [
            pos("BTC", -0.5, 64_000, 10), pos("THREE", 50_000, 0.5, 3, raw_usd=-16_500),
            pos("TEN", -1_000, 12.5, 5, raw_usd=15_200), pos("ETH", 8, 2_500, 5)]),
    ]}, indent=1))
