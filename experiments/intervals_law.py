"""Private confidence intervals as experiments/intervals.md has them, with the exact laws of all noise;
experiments/coverage measures them. Only rounding, and the lattice that hides it, are left out."""

import numpy as np

SHARES = {"fit": 0.69, "scale": 0.09, "corr": 0.18, "spread": 0.04}
KAPPA = {"logistic": 1.0, "log-cosh": 0.375}  # kappa over epsilon (and h)
WIDE = 2.0  # a number is clipped at so many standard deviations where correlations are counted
BETTER = 0.5  # stage 2's variance is taken where its noise is below so much of stage 1's
SLAB = 0.15  # a column has so many others, on average, of whose correlation nothing is known
TOP = 0.12  # of all squares of a column's correlations together, where they do not stand out
WINDOW, FLOOR = 2.0, 0.7  # of eigenvalues, in root mean squares of what noise is left in an entry
LEVERAGE = 2.0  # squares of leverage are clipped at so many times their mean
BEND = 1.0  # what is not known of the way back from the ridge, for each unit that scores move by
MATRICES, DRAWS = 128, 16
RATIO, NOISY, LOST, MANY = 4.0, 0.5, 0.1, 0.2  # refused


class Loss:
    """Slope and curvature of a loss at margin or residual; labels are -1, 1 or numbers."""

    def __init__(self, name, h=1.0):
        self.name, self.h = name, h
        self.curve = 0.25 if name == "logistic" else 1 / h

    def both(self, score, y):
        """d loss/d score and its derivative."""
        if self.name == "logistic":
            p = 1 / (1 + np.exp(-np.clip(score, -40, 40)))
            return p - (y > 0), p * (1 - p)
        t = np.tanh((score - y) / self.h)
        return t, (1 - t * t) / self.h

    def epsilon(self, a, kappa):
        """What objective perturbation costs where a record's gradient costs a (privacy.md 4)."""
        s = np.linspace(0, 1, 20001)
        curve = s * (1 - s) if self.name == "logistic" else (1 - s * s) / self.h
        return a + np.max(a * s + np.log1p(kappa * curve))


def solve(x, y, loss, ridge, linear, start):
    """Minimizes the sum of losses + ridge/2 |f|^2 + linear f by damped Newton steps."""
    f = start.copy()

    def gradient(f):
        s, a = loss.both(x @ f, y)
        return x.T @ s + ridge * f + linear, a

    g, a = gradient(f)
    for _ in range(60):
        size = np.linalg.norm(g)
        if size < 1e-7 * len(y):
            break
        step = np.linalg.solve((x * a[:, None]).T @ x + (ridge + 1e-9) * np.eye(len(f)), g)
        t = 1.0
        while t > 1e-6:
            new, curve = gradient(f - t * step)
            if np.linalg.norm(new) < size * (1 - 0.1 * t):
                break
            t /= 2
        f, g, a = f - t * step, new, curve
    return f


class Schema:
    """Columns after an intercept, entries within [low, high] inside [-1, 1]: ("num", low, high), ("bit",), or
    ("cat", m), a block of a category's values."""

    def __init__(self, groups):
        self.groups, self.start, at = groups, [], 1
        for g in groups:
            self.start.append(at)
            at += g[1] if g[0] == "cat" else 1
        self.d = at
        self.size = [g[1] if g[0] == "cat" else 1 for g in groups]
        self.kind = np.concatenate([[k] * m for k, m in zip([g[0] for g in groups], self.size)])
        self.block = np.concatenate([[i] * m for i, m in enumerate(self.size)])
        self.low = np.concatenate([[g[1] if g[0] == "num" else 0.0] * m for g, m in zip(groups, self.size)])
        self.high = np.concatenate([[g[2] if g[0] == "num" else 1.0] * m for g, m in zip(groups, self.size)])


def ball(rng, m, count):
    """Uniform in the l1-ball of m columns."""
    e = rng.exponential(size=(count, m + 1))
    return e[:, :m] / e.sum(1, keepdims=True) * rng.choice([-1.0, 1.0], (count, m))


def ball_square(m):
    return 2 / ((m + 1) * (m + 2))


