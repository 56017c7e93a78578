"""Independent reference for package vol: docs/model.md written down as the text
reads, with lists and loops, on bars made by a linear congruential generator.

    python3 reference.py > synthetic.json      # Python 3.9 or later, no packages

Sums are math.fsum, so the values are right to the last digits; the package must
agree to 1e-11.
"""
import datetime
import json
import math

HOURS = (1, 4, 24, 168)
B = {1: (0.65, 0.00, 0.06, 0.08, 0.06), 4: (0.55, 0.14, 0.08, 0.03, 0.08),
     24: (0.47, 0.19, 0.08, 0.08, 0.08), 168: (0.24, 0.30, 0.03, 0.17, 0.22)}
DEFAULTS = {  # losses: long q95, ES95, q99, ES99, short the same, kappa2
    1: (1.534, 2.379, 2.795, 3.969, 1.490, 2.303, 2.699, 3.879, 1.068),
    4: (1.556, 2.399, 2.844, 3.946, 1.524, 2.356, 2.778, 3.909, 1.086),
    24: (1.614, 2.410, 2.874, 3.838, 1.666, 2.462, 2.857, 3.949, 1.163),
    168: (1.525, 2.260, 2.735, 3.454, 1.714, 2.657, 3.053, 4.566, 1.151)}
LAM = [1 - 1 / (24 * c + 1) for c in (0.25, 1, 5, 25)]
LR0 = 2.0 ** 2 / 8760
FIRST_HOUR = 400_000  # hours since 1970 at which the first bar opens
WEEKDAY = (1.76, 1.12, 0.90, 0.81, 0.79, 0.77, 0.85, 0.92, 1.09, 0.95, 0.98, 0.98,
           1.37, 1.54, 1.65, 1.40, 1.53, 1.03, 1.04, 0.98, 1.05, 0.92, 0.99, 1.01)
SATURDAY = (1.41, 0.81, 0.65, 0.58, 0.62, 0.64, 0.58, 0.58, 0.73, 0.63, 0.70, 0.69,
            0.78, 0.73, 0.81, 0.80, 1.10, 0.75, 0.63, 0.57, 0.63, 0.70, 0.74, 0.77)
SUNDAY = (1.16, 0.75, 0.59, 0.57, 0.57, 0.53, 0.55, 0.48, 0.67, 0.66, 0.70, 0.70,
          0.88, 0.76, 0.90, 0.81, 1.09, 0.71, 0.64, 0.69, 0.78, 0.87, 1.15, 1.01)


def factor(hour):
    """The variance of an hour since 1970 relative to the average hour of the week."""
    at = datetime.datetime(1970, 1, 1) + datetime.timedelta(hours=hour)
    return {5: SATURDAY, 6: SUNDAY}.get(at.weekday(), WEEKDAY)[at.hour]


