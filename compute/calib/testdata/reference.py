"""Independent reference for package calib: what a history of package vol's invented market
gives, written down as docs/model.md reads.

    python3 reference.py > synthetic.json      # Python 3.9 or later, no packages
"""
import json
import math
import pathlib
from importlib.machinery import SourceFileLoader

vol = SourceFileLoader("vol", str(pathlib.Path(__file__).parents[2] / "vol/testdata/reference.py")).load_module()

HOUR0, VOLUME = 400_000, 10  # of the first bar; missing hours have no volume


def drawdown(rows, first_hour):
    closes = [c for _, _, c in rows][-8760:]
    if len(closes) < 30:
        return None
    falls = [1 - p / max(closes[:i + 1]) for i, p in enumerate(closes)]
    deepest = max(falls)
    at = falls.index(deepest)
    top = max(closes)
    out = {"max_pct": 100 * deepest, "current_pct": 100 * falls[-1], "peak": max(closes[:at + 1]), "trough": closes[at],
           "hours": closes[::-1].index(top), "calmar": 0.0}
    if len(closes) >= 720 and deepest > 0:
        growth = (closes[-1] / closes[0]) ** (8760 / (len(closes) - 1)) - 1
        out["calmar"] = max(-100, min(100, growth / deepest))
    # Wilder's average true range of whole bars of four hours that begin at midnight, the
    # first one left out of the seed when there are more than fourteen others.
    skip = -first_hour % 4
    four = [rows[i:i + 4] for i in range(skip, len(rows) - 3, 4)]
    bars = [(max(h for h, _, _ in b), min(l for _, l, _ in b), b[-1][2]) for b in four]
    ranges = [max(h, p[2]) - min(l, p[2]) for p, (h, l, _) in zip(bars, bars[1:])]
    if len(ranges) < 14:
        ranges = [bars[0][0] - bars[0][1]] + ranges
        out["atr"] = sum(ranges) / len(ranges)
    else:
        atr = sum(ranges[:14]) / 14
        for r in ranges[14:]:
            atr = (13 * atr + r) / 14
        out["atr"] = atr
    return out


def case(n):
    rows = vol.bars(n)
    ref = vol.Reference(rows)
    at = ref.at(n)
    u = [ref.r[k] / math.sqrt(ref.V[1][k]) for k in range(max(0, n - 1 - 8760), n - 1)]
    own = len(u) >= 720
    k2 = math.fsum(x * x for x in u) / len(u) if own else at["horizons"][0]["kappa2"]
    squared = math.fsum([x * x / f for x, f in zip(ref.r, ref.f[1:])][-8760:])
    g = math.fsum(capped(ref)[-8760:]) / squared if squared else 1.0
    day = at["horizons"][2]
    e, total = list(at["E"]), 0.0
    for f in ref.f[n:n + 24]:
        s = k2 * sum(b * x for b, x in zip(vol.B[1], e + [at["lr"]]))
        total += f * s
        e = [lam * x + (1 - lam) * g * s for lam, x in zip(vol.LAM, e)]
    c = max(0.5, min(2.0, math.sqrt(day["variance"] * day["kappa2"] / total)))
    usd = [0 if i % 397 in (5, 6) and 0 < i < n - 1 else VOLUME * row[2] for i, row in enumerate(rows)]
    return {"bars": n, "E": at["E"], "long_run": at["lr"], "regime": at["regime"], "entries": len(u) if own else 0, "k2_hourly": k2, "g": g, "c": c,
            "volume_7d": math.fsum(usd[-168:]), "volume_30d": math.fsum(usd[-720:]) * 24 / 720,
            "horizons": [[h["variance"], h["n_z"], h["kappa2"]] + h["tails"][1] for h in at["horizons"]],
            "drawdown": drawdown(rows, HOUR0)}


def capped(ref):
    """The range measures as the memories take them in."""
    e = [vol.median(ref.raw[:720])] * 4
    out = []
    for i in range(len(ref.raw)):
        out.append(min(ref.raw[i], max(36 * sum(e) / 4, ref.r[i] ** 2 / ref.f[i + 1])))
        e = ref.step(e, i)
    return out


if __name__ == "__main__":
    print(json.dumps({"cases": [case(n) for n in (2, 26, 40, 66, 400, 721, 900, 2500, 9500)]}, indent=None))