class Body:
    """A product of boxes and l1-balls around blocks of entries; each block takes what is shorter."""

    def __init__(self):
        self.parts, self.size = [], 0

    def add(self, m, single, pair):
        """m entries: each within +-single, and together within pair in the l1 norm."""
        ball_is = m > 1 and pair**2 * ball_square(m) < single**2 / 3
        self.parts.append((self.size, m, pair if ball_is else single, ball_is))
        self.size += m
        return slice(self.size - m, self.size)

    def draw(self, rng, rate, count=1):
        out = np.empty((count, self.size))
        for at, m, r, is_ball in self.parts:
            out[:, at : at + m] = r * (ball(rng, m, count) if is_ball else rng.uniform(-1, 1, (count, m)))
        return out * rng.gamma(self.size + 1, 1 / rate, (count, 1))

    def sd(self, rate):
        out = np.empty(self.size)
        for at, m, r, is_ball in self.parts:
            out[at : at + m] = r * np.sqrt(ball_square(m) if is_ball else 1 / 3)
        return out * np.sqrt((self.size + 1) * (self.size + 2)) / rate


def fit_plan(schema, loss, epsilon):
    """Ridge, rate and body of objective perturbation, for rows whose entries are at most 1."""
    r2 = len(schema.groups) + 1.0
    ridge = r2 / (KAPPA[loss.name] * epsilon * (1 if loss.name == "logistic" else loss.h))
    low, high = 0.0, epsilon / 2
    for _ in range(60):
        mid = (low + high) / 2
        low, high = (mid, high) if loss.epsilon(mid, r2 / ridge) <= epsilon else (low, mid)
    body = Body()
    body.add(1, 1.0, 1.0)
    for m in schema.size:
        body.parts.append((body.size, m, 1.0, m > 1))
        body.size += m
    return ridge, low, body


def scales(schema, a_max, z, a, rate, rng):
    """Stage 1: noisy means of a, a z, a z^2; gives h0, means, variances and what is known of their noise."""
    n, body, where = len(a), Body(), []
    h_at = body.add(1, a_max, a_max)
    for g, m in zip(schema.groups, schema.size):
        if g[0] == "num":
            low, high = g[1], g[2]
            first = body.add(1, a_max * (max(high, 0) - min(low, 0)), np.inf)
            where.append((first, body.add(1, a_max * max(low * low, high * high), np.inf)))
        else:
            where.append((body.add(m, a_max, 2 * a_max), None))
    raw = np.empty(body.size)
    raw[h_at] = a.mean()
    means = z.T @ a / n
    squares = (z * z).T @ a / n
    for (first, second), at, m in zip(where, schema.start, schema.size):
        raw[first] = means[at : at + m]
        if second is not None:
            raw[second] = squares[at : at + m]
    raw += body.draw(rng, n * rate)[0]
    sd = body.sd(n * rate)
    d = schema.d - 1
    h = max(raw[0], 0.02 * a_max)
    t, v, st, sv = np.empty(d), np.empty(d), np.empty(d), np.empty(d)
    for (first, second), at, m in zip(where, schema.start, schema.size):
        j = slice(at - 1, at - 1 + m)
        st[j] = sd[first]
        if second is None:
            t[j] = np.maximum(raw[first], 0.5 * sd[first])
            p = np.minimum(t[j] / h, 0.95)
            t[j] = p * h
            v[j] = t[j] * (1 - p)
            sv[j] = np.abs(1 - 2 * p) * sd[first] + 0 * p
            sv[j] = np.sqrt(sv[j] ** 2 + (p * p * sd[0]) ** 2)
        else:
            t[j] = np.clip(raw[first], schema.low[j] * h, schema.high[j] * h)
            mu = t[j] / h
            sv[j] = np.sqrt(sd[second] ** 2 + (2 * mu * sd[first]) ** 2 + (mu * mu * sd[0]) ** 2)
            top = h * (mu - schema.low[j]) * (schema.high[j] - mu)
            v[j] = np.clip(raw[second] - mu * t[j], 0.5 * sv[j], np.maximum(top, 0.5 * sv[j]))
    return {"h": h, "t": t, "m": t / h, "v": v, "st": st, "sv": sv}