def bars(n):
    """n hourly bars, gaps filled flat: (high, low, close). The market has a quiet and
    a wild half-year, two bad prints, missing hours and a crash."""
    seed, out, price = 20261121, [], 100.0

    def uniform():
        nonlocal seed
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (seed >> 33) / 2147483648.0

    for i in range(n):
        draw = [uniform() for _ in range(6)]
        if i % 397 in (5, 6) and i > 0:  # the venue has no candle of this hour
            out.append((price, price, price))
            continue
        scale = 0.03 if (i // 1500) % 2 else 0.008
        step = (((draw[0] + draw[1]) + (draw[2] + draw[3])) - 2.0) * scale
        if i == 2345:
            step = -0.4
        close = price * (1.0 + step)
        high = max(price, close) * (1.0 + draw[4] * scale)
        low = min(price, close) * (1.0 - draw[5] * scale)
        if i in (300, 1801):
            low = low * 0.01
        out.append((high, low, close))
        price = close
    return out


def quantile(values, p):
    s = sorted(values)
    at = 1 + (len(s) - 1) * p
    lo = math.floor(at)
    g = at - lo
    return s[lo - 1] if lo >= len(s) else s[lo - 1] + g * (s[lo] - s[lo - 1])


def median(values):
    s = sorted(values)
    m = len(s) // 2
    return s[m] if len(s) % 2 else (s[m - 1] + s[m]) / 2


class Reference:
    """The state after all of rows: with up to 720 returns the seed, and so the whole
    path, is that of exactly these rows."""

    def __init__(self, rows, first_hour=FIRST_HOUR):
        logs = [math.log(c) for _, _, c in rows]
        self.r = [b - a for a, b in zip(logs, logs[1:])]
        self.f = [factor(first_hour + i) for i in range(len(rows) + 168)]
        self.raw = [math.log(h / l) ** 2 / (4 * math.log(2)) / self.f[i] for i, (h, l, _) in enumerate(rows) if i > 0]
        self.E, self.V, self.V0, self.lr = [], {h: [] for h in HOURS}, [], []
        e = [median(self.raw[:720])] * 4 if self.raw else [0.0] * 4
        for t in range(len(rows)):
            if t > 0:
                e = self.step(e, t - 1)
            n = t + 1
            w = 1.0 if t == 0 else max(0.0, 1 - n / 720)
            window = self.r[max(0, t - 8760):t]
            lr = math.fsum(x * x for x in window) / len(window) if window else 0.0
            self.E.append([(1 - w) * x + w * LR0 for x in e])
            self.lr.append((1 - w) * lr + w * LR0)
            for h in HOURS:
                v = max(0.05 ** 2 / 8760, math.fsum(b * x for b, x in zip(B[h], self.E[t] + [self.lr[t]])))
                self.V[h].append(math.fsum(self.f[t + 1:t + 1 + h]) * v)
                if h == 24:
                    self.V0.append(h * v)

    def step(self, e, i):
        x = min(self.raw[i], max(36 * sum(e) / 4, self.r[i] ** 2 / self.f[i + 1]))
        return [lam * m + (1 - lam) * x for lam, m in zip(LAM, e)]

    def at(self, n):
        t = n - 1
        u = [self.r[k] / math.sqrt(self.V[1][k]) for k in range(max(0, t - 8760), t)]
        out = {"n": n, "E": self.E[t], "lr": self.lr[t], "regime": self.regime(n), "horizons": [],
               "u": [len(u), math.fsum(x * x for x in u)] + u[:1] + u[-1:]}
        for h in HOURS:
            W = 17520 if h == 168 else 8760
            z = [math.fsum(self.r[k:k + h]) / math.sqrt(self.V[h][k])
                 for k in range(max(720, t - h - W), t - h + 1)]
            out["horizons"].append(self.horizon(h, z, self.V[h][t]))
        return out

    def horizon(self, h, z, variance):
        d, sd = DEFAULTS[h], math.sqrt(variance)
        w = 0.0 if len(z) < 100 else min(1.0, len(z) / 1440)
        k2 = (w * math.fsum(x * x for x in z) / len(z) if w else 0.0) + (1 - w) * d[8]
        out = {"variance": variance, "n_z": len(z), "kappa2": min(4, max(0.25, k2)), "tails": []}
        for side, s in enumerate((1, -1)):
            for level, p in enumerate((0.05, 0.01)):
                dq, de = -d[4 * side + 2 * level], -d[4 * side + 2 * level + 1]

                def pct(y):
                    return 100 * (1 - math.exp(y * sd)) if s > 0 else 100 * (math.exp(-y * sd) - 1)
                q, es, pes = 0.0, 0.0, 0.0
                if w:
                    y = [s * x for x in z]
                    q = quantile(y, p)
                    tail = [x for x in y if x <= q]
                    es = math.fsum(tail) / len(tail)
                    pes = math.fsum(pct(x) for x in tail) / len(tail)
                q, es, pes = w * q + (1 - w) * dq, w * es + (1 - w) * de, w * pes + (1 - w) * pct(de)
                cap = 100 if s > 0 else 500
                out["tails"].append([q, es, min(cap, max(0, pct(q))), min(cap, max(0, pes))])
        return out

    def regime(self, n):
        if n < 720:
            sigma = math.sqrt(self.V0[n - 1] * 365)
            return "low" if sigma < 0.40 else "high" if sigma > 1.10 else "normal"

        def plain(rank):
            return "low" if rank < 0.25 else "high" if rank > 0.80 else "normal"
        state = None
        for m in range(max(720, n - 24), n + 1):
            values = self.V0[m - min(8760, m - 719):m]
            rank = sum(v < values[-1] for v in values) / len(values)
            stays = {None: False, "low": rank <= 0.28, "high": rank >= 0.77,
                     "normal": 0.22 <= rank <= 0.83}[state]
            state = state if stays else plain(rank)
        return state


if __name__ == "__main__":
    rows = bars(9800)
    ref = Reference(rows)
    points = [1, 2, 25, 60, 301, 302, 719, 720, 721, 722, 723, 740, 800, 845, 1000, 1803, 2160, 2346, 2400, 3000, 8761, 8762, 9481, 9700, 9800]
    print(json.dumps({"first_close": rows[0][2], "last_close": rows[-1][2],
                      "points": [
                          (Reference(rows[:n]) if n <= 721 else ref).at(n) for n in points]}, indent=None))
