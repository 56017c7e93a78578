"""Independent reference for package hmm: docs/model.md written down as the text reads,
on hours made by a linear congruential generator.

    python3 reference.py > synthetic.json      # Python 3.9 or later, no packages

Each hour has a return, a volume in USD and two memories. There is a frozen stretch
(no return, no volume) and a stretch of wild hours. Checked to 1e-11.
"""
import json
import math

MU = [(-0.37, -0.06), (0.34, -0.02), (0.81, 0.16)]
SD = [(0.36, 0.40), (0.17, 0.50), (0.22, 0.50)]
P = [(0.990, 0.0099, 0.0001), (0.040, 0.952, 0.008), (0.001, 0.049, 0.950)]
PRIOR = (0.80, 0.17, 0.03)


def hours(n):
    seed, out = 777, []

    def uniform():
        nonlocal seed
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (seed >> 33) / 2147483648.0

    for i in range(n):
        a, b, c, d = (uniform() for _ in range(4))
        scale = 8.0 if 900 <= i < 1000 else 1.0
        r, volume = (a - 0.5) * 0.02 * scale, 1e6 * (0.5 + b)
        if 1200 <= i < 1240:
            r, volume = 0.0, 0.0
        out.append((r, volume, 1e-4 * scale * scale * (0.25 + c * c), 1e-4 * (0.5 + d)))
    return out


def median(v):
    s, m = sorted(v), len(v) // 2
    return s[m] if len(v) % 2 else (s[m - 1] + s[m]) / 2


def normal(x, mu, sd):
    return math.exp(-((x - mu) / sd) ** 2 / 2) / (sd * math.sqrt(2 * math.pi))


def main():
    rows = hours(1500)
    ratio, alpha, points = [], None, []
    for t, (r, volume, e6h, e25d) in enumerate(rows):
        x1 = 0.5 * math.log(max(e6h, 1e-12) / max(e25d, 1e-12))
        x2 = None
        if t >= 23:
            day = rows[t - 23:t + 1]
            ratio.append(math.fsum(abs(x[0]) for x in day) / max(math.fsum(x[1] for x in day), 1))
            med = median(ratio[-720:])
            if len(ratio) >= 240 and ratio[-1] > 0 and med > 0:
                x2 = math.log(ratio[-1] / med)
        if x2 is not None or alpha is not None:
            if alpha is None:
                a = PRIOR
            else:
                a = [math.fsum(alpha[i] * P[i][j] for i in range(3)) for j in range(3)]
            d = []
            for j in range(3):
                f = normal(x1, MU[j][0], SD[j][0])
                if x2 is not None:
                    f *= normal(x2, MU[j][1], SD[j][1])
                d.append(max(f, 1e-300))
            a = [u * v for u, v in zip(a, d)]
            alpha = [u / math.fsum(a) for u in a]
        n = t + 2
        if n < 744 or alpha is None:
            state = 2 if x1 >= 0.670 else 1 if x1 >= 0.078 else 0
            prob = [0.5, 0.0, 0.0]
            prob[state] += 0.5
            confidence = 0.5
        else:
            prob = alpha
            confidence = max(prob)
            state = prob.index(confidence)
        if t in (0, 5, 261, 262, 741, 742, 743, 899, 900, 905, 950, 1001, 1010, 1199, 1200, 1223, 1224, 1230, 1239, 1240, 1263, 1499):
            points.append({"return": t, "x1": x1, "x2": x2, "state": state, "prob": prob, "confidence": confidence})
    print(json.dumps({"points": points}))


main()
