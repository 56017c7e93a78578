"""Independent reference for package backtest: the forecasts of package vol's reference on
its invented market, and their verdicts by scipy.

    python3 reference.py > synthetic.json      # scipy 1.10
"""
import json
import math
import pathlib
from importlib.machinery import SourceFileLoader

from scipy import stats

vol = SourceFileLoader("vol", str(pathlib.Path(__file__).parents[2] / "vol/testdata/reference.py")).load_module()

MIDNIGHT, FIRST, DAYS = 8, 366, 420  # the market begins at 16:00 UTC


def xlogy(k, p):
    return k * math.log(p) if k else 0.0


def loglik(misses, hits, p=None):
    p = hits / (misses + hits) if p is None and misses + hits else p
    return xlogy(misses, 1 - p) + xlogy(hits, p) if misses + hits else 0.0


def verdict(days, a):
    """days: (loss, VaR, ES, deviation, VaR of historical simulation)."""
    hit = [loss > var for loss, var, *_ in days]
    n, k = len(hit), sum(hit)
    pairs = [sum(1 for x, y in zip(hit, hit[1:]) if (x, y) == c) for c in ((0, 0), (0, 1), (1, 0), (1, 1))]
    kupiec = max(0, 2 * (loglik(n - k, k) - loglik(n - k, k, a)))
    chain = max(0, 2 * (loglik(*pairs[:2]) + loglik(*pairs[2:]) - loglik(pairs[0] + pairs[2], pairs[1] + pairs[3])))
    tick = lambda loss, var: (a - (-loss < -var)) * (var - loss)
    residuals = [(d[0] - d[2]) / d[3] for d, h in zip(days, hit) if h]
    fz0 = [((loss - var) / (a * es) if loss >= var else 0) + var / es + math.log(es) - 1 for loss, var, es, *_ in days]
    pinball, yardstick = (math.fsum(tick(d[0], d[i]) for d in days) / n for i in (1, 4))
    return {"n": n, "hits": k, "rate": k / n, "kupiec_lr": kupiec, "kupiec_p": stats.chi2.sf(kupiec, 1),
            "christoffersen_lr": chain, "christoffersen_p": stats.chi2.sf(chain, 1),
            "es_residual_mean_z": math.fsum(residuals) / len(residuals) if residuals else 0,
            "pinball": pinball, "pinball_ratio_to_hs365": pinball / yardstick, "fz0": math.fsum(fz0) / n}


rows = vol.bars(MIDNIGHT + 24 * (FIRST + DAYS) + 1)[MIDNIGHT:]
ref = vol.Reference(rows, vol.FIRST_HOUR + MIDNIGHT)
daily = [math.log(rows[24 * d][2] / rows[24 * (d - 1)][2]) for d in range(1, FIRST + DAYS + 1)]
out = []
days = {(s, a): [] for s in (1, -1) for a in (0.05, 0.01)}
for day in range(FIRST, FIRST + DAYS):
    t = 24 * day
    variance = ref.V[24][t]
    z = [math.fsum(ref.r[k:k + 24]) / math.sqrt(ref.V[24][k]) for k in range(max(720, t - 24 - 8760), t - 24 + 1)]
    h = ref.horizon(24, z, variance)
    sd = math.sqrt(variance)
    for i, (s, a) in enumerate(days):
        q, es = h["tails"][i][:2]
        past = [s * r for r in daily[day - 365:day]]
        days[s, a].append((-s * daily[day], -q * sd, -es * sd, sd, -vol.quantile(past, a)))
print(json.dumps({"bars": len(rows) + MIDNIGHT, "rows": [
    {"side": "long" if s > 0 else "short", "level": 1 - a, **verdict(d, a)} for (s, a), d in days.items()]}, indent=1))