def correlations(schema, a_max, z, a, rate, one, rng):
    """Stage 2: noisy means of a v_j v_l over groups, v standardized by stage 1 and clipped; gives correlations and
    their noise, 0 where stage 1 knows them. Variances of stage 1 that these know better are replaced."""
    n, d, h, m = len(a), schema.d - 1, one["h"], one["m"]
    v = z[:, 1:].copy()
    low, high = schema.low.copy(), schema.high.copy()
    num, bit, cat = schema.kind == "num", schema.kind == "bit", schema.kind == "cat"
    scale = np.sqrt((one["v"] + one["sv"]) / h) * WIDE
    low[num] = np.maximum((low - m)[num] / scale[num], -1)
    high[num] = np.minimum((high - m)[num] / scale[num], 1)
    v[:, num] = np.clip((v[:, num] - m[num]) / scale[num], low[num], high[num])
    for j in np.flatnonzero(bit):
        v[:, j] -= m[j]
        low[j], high[j] = -m[j], 1 - m[j]
    gram = (v * a[:, None]).T @ v / n
    body, places = Body(), []
    for i, mi in enumerate(schema.size):
        si = slice(schema.start[i] - 1, schema.start[i] - 1 + mi)
        for k in range(i + 1, len(schema.size)):
            mk = schema.size[k]
            sk = slice(schema.start[k] - 1, schema.start[k] - 1 + mk)
            if schema.groups[i][0] == "cat" or schema.groups[k][0] == "cat":
                if schema.groups[i][0] == "cat" and schema.groups[k][0] == "cat":
                    lo, hi = 0.0, 1.0
                else:
                    s = sk if schema.groups[i][0] == "cat" else si
                    lo, hi = low[s][0], high[s][0]
                one_entry = a_max * (max(hi, 0) - min(lo, 0))
                place = body.add(mi * mk, one_entry, 2 * a_max * max(hi, -lo))
            else:
                ends = np.outer([low[si][0], high[si][0]], [low[sk][0], high[sk][0]]).ravel()
                place = body.add(1, a_max * (max(max(ends), 0) - min(min(ends), 0)), np.inf)
            places.append((si, sk, place, (mi, mk)))
    own = []
    for j in np.flatnonzero(num):
        first = body.add(1, a_max * (high[j] - low[j]), np.inf)
        own.append((j, first, body.add(1, a_max * max(high[j] ** 2, low[j] ** 2), np.inf)))
    noise, sd = body.draw(rng, n * rate)[0], body.sd(n * rate)
    mean, var, smean = one["t"].copy(), one["v"].copy(), one["st"].copy()
    mean[bit] = 0
    exact = v.T @ a / n
    for j, first, second in own:
        mean[j] = exact[j] + noise[first][0]
        smean[j] = sd[first][0]
        var[j] = gram[j, j] + noise[second][0] - mean[j] ** 2 / h
        noisy = np.sqrt(sd[second][0] ** 2 + (2 * mean[j] / h * sd[first][0]) ** 2)
        var[j] = max(var[j], noisy)
        if noisy * scale[j] ** 2 < BETTER * one["sv"][j]:
            one["v"][j], one["sv"][j] = var[j] * scale[j] ** 2, noisy * scale[j] ** 2
    root = np.sqrt(var)
    corr, sig = np.eye(d), np.zeros((d, d))
    for si, sk, place, shape in places:
        block = gram[si, sk] + noise[place].reshape(shape)
        c = (block - np.outer(mean[si], mean[sk]) / h) / np.outer(root[si], root[sk])
        s = sd[place].reshape(shape) ** 2
        s = s + (np.outer(smean[si], mean[sk]) / h) ** 2 + (np.outer(mean[si], smean[sk]) / h) ** 2
        s = np.sqrt(s) / np.outer(root[si], root[sk])
        corr[si, sk], corr[sk, si], sig[si, sk], sig[sk, si] = c, c.T, s, s.T
    for i, mi in enumerate(schema.size):  # within a category
        if mi > 1:
            s = slice(schema.start[i] - 1, schema.start[i] - 1 + mi)
            r = np.sqrt(m[s] / (1 - m[s]))
            c = -np.outer(r, r)
            np.fill_diagonal(c, 1)
            corr[s, s] = c
    return corr, sig


