"""Independent reference for package stats: Pearson's correlation by scipy, and the
shrinkage of Ledoit and Wolf (2004) written down as the paper defines it.

    python3 reference.py > synthetic.json      # numpy 1.24, scipy 1.10
"""
import json

import numpy as np
from scipy import stats


def ledoit_wolf(x):
    """x: n rows, p columns. Returns the shrinkage towards m*I and the shrunk matrix."""
    x = x - x.mean(axis=0)
    n, p = x.shape
    norm = lambda a: (a * a).sum() / p
    s = x.T @ x / n
    m = np.trace(s) / p
    d2 = norm(s - m * np.eye(p))
    b2 = min(d2, sum(norm(np.outer(row, row) - s) for row in x) / n ** 2)
    rho = b2 / d2
    return rho, rho * m * np.eye(p) + (1 - rho) * s


rng = np.random.default_rng(20261123)
mix = np.array([[1, 0, 0, 0], [0.8, 0.5, 0, 0], [-0.3, 0.4, 0.7, 0], [0.1, 0.1, 0.1, 2.0]])
x = np.round(rng.standard_t(5, (80, 4)) @ mix.T * 0.01 + 0.001, 6)
shrinkage, cov = ledoit_wolf(x)
z = (x - x.mean(axis=0)) / x.std(axis=0)
standardised, cov_standardised = ledoit_wolf(z)
pearson = [[stats.pearsonr(a, b)[0] for b in x.T] for a in x.T]
print(json.dumps({"series": x.T.tolist(), "pearson": pearson, "shrinkage": shrinkage, "cov": cov.tolist(),
                  "standardised_shrinkage": standardised, "standardised_cov": cov_standardised.tolist()}))
