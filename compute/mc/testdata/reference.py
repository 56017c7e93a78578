"""Independent reference for package mc: docs/model.md's recursion of one position's
simulation written down as the text reads, on 400 runs of 10,000 paths with numpy's random
numbers, without antithetic pairs.

    python3 reference.py > synthetic.json      # numpy 1.24, scipy 1.10
"""
import json

import numpy as np

B = np.array([0.65, 0.00, 0.06, 0.08, 0.06])
LAM = np.array([6 / 7, 24 / 25, 120 / 121, 600 / 601])
RUNS, PATHS = 400, 10_000

rng = np.random.default_rng(20261123)
outcomes = np.round(np.where(rng.random(900) < 0.06, 2.6, 0.9) * rng.standard_normal(900) - 0.08 * rng.exponential(1, 900), 4)
k2 = (outcomes ** 2).mean()
table = np.sort((outcomes - outcomes.mean()) / outcomes.std())
E = np.array([9e-5, 6e-5, 5e-5, 4e-5])
LR, G = 4.5e-5, 1.2
HOURS = [0.45 + 0.05 * j for j in range(24)]  # variance of each hour relative to an average one


def match(target):
    e, total = E.copy(), 0.0
    for f in HOURS:
        s = k2 * (B[:4] @ e + B[4] * LR)
        total += f * s
        e = LAM * e + (1 - LAM) * G * s
    return min(2.0, max(0.5, np.sqrt(target / total)))


def run(case, c):
    e, x = np.tile(E, (PATHS, 1)), np.zeros(PATHS)
    alive = np.ones(PATHS)
    a = case.get("barrier")
    for f in HOURS:
        s2 = f * k2 * (e @ B[:4] + B[4] * LR)
        r = np.sqrt(s2) * rng.choice(table, PATHS)
        y = x + c * r
        if a is not None:
            d0, d1 = case["side"] * (x - a), case["side"] * (y - a)
            alive *= np.where(d1 <= 0, 0, 1 - np.exp(-2 * np.maximum(d0, 0) * np.maximum(d1, 0) / (c * c * s2)))
        e = LAM * e + (1 - LAM) * G * (r * r / f)[:, None]
        x = y
    dead = rng.random(PATHS) >= alive if a is not None else np.zeros(PATHS, bool)
    pnl = np.where(dead, -case.get("loss_pct", 0), 100 * case["side"] * np.expm1(x)) - case["funding_pct"]
    q5, q1 = np.quantile(pnl, [0.05, 0.01])
    return [-q5, -q1, -pnl[pnl <= q5].mean(), -pnl[pnl <= q1].mean(), np.median(pnl),
            np.quantile(pnl, 0.025), np.quantile(pnl, 0.975), dead.mean()]


NAMES = ("var_95", "var_99", "es_95", "es_99", "median", "lower", "upper", "liquidated_share")
cases = []
for case in ({"side": 1, "funding_pct": 0.03, "target": 0.0016}, {"side": -1, "funding_pct": -0.02, "target": 0.0025},
             {"side": 1, "funding_pct": 0.0, "target": 0.0016, "barrier": float(np.log(0.90)), "loss_pct": 11.0}):
    c = match(case["target"])
    figures = np.array([run(case, c) for _ in range(RUNS)])
    cases.append({**case, "c": c, "mean": dict(zip(NAMES, figures.mean(axis=0))), "sd_of_one_run": dict(zip(NAMES, figures.std(axis=0)))})
print(json.dumps({"outcomes": outcomes.tolist(), "E": E.tolist(), "long_run": LR, "hours": HOURS, "g": G, "k2": k2,
                  "table_first": table[0], "table_last": table[-1], "cases": cases}))
