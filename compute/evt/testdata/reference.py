"""Independent reference for package evt: generalised Pareto fits by scipy's density and
minimisers, quantiles by scipy, the mean beyond a quantile by quadrature.

    python3 reference.py > synthetic.json      # numpy 1.24, scipy 1.10
"""
import json

import numpy as np
from scipy import integrate, optimize, stats


def fit(excess):
    """Maximum likelihood with xi in [-0.5, 0.9]."""
    def nll(v):
        return -stats.genpareto.logpdf(excess, v[0], scale=np.exp(v[1])).sum()
    best = None
    for xi in (-0.2, 0.05, 0.2, 0.5):
        r = optimize.minimize(nll, [xi, np.log(excess.mean())], method="Nelder-Mead",
                              bounds=[(-0.5, 0.9), (-20, 20)], options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 5000})
        if best is None or r.fun < best.fun:
            best = r
    return best.x[0], np.exp(best.x[1]), best.fun


def tail(z, sign):
    y = sign * z
    u = np.quantile(y, 0.95)
    excess = y[y > u] - u
    xi, beta, nll = fit(excess)
    clipped = min(0.50, max(0.05, xi))
    beyond = stats.genpareto(clipped, scale=beta)
    share = 0.001 / 0.05
    q = beyond.ppf(1 - share)
    mean = integrate.quad(lambda v: beyond.ppf(1 - v * share), 0, 1, epsabs=0, epsrel=1e-11, limit=500)[0]
    return {"u": u, "n_excess": len(excess), "xi": xi, "beta": beta, "nll": nll,
            "clipped": clipped, "quantile": u + q, "mean_beyond": u + mean}


rng = np.random.default_rng(20261123)
z = np.round(rng.standard_t(3.5, 2400), 4)
z = np.round(np.where(z < 0, 1.3 * z, 0.9 * z), 4)
print(json.dumps({"z": z.tolist(), "long": tail(z, -1), "short": tail(z, 1)}))
