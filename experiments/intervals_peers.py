"""Private intervals of others for experiments/coverage, on the same records. Their noise is NumPy's: for comparison only.

`wang_kifer_lee` is Wang, Kifer and Lee (2019) as read: objective perturbation, then a noisy Hessian and a noisy
covariance of the gradients, then draws from their law. `parts` fits disjoint parts, each with the whole ε, and gives
Student's interval of their mean."""

import numpy as np
from intervals_records import solve
from scipy.stats import t as student

DRAWS, PARTS, LEAST = 2000, 10, 1e-4


def ball(rng, size, scale):
    """Density as exp(-length / scale)."""
    b = rng.standard_normal(size)
    return b / np.linalg.norm(b) * rng.gamma(size, scale)


def symmetric(rng, d, scale):
    """The same over symmetric matrices, with Frobenius' length."""
    made = np.zeros((d, d))
    made[np.triu_indices(d)] = ball(rng, d * (d + 1) // 2, scale)
    off = np.triu(made, 1) / np.sqrt(2)
    return np.diag(np.diag(made)) + off + off.T


def perturbed(u, y, loss, epsilon, rng):
    """Objective perturbation (Chaudhuri et al. 2011), rows of length 1; half of epsilon for the ridge. Also the noise's
    scale."""
    ridge = loss.curve / np.expm1(epsilon / 4)
    scale = 2 / (epsilon / 2)
    start = np.zeros(u.shape[1])
    return solve(u, y, loss, ridge, ball(rng, len(start), scale), start), scale


def wang_kifer_lee(z, y, loss, epsilon, rng):
    n, d = z.shape
    reach = np.sqrt(d)  # entries within -1 and 1
    u = z / reach
    f, scale = perturbed(u, y, loss, epsilon / 2, rng)
    slope, curve = loss.both(u @ f, y)
    hessian = (u * curve[:, None]).T @ u / n + symmetric(rng, d, np.sqrt(2) * loss.curve / n / (epsilon / 4))
    spread = (u * slope[:, None] ** 2).T @ u / n + symmetric(rng, d, np.sqrt(2) / n / (epsilon / 4))
    (h, e), (s, g) = np.linalg.eigh(hessian), np.linalg.eigh(spread)
    inverse = (e / np.maximum(h, LEAST)) @ e.T
    around = rng.standard_normal((DRAWS, d)) @ (g * np.sqrt(np.maximum(s, 0))).T / np.sqrt(n)
    noise = np.array([ball(rng, d, scale) for _ in range(DRAWS)]) / n
    low, high = np.quantile(f + (around + noise) @ inverse, [0.025, 0.975], axis=0) / reach
    return low[1:], high[1:]


def parts(z, y, loss, epsilon, rng):
    reach = np.sqrt(z.shape[1])
    fits = np.array([perturbed(z[i::PARTS] / reach, y[i::PARTS], loss, epsilon, rng)[0] / reach for i in range(PARTS)])
    half = student.ppf(0.975, PARTS - 1) * fits.std(0, ddof=1) / np.sqrt(PARTS)
    return (fits.mean(0) - half)[1:], (fits.mean(0) + half)[1:]


PEERS = {"wang-kifer-lee": wang_kifer_lee, "parts": parts}
