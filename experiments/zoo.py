"""Made-up records whose truth is known, beside a loader of CSV files with schemas: sets to choose rules on.

`FAMILIES[name](rows, seed)` gives a table (a dict of columns), its labels in {0, 1} and a schema. Each family asks one
question of a representation of numbers: is a straight line kept where it is right, whatever range was declared; is a
shape found where there is one; do columns that say nothing do harm."""
import numpy as np


def numeric(name, low, high, **more):
    return {"name": name, "type": "numeric", "min": low, "max": high, **more}


def described(columns, **more):
    return {"label": {"column": "y", "positive": ["1"], "negative": ["0"]}, "intercept": True,
            "columns": columns + [{"name": "y", "type": "label"}], **more}


def made(x, score, draw, ranges, **more):
    """Labels by a logistic law of the score."""
    y = (draw.random(len(score)) < 1 / (1 + np.exp(-score))).astype(int)
    names = [f"x{j}" for j in range(x.shape[1])]
    columns = [numeric(name, low, high) for name, (low, high) in zip(names, ranges)]
    return {name: x[:, j] for j, name in enumerate(names)}, y, described(columns, **more)


def straight(dims, low, high, steepness=6.0, mean=5.0, deviation=1.2, rare=0.0):
    """Gaussian columns and a linear law, in whatever range was declared."""
    def family(rows, seed):
        draw = np.random.default_rng(seed)
        z = draw.normal(size=(rows, dims))
        direction = draw.normal(size=dims)
        score = steepness * z @ direction / np.linalg.norm(direction) - rare
        return made(mean + deviation * z, score, draw, [(low, high)] * dims)
    return family


def shaped(law, dims, low, high, noise=0):
    """Uniform columns, the first `dims` of which have `law`, among `noise` that say nothing."""
    def family(rows, seed):
        draw = np.random.default_rng(seed)
        x = draw.uniform(low, high, size=(rows, dims + noise))
        return made(x, law((x[:, :dims] - low) / (high - low)), draw, [(low, high)] * (dims + noise))
    return family


def atoms(rows, seed):
    """Half of the values are 0, which is unlike the small ones beside it."""
    draw = np.random.default_rng(seed)
    x = np.where(draw.random((rows, 4)) < 0.5, 0.0, draw.exponential(20, size=(rows, 4)))
    return made(x, 2.0 * (x[:, 0] == 0) - 1.5 * (x[:, 1] == 0) - 0.2 + x[:, 2] / 40, draw, [(0, 200)] * 4)


def tails(rows, seed):
    """Amounts over four powers of ten, whose logarithms count."""
    draw = np.random.default_rng(seed)
    z = draw.normal(size=(rows, 5))
    return made(np.exp(6 + 1.5 * z), 1.5 * z[:, 0] - 1.5 * z[:, 1] + z[:, 2], draw, [(0, 100000)] * 5)


def u_shape(u):
    return 14 * (np.abs(u[:, 0] - 0.5) - 0.25)


def u_among_lines(rows, seed):
    draw = np.random.default_rng(seed)
    x = draw.uniform(0, 100, size=(rows, 3))
    u = x / 100
    return made(x, u_shape(u) + 3 * (u[:, 1] - u[:, 2]), draw, [(0, 100)] * 3)


def u_among_straight(rows, seed):
    """One column with a shape among nineteen with a steep straight law, in a loose range: these must stay lines."""
    draw = np.random.default_rng(seed)
    z, direction, u = draw.normal(size=(rows, 19)), draw.normal(size=19), draw.uniform(0, 100, size=rows)
    score = 6 * z @ direction / np.linalg.norm(direction) + 8.4 * (np.abs(u / 100 - 0.5) - 0.25)
    return made(np.column_stack([5 + 1.2 * z, u]), score, draw, [(0, 20)] * 19 + [(0, 100)])


def age_band(rows, seed):
    """Labels are 1 between 30 and 60 years of age."""
    draw = np.random.default_rng(seed)
    x = np.column_stack([draw.integers(0, 101, rows).astype(float), draw.uniform(0, 1, size=(rows, 2))])
    return made(x, np.where((x[:, 0] > 30) & (x[:, 0] < 60), 50.0, -50.0), draw, [(0, 100), (0, 1), (0, 1)])


def steps(u):
    return (np.where(u < 0.35, -1.5, np.where(u < 0.7, 1.5, -0.5)) * np.array([1, -1, 1])).sum(1)


def product(u):
    return 14 * (u[:, 0] - 0.5) * (u[:, 1] - 0.5) * 2


FAMILIES = {
    "straight-loose": straight(20, 0, 20),
    "straight-symmetric": straight(20, -20, 30),
    "straight-tight": straight(20, 0, 10),
    "straight-far": straight(20, 0, 200),
    "straight-centred": straight(8, -4, 4, mean=0.0, deviation=1.0),
    "straight-one": straight(1, 0, 20, steepness=3.0),
    "straight-hundred": straight(100, 0, 10),
    "straight-standard": straight(20, -3, 3, steepness=3.0, mean=0.0, deviation=1.0),
    "straight-rare": straight(10, 0, 20, rare=5.0, steepness=3.0),
    "u-among-lines": u_among_lines,
    "u-among-straight": u_among_straight,
    "u-one": shaped(u_shape, 1, 0, 1),
    "u-among-noise": shaped(u_shape, 1, 0, 1, noise=40),
    "band": age_band,
    "steps": shaped(steps, 3, -50, 50, noise=3),
    "atoms": atoms,
    "tails": tails,
    "product": shaped(product, 2, -1, 1, noise=2),
    "nothing": shaped(lambda u: np.full(len(u), -0.8), 10, 0, 10),
}