def draws_of_inverse(schema, corr, sig, count, rng):
    """Random inverses of the correlation matrix, given a noisy one: entries are shrunk by what all of them tell, small
    eigenvalues raised, and the remaining noise enters as a factor exp(-G), so that every draw is positive."""
    d = len(corr)
    ui, uj = np.nonzero(np.triu(sig, 1))
    rho, s = corr[ui, uj], sig[ui, uj]
    cat = schema.kind == "cat"
    which = cat[ui].astype(int) + cat[uj].astype(int)
    best, left = np.zeros(len(rho)), np.zeros(len(rho))
    for w in range(3):
        k = which == w
        if k.any():
            best[k], left[k] = empirical(rho[k], s[k], d)
    C = np.where(sig > 0, 0, corr)
    C[ui, uj] = C[uj, ui] = best
    v2 = np.mean(left) if len(left) else 0.0
    rms = np.sqrt(v2)
    value, vector = np.linalg.eigh(C)
    lost = (vector[:, value <= rms / 2] ** 2).sum(1) > LOST
    gap = value[:, None] - value
    value = np.sort(value - 2 * v2 * (gap / (gap**2 + (WINDOW * rms) ** 2 + 1e-12)).sum(1))
    value = np.maximum(value, max(0.02, FLOOR * rms))
    scale = np.sqrt(((vector * value) * vector).sum(1))
    P = np.zeros((count, d, d))
    P[:, ui, uj] = np.sqrt(left) * rng.standard_normal((count, len(rho)))
    P += np.swapaxes(P, 1, 2)
    root = vector / np.sqrt(value)
    G = root.T @ P @ root
    G = np.tanh(G * np.sqrt(d)) / np.sqrt(d)
    value_g, vector_g = np.linalg.eigh(G)
    left_root = root @ vector_g * np.exp(-value_g / 2 + value_g**2 / 4)[:, None, :]
    W = left_root @ np.swapaxes(left_root, 1, 2)
    W = W * scale[:, None] * scale
    middle = root @ root.T * scale[:, None] * scale
    return W, middle, lost


def empirical(rho, s, d):
    """Posterior means and variances: most correlations are from a normal law that all of them tell, a few from
    anywhere."""
    mu, t2, slab, far_share = 0.0, 0.0, np.zeros(len(rho)), min(SLAB / max(d - 1, 1), 0.05)
    for _ in range(20):
        q = (1 - slab) / (t2 + s * s)
        mean, se = (q * rho).sum() / max(q.sum(), 1e-300), 1 / np.sqrt(max(q.sum(), 1e-300))
        mu = mean if abs(mean) > 2 * se else 0.0
        g = (1 - slab) / (t2 + s * s) ** 2
        t2 = max(0.0, (g * ((rho - mu) ** 2 - s * s)).sum() / max(g.sum(), 1e-300))
        if t2 < 2 * np.sqrt(2 / max(g.sum(), 1e-300)):
            t2 = min(t2, TOP / max(d - 1, 1))
        both = t2 + s * s
        inside = (1 - far_share) * np.exp(-((rho - mu) ** 2) / (2 * both)) / np.sqrt(2 * np.pi * both)
        outside = far_share / 2 * np.exp(-(np.maximum(np.abs(rho) - 1, 0) ** 2) / (2 * s * s))
        slab = outside / (inside + outside)
    w = t2 / (t2 + s * s)
    near, far = mu + w * (rho - mu), np.clip(rho, -0.98, 0.98)
    best = (1 - slab) * near + slab * far
    left = (1 - slab) * w * s * s + slab * np.minimum(s * s, 0.3) + slab * (1 - slab) * (far - near) ** 2
    return best, left


