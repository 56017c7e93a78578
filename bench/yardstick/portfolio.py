"""The portfolio simulation of Ballast's mc.Workspace.Simulate in vectorised numpy, as fast
as numpy allows, for comparison (PERF.md).

    python3 bench/yardstick/portfolio.py [positions ...]

One thread (OPENBLAS_NUM_THREADS=1). 8,192 scenarios in antithetic pairs: correlated
normals, a mixing variable, the tail of Student's t from a table, each asset's own outcomes
by linear interpolation, losses, VaR and ES at 95 and 99 %, contributions, and the VaR
without each position. It uses the fastest bit generator (SFC64), BLAS for the products, and
partition instead of sorting. Prints the minimum and the median time of a run, milliseconds.
"""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import time

import numpy as np

DRAWS, NU, ENTRIES = 8192, 4.3, 8761


def student_tail(nu):
    """Table of 1+|t| (448 cells of 8 steps) and the probability beyond, by integration."""
    knots = 2.0 ** (np.arange(14 * 32 + 1) / 32)
    fine = np.concatenate([np.linspace(a, b, 9)[:-1] for a, b in zip(knots[:-1], knots[1:])])
    density = (1 + (fine - 1) ** 2 / nu) ** (-(nu + 1) / 2)
    mass = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(fine))])
    return np.ascontiguousarray(fine), 0.5 * (1 - mass / mass[-1])


def upper_quantile(x, p):
    """Type-7 quantile of x at p, by partition; x is overwritten."""
    at = (len(x) - 1) * p
    lo = int(at)
    x.partition([lo, lo + 1])
    return x[lo] + (at - lo) * (x[lo + 1] - x[lo])


def simulate(rng, factor, tables, exposure, knots, tail):
    k, pairs = len(exposure), DRAWS // 2
    normals = rng.standard_normal((k, pairs))
    root = np.sqrt(NU / (2 * rng.standard_gamma(NU / 2, pairs)))
    t = factor @ normals
    t *= root
    share = np.interp(1 + np.abs(t), knots, tail)
    z = np.empty((k, 2, pairs))
    entry = np.arange(ENTRIES, dtype=np.float64)
    for i in range(k):
        at = (ENTRIES - 1) * share[i]
        z[i, 0] = np.interp(at, entry, tables[i])
        z[i, 1] = np.interp((ENTRIES - 1) - at, entry, tables[i])
        positive = t[i] > 0
        z[i, 0, positive], z[i, 1, positive] = z[i, 1, positive], z[i, 0, positive]
    z = z.reshape(k, DRAWS)
    loss = -(exposure @ z)
    q95, q99 = upper_quantile(loss.copy(), 0.95), upper_quantile(loss.copy(), 0.99)
    es95, es99 = loss[loss >= q95].mean(), loss[loss >= q99].mean()
    around = np.argpartition(loss, [8069, 8151])[8069:8152]
    component = -exposure * z[:, around].mean(axis=1)
    component *= q99 / component.sum()
    marginal = [q99 - upper_quantile(loss + exposure[i] * z[i], 0.99) for i in range(k)]
    return q95, q99, es95, es99, component, marginal


def simulate_by_index(rng, factor, tables, exposure, knots, tail):
    """simulate with take instead of interp for the outcomes, whose table needs no search."""
    k, pairs = len(exposure), DRAWS // 2
    t = factor @ rng.standard_normal((k, pairs))
    t *= np.sqrt(NU / (2 * rng.standard_gamma(NU / 2, pairs)))
    share = np.interp(1 + np.abs(t), knots, tail)
    z = np.empty((k, 2, pairs))
    at = np.empty((2, pairs))
    for i in range(k):
        np.multiply(share[i], ENTRIES - 1, out=at[0])
        np.subtract(ENTRIES - 1, at[0], out=at[1])
        at[:, t[i] > 0] = at[::-1, t[i] > 0]
        lo = np.minimum(at.astype(np.int32), ENTRIES - 2)
        left = tables[i].take(lo)
        z[i] = left + (at - lo) * (tables[i].take(lo + 1) - left)
    z = z.reshape(k, DRAWS)
    loss = -(exposure @ z)
    q95, q99 = upper_quantile(loss.copy(), 0.95), upper_quantile(loss.copy(), 0.99)
    es95, es99 = loss[loss >= q95].mean(), loss[loss >= q99].mean()
    around = np.argpartition(loss, [8069, 8151])[8069:8152]
    component = -exposure * z[:, around].mean(axis=1)
    component *= q99 / component.sum()
    marginal = [q99 - upper_quantile(loss + exposure[i] * z[i], 0.99) for i in range(k)]
    return q95, q99, es95, es99, component, marginal


def main():
    rng = np.random.Generator(np.random.SFC64(5))
    knots, tail = student_tail(NU)
    for k in [int(a) for a in sys.argv[1:]] or [2, 10, 50, 200]:
        correlation = np.full((k, k), 0.7) + 0.3 * np.eye(k)
        factor = np.linalg.cholesky(correlation)
        tables = [np.sort(rng.standard_t(4, ENTRIES) * 0.75) for _ in range(k)]
        exposure = np.array([(-8000.0 if i % 3 == 2 else 10000.0) * (0.03 + 0.001 * (i % 20)) for i in range(k)])
        for name, run in (("interp", simulate), ("take", simulate_by_index)):
            took = []
            for _ in range(max(10, 600 // k)):
                begin = time.perf_counter()
                run(rng, factor, tables, exposure, knots, tail)
                took.append(1e3 * (time.perf_counter() - begin))
            print(f"{k} positions, {name}: least {min(took):.2f} ms, median {np.median(took):.2f} ms")


if __name__ == "__main__":
    main()
