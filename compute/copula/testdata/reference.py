"""Independent reference for package copula: Kendall's tau-b and Pearson's correlation by
scipy, the likelihood of the t copula by scipy's densities.

    python3 reference.py > synthetic.json      # numpy 1.24, scipy 1.10
"""
import json

import numpy as np
from scipy import optimize, stats


def fit(a, b):
    tau = stats.kendalltau(a, b)[0]
    rho = np.sin(np.pi * tau / 2)
    u = [stats.rankdata(v) / (len(v) + 1) for v in (a, b)]

    def loglik(nu):
        x = np.column_stack([stats.t.ppf(v, nu) for v in u])
        joint = stats.multivariate_t(shape=[[1, rho], [rho, 1]], df=nu).logpdf(x)
        return (joint - stats.t.logpdf(x, nu).sum(axis=1)).sum()
    r = optimize.minimize_scalar(lambda v: -loglik(np.exp(v)), bounds=(np.log(2.05), np.log(40)), method="bounded",
                                 options={"xatol": 1e-9})
    nu = np.exp(r.x)
    return {"tau": tau, "rho": rho, "pearson": stats.pearsonr(a, b)[0], "nu": nu, "loglik": -r.fun,
            "lambda": 2 * stats.t.cdf(-np.sqrt((nu + 1) * (1 - rho) / (1 + rho)), nu + 1)}


rng = np.random.default_rng(20261123)
cases = []
for rho, nu, still in ((0.7, 4.0, 0), (0.2, 8.0, 12), (-0.4, 5.0, 0)):
    n = 360
    x = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], n) / np.sqrt(rng.chisquare(nu, n) / nu)[:, None]
    x = np.round(0.01 * np.sinh(x), 6)  # margins do not matter
    x[:still, 0] = 0  # hours without a trade: ties
    x[still // 2:2 * still, 1] = 0
    cases.append({"a": x[:, 0].tolist(), "b": x[:, 1].tolist(), **fit(x[:, 0], x[:, 1])})
print(json.dumps({"cases": cases}))
