"""Independent reference for package garch: GARCH(1,1) by scipy's densities and
minimisers. The first variance is omega + (alpha+beta)*mean square.

    python3 reference.py > synthetic.json      # numpy 1.24, scipy 1.10
"""
import json

import numpy as np
from scipy import optimize, stats


def variances(r, omega, alpha, beta):
    h = np.empty(len(r))
    h[0] = omega + (alpha + beta) * (r * r).mean()
    for i in range(1, len(r)):
        h[i] = omega + alpha * r[i - 1] ** 2 + beta * h[i - 1]
    return h


def fit(r, student):
    def nll(v):
        omega, alpha, beta = np.exp(v[0]), *np.exp(v[1:3])
        if alpha + beta > 1.5:
            return 1e9
        sd = np.sqrt(variances(r, omega, alpha, beta))
        if not student:
            return -stats.norm.logpdf(r, scale=sd).sum()
        nu = 2.01 + np.exp(v[3])
        return -stats.t.logpdf(r, nu, scale=sd * np.sqrt((nu - 2) / nu)).sum()
    best = None
    for a, b in ((0.05, 0.9), (0.1, 0.8), (0.2, 0.6)):
        v = np.log([(1 - a - b) * r.var(), a, b] + ([4.0] if student else []))
        for _ in range(4):  # restarts polish
            found = optimize.minimize(nll, v, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11, "maxiter": 4000, "maxfev": 4000})
            v = found.x
        if best is None or found.fun < best.fun:
            best = found
    omega, alpha, beta = np.exp(best.x[:3])
    last = variances(r, omega, alpha, beta)[-1]
    path = [omega + alpha * r[-1] ** 2 + beta * last]
    for _ in range(6):
        path.append(omega + (alpha + beta) * path[-1])
    return {"omega": omega, "alpha": alpha, "beta": beta, "nu": 2.01 + np.exp(best.x[3]) if student else 0,
            "nll": best.fun, "last_variance": last, "forecast": path}


rng = np.random.default_rng(20261123)
r, h = [], 9.0
for _ in range(900):
    r.append(np.sqrt(h) * rng.standard_t(6) * np.sqrt(4 / 6))
    h = 0.5 + 0.12 * r[-1] ** 2 + 0.82 * h
r = np.round(r, 4)
print(json.dumps({"returns": r.tolist(), "gaussian": fit(r, False), "student": fit(r, True)}))