def intervals(schema, z, y, loss, epsilon, start, rng, level=0.95):
    """The whole mechanism; gives low, high, refused and p-values of all columns but the intercept, and what a listing
    shows."""
    n, d = len(y), schema.d - 1
    ridge, rate, body = fit_plan(schema, loss, SHARES["fit"] * epsilon)
    f = solve(z, y, loss, ridge, body.draw(rng, rate)[0], start)
    s, a = loss.both(z @ f, y)
    one = scales(schema, loss.curve, z, a, SHARES["scale"] * epsilon, rng)
    corr, sig = correlations(schema, loss.curve, z, a, SHARES["corr"] * epsilon, one, rng)
    W, middle, lost = draws_of_inverse(schema, corr, sig, MATRICES, rng)
    tau = one["sv"] / one["v"]
    held = np.minimum(tau, NOISY)
    v = one["v"] * np.exp(held * rng.standard_normal((MATRICES, d)) - held**2)
    W = W / np.sqrt(v)[:, :, None] / np.sqrt(v)[:, None, :]  # of the slopes
    wjj = np.einsum("kjj->kj", W)
    omega = 1.0 if loss.name == "logistic" else max(0.05, (1 - loss.h * one["h"]) / one["h"])
    point = middle / np.sqrt(np.outer(one["v"], one["v"]))
    p = (z[:, 1:] - one["m"]) @ point
    p = np.minimum(p * p / np.diag(point), LEVERAGE / one["h"])
    Q = LEVERAGE / one["h"]
    top, bottom = 1.0, -0.125 if loss.name == "logistic" else -omega * loss.curve
    sp = Body()
    rate_v = n * SHARES["spread"] * epsilon
    for r in (top - bottom, loss.curve):
        for _ in range(d):
            sp.add(1, r * Q, np.inf)
    noise, sd = sp.draw(rng, rate_v)[0], sp.sd(rate_v)
    num = p.T @ (s * s - omega * a) / n + noise[:d]
    den = np.maximum(p.T @ a / n + noise[d:], 2 * sd[d:])
    q, tq = num / (omega * den), sd[:d] / (omega * den)
    wq = 1 / (tq**2 + 0.09)
    common = (wq * q).sum() / (wq.sum() + 1 / 0.09 * 0.3)
    left = max(0.0, (wq**2 * ((q - common) ** 2 - tq**2)).sum() / (wq**2).sum())
    left = min(max(left, 0.01), 0.25)
    phi = np.clip(1 + common + (q - common) * left / (left + tq**2), 1, 5)
    b = body.draw(rng, rate, MATRICES * DRAWS).reshape(MATRICES, DRAWS, -1)
    r = ridge * f / n
    r = np.concatenate([[r[0]], r[1:] - r[0] * one["m"]])
    moved = np.sqrt((r[1:] @ point @ r[1:] + r[0] ** 2 / one["h"]) / one["h"])  # of scores, by the ridge
    unsure = 1 + BEND * moved * rng.standard_normal((MATRICES, DRAWS, 1))
    b = b[:, :, 1:] - b[:, :, :1] * one["m"]
    r = unsure * r[1:] + b / n
    shift = np.einsum("kjl,kdl->kdj", W, r)
    z_draw = rng.standard_normal(shift.shape)
    spread = np.sqrt(omega * phi * wjj / n)[:, None, :]
    theta = (f[1:] + shift + z_draw * spread).reshape(-1, d)
    low, high = np.quantile(theta, [(1 - level) / 2, (1 + level) / 2], axis=0)
    zero = np.minimum(np.mean(theta > 0, 0), np.mean(theta < 0, 0)) * 2
    ratio = np.quantile(wjj, 0.9, 0) / np.quantile(wjj, 0.1, 0)
    refused = (ratio > RATIO) | (tau > NOISY) | lost
    if refused.mean() > MANY:
        refused[:] = True
    return low, high, refused, zero, {"phi": phi, "tau": tau, "ratio": ratio}


def plain(z, y, loss):
    """The fit without privacy, and the standard errors of its slopes (sandwich)."""
    f = solve(z, y, loss, 0.0, np.zeros(z.shape[1]), np.zeros(z.shape[1]))
    s, a = loss.both(z @ f, y)
    W = np.linalg.inv((z * a[:, None]).T @ z)
    inner = (z * s[:, None]).T @ (z * s[:, None])
    return f, np.sqrt(np.diag(W @ inner @ W))[1:], W
