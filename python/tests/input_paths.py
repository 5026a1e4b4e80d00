"""Every way that records come into the library from Python, as a list of inputs.

An input builds a container from records as a user would, letting NumPy and pandas infer what they infer,
and goes in through a public method. What arrives in C is looked at just before the run. A new way in
is a line of ``TABLES`` or ``ROWS``, and is tested with all others (input_paths_arrow.py has more);
what is refused whatever it holds is in ``UNTAKEN``.
"""

import contextlib
import datetime
import enum
import fractions
from collections import deque
from decimal import Decimal

import numpy as np
import pandas as pd
import scipy.sparse as sp

import dperm
from dperm import _library as c
from dperm.dask import _Pandas

# ---------------------------------------------------------------- what arrives in C

RUNS = {"dperm_train": 0, "dperm_tune": 0, "dperm_sweep": 0, "dperm_model_score_sized": 1,
        "dperm_model_score_private_sized": 1, "dperm_evaluate": 1, "dperm_evaluate_private": 1, "dperm_model_scores": 1,
        "dperm_model_values": 1, "dperm_model_probabilities": 1}
BARE = ("dperm_model_scores", "dperm_model_values", "dperm_model_probabilities")


class Arrived(BaseException):
    """Thrown instead of a run: its data, bit for bit, and the function of C's that took them in."""

    def __init__(self, handle, labelled, door):
        count, dims = c.lib.dperm_data_rows(handle), c.lib.dperm_data_dims(handle)
        rows = np.empty((count, dims))
        for i in range(count):
            c.call("dperm_data_row", handle, i, c.Array(rows[i], "f8"))
        labels = c.lib.dperm_data_labels(handle)
        self.labels = [labels[i] for i in range(count)] if labelled else None
        self.rows, self.door = [row.tobytes() for row in rows], door


def arrived(action):
    """What a public method hands to the library for its run."""
    inner, doors = c.call, [None]

    def call(name, *arguments):
        if name in RUNS:
            c.call = inner
            raise Arrived(arguments[RUNS[name]], name not in BARE, doors[-1])
        if name.startswith("dperm_data_from_") or name == "dperm_data_read":
            doors.append(name)
        return inner(name, *arguments)

    c.call = call
    try:
        action()
    except Arrived as found:
        return found
    finally:
        c.call = inner
    raise AssertionError("nothing was handed over")


# ---------------------------------------------------------------- records of mixed columns

SCHEMA = {"missing": ["", "?", "-9"], "on_missing": "category", "intercept": True,
          "label": {"column": "ill", "classes": ["no", "yes"]},
          "crosses": [["age", "job"]],
          "columns": [{"name": "age", "type": "numeric", "min": 0, "max": 100, "bins": [0.1, 17, 42.5], "line": 0.5,
                       "source": "law", "sensitive": True},
                      {"name": "code", "type": "categorical", "values": ["0", "1", "2", "1.00", "0.5"]},
                      {"name": "smoker", "type": "categorical", "values": ["True", "False", "1", "0"]},
                      {"name": "job", "type": "categorical", "values": ["nurse", "judge", "1", "True", "1.0"]}]}
NAMES = ["age", "code", "smoker", "job"]
USUAL = {"age": [0, 1, 17, 42.5, 0.1, 1e-7, -9, 2**53 + 1], "code": [0, 1, 2, 2, 1], "smoker": [True, False],
         "job": ["nurse", "judge", "1", " judge"]}


class Sly(str):
    """A text that is equal to everything and writes itself as something else."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("judge")

    def __str__(self):
        return "nurse"


class Vain:
    """Nobody's type, with an equality that is no truth value."""

    def __eq__(self, other):
        return np.array([True, False])

    __ne__ = __eq__

    def __hash__(self):
        return hash(True)


class Colour(enum.Enum):
    ONE = 1


class Whole(enum.IntEnum):
    ONE = 1


class Word(str, enum.Enum):
    JUDGE = "judge"


_noon = datetime.datetime(2020, 1, 1, 12)
HOSTILE = [1, True, 1.0, 0, False, 0.0, -0.0, -9, -9.0, "-9", "-9.0", "?", "", 0.5, 0.1, np.float32(0.1),
           np.float32(1), np.float16(1), np.longdouble(1), np.int8(1), np.uint64(2**63), np.bool_(True), Decimal("1"),
           Decimal("1.0"), Decimal("1.00"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"),
           fractions.Fraction(1), "1", "1.0", "1.00", "True", " True\t", "true", "nurse", b"1", b"nurse", b"\xff",
           None, float("nan"), float("inf"), pd.NaT, pd.NA, np.datetime64("NaT"), np.datetime64("2020-01-01"),
           np.datetime64("2020-01-01T10"), np.timedelta64(1, "h"), _noon, _noon.date(), pd.Timestamp(_noon),
           pd.Timestamp(_noon, tz="UTC"), pd.Timestamp(_noon, tz="Europe/Berlin"), datetime.timedelta(1),
           pd.Period("2020"), pd.Interval(0, 1), 2**53, 2**53 + 1, 2.0**53, 2**63, 2**64, -2**70, 10**400, 10**5000, 1
           + 0j, np.array([1, 2]), np.array(1), [1], (), {}, {1}, object(), Sly("True"), Sly("judge"),
           np.str_("nurse"), Vain(), Colour.ONE, Whole.ONE, Word.JUDGE, "a\0b", "\ud800", "x" * 70000, "NaN", "inf",
           "1e3", "1_000", "\u0661", np.ma.masked]


def _object_array(records):
    made = np.empty((len(records), len(records[0])), dtype=object)
    for i, record in enumerate(records):
        for j, value in enumerate(record):
            made[i, j] = value
    return made


def _frame(records):
    return pd.DataFrame(records, columns=NAMES)


def _frame_with_a_cell_set(records):
    made = _frame([records[1]] + records[1:])
    for j, value in enumerate(records[0]):
        made.iloc[0, j] = value
    return made


def _frame_of_public_categories(records):
    made = _frame(records)
    return made.assign(job=pd.Categorical(made.job, ["unused", "judge", "nurse", "1"], ordered=True),
                       code=pd.Categorical(made.code, [2, 1, 0]))


def _frame_of_sparse_columns(records):
    made = _frame(records)
    return made.assign(**{n: pd.arrays.SparseArray(made[n].to_numpy()) for n in ("age", "code", "smoker")})


def _moved(records):
    frames, pieces = _Pandas(), [_frame(records[i:i + 3]) for i in range(0, len(records), 3)]
    return frames.joined([frames.unpack(frames.pack(frames.cut(piece, i, i + 1)))
                          for piece in pieces for i in range(len(piece))], None)


def _frame_of_texts(records):
    return pd.DataFrame([[None if v is None else str(v) for v in r] for r in records], columns=NAMES).astype("string")


def _array_of_texts(records):
    return np.array([["?" if v is None else str(v) for v in r] for r in records])


TABLES = {
    "frame_as_pandas_infers_it": _frame,
    "frame_of_series": lambda records: pd.DataFrame({n: pd.Series([r[j] for r in records]) for j, n in enumerate(NAMES)}),
    "frame_of_dicts": lambda records: pd.DataFrame.from_records([dict(zip(NAMES, r)) for r in records]),
    "frame_of_objects": lambda records: pd.DataFrame(_object_array(records), columns=NAMES),
    "frame_of_nullable_types": lambda records: _frame(records).convert_dtypes(),
    # records that arrive in parts, each with its own idea of the types
    "frame_put_together": lambda records: pd.concat([_frame(records[i:i + 3]) for i in range(0, len(records), 3)]),
    "frame_that_moved": _moved,  # from workers who had a few records each
    "frame_with_a_cell_set": _frame_with_a_cell_set,
    "frame_with_columns_reordered": lambda records: _frame(records)[["job", "smoker", "age", "code"]].assign(more="x"),
    "frame_of_categories": lambda records: _frame(records).astype(dict.fromkeys(["code", "job", "age"], "category")),
    "frame_of_boolean_categories": lambda records: _frame(records).astype({"smoker": "category"}),
    "frame_of_public_categories": _frame_of_public_categories,
    "frame_of_sparse_columns": _frame_of_sparse_columns,
    "frame_of_texts": _frame_of_texts,
    "frame_of_arrow_texts": lambda records: _frame_of_texts(records).astype({"job": "string[pyarrow]"}),
    "frame_of_arrow_types": lambda records: _frame(records).convert_dtypes(dtype_backend="pyarrow"),
    "lists": lambda records: [list(r) for r in records],
    "tuples": lambda records: tuple(tuple(r) for r in records),
    "list_of_arrays": lambda records: [_object_array([r])[0] for r in records],
    "array_of_objects": _object_array,
    "array_of_objects_in_columns": lambda records: np.asfortranarray(_object_array(records))[:, ::1],
    "array_of_texts": _array_of_texts,
    "array_of_bytes": lambda records: _array_of_texts(records).astype("S"),
    **{f"array_of_{dtype}": lambda records, dtype=dtype: np.array([[float(v) for v in r] for r in records]).astype(dtype)
       for dtype in ("float64", "float32", "float16", "longdouble", "int64", "uint8", "bool")}}

# ---------------------------------------------------------------- labels

YS = {"list": list, "tuple": tuple, "series": pd.Series, "objects": lambda y: pd.Series(y, dtype=object),
      "array": lambda y: _object_array([[v] for v in y])[:, 0], "inferred": np.array,
      "nullable": lambda y: pd.Series(y).convert_dtypes(), "category": lambda y: pd.Series(y).astype("category"),
      "column": lambda y: np.array(y).reshape(-1, 1)}
# Of a regression, within a public range and beyond it.
RANGE, AMOUNTS = (0.25, 9), [0, 1, 2, 7.5, 0.1, -3, 2**53 + 1]
# The public classes, and labels as they come.
CLASSES = [([0, 1], [0, 1, 1]), ([0, 1], [0.0, 1.0]), (["no", "yes"], ["no", "yes"]), ([False, True], [False, True]),
           ([2**53, 2**53 + 1], [2**53, 2**53 + 1]), ([1, 2, 3], [1, 2, 3]), ([b"a", b"b"], [b"a", b"b"]),
           ([0, "a"], [0, "a"])]

# ---------------------------------------------------------------- rows of numbers


class Offered:
    """No array, but one is made of it."""

    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return np.array(self._array, dtype=dtype)


def _strided(X):
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]), X.dtype)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def _read_only(X):
    X.flags.writeable = False
    return X


# The same numbers in memory of every order, and in what holds an array.
ORDERS = {"c": np.ascontiguousarray, "fortran": np.asfortranarray, "strided": _strided,
          "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1], "read_only": _read_only, "offered": Offered,
          "subclass": lambda X: X.view(type("Mine", (np.ndarray,), {})), "list_of_arrays": list,
          "frame": lambda X: pd.DataFrame(X, columns=NAMES[:X.shape[1]]),
          "frame_of_series": lambda X: pd.DataFrame({NAMES[j]: pd.Series(X[:, j]) for j in range(X.shape[1])})}


def _numbers(order, dtype):
    # value by value: of a list NumPy 2 refuses whole numbers that a narrow type wraps
    return lambda records: ORDERS[order](
        np.array([[np.array(v).astype(dtype) for v in r] for r in records], dtype=dtype))


def _coo_with_duplicates(records):
    X = sp.coo_matrix(np.array(records, dtype=float))
    return sp.coo_matrix((np.concatenate([X.data / 2, X.data / 2]), (np.tile(X.row, 2), np.tile(X.col, 2))), X.shape)


def _csr_of_one_unsorted_row(records):
    X = sp.csr_matrix(np.array(records, dtype=float))
    last = slice(X.indptr[0], X.indptr[1])
    if records[0][0] == 7:  # the hostile record comes with its entries in another order
        X.indices[last], X.data[last] = X.indices[last][::-1].copy(), X.data[last][::-1].copy()
        X.has_sorted_indices = X.has_canonical_format = False
    return X


ROWS = {
    "number_lists": TABLES["lists"], "number_tuples": TABLES["tuples"], "number_array": np.array,
    "number_objects": _object_array, "number_float32": lambda records: np.array(records, dtype=np.float32),
    "number_deques": lambda records: deque(deque(r) for r in records),
    **{f"number_{order}_float64": _numbers(order, "float64") for order in ORDERS},
    **{f"number_c_{dtype}": _numbers("c", dtype)
       for dtype in ("longdouble", ">f8", "int8", "uint8", "int16", "int32", "uint64", "bool")},
    "number_strided_int64": _numbers("strided", "int64"),
    "number_frame": pd.DataFrame, "number_frame_nullable": lambda records: pd.DataFrame(records).convert_dtypes(),
    "number_frame_of_mixed_widths": lambda records: pd.DataFrame(records).astype({0: np.float32, 1: np.float64}),
    **{f"number_{kind.__name__}": lambda records, kind=kind: kind(np.array(records, dtype=float))
       for kind in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.lil_matrix, sp.dok_matrix, sp.bsr_matrix,
                    sp.dia_matrix, sp.csr_array, sp.coo_array)},
    "number_coo_with_duplicates": _coo_with_duplicates, "number_csr_of_one_unsorted_row": _csr_of_one_unsorted_row}

# ---------------------------------------------------------------- what is refused whatever it holds

UNTAKEN = {}
FINE = np.int8(3)  # where a record has it, its dates have a finer unit, and by NumPy's rule all others too


def _dates(kind, unit, wrap):
    def build(records):
        fine = "ps" if unit == "ns" else "ns"
        return wrap(np.array([[kind(int(v), fine if v is FINE else unit) for v in r] for r in records]))

    return build


def _columns(how):
    return lambda X: pd.DataFrame({NAMES[j]: how(pd.Series(X[:, j])) for j in range(X.shape[1])})


for _unit in ("ns", "us", "ms", "s", "D"):
    for _kind in (np.datetime64, np.timedelta64):
        for _name, _wrap in {**ORDERS, "lists": lambda X: [list(r) for r in X], "objects": lambda X: _object_array(X)}.items():
            UNTAKEN[f"{_name} {_kind.__name__}[{_unit}]"] = _dates(_kind, _unit, _wrap)
    for _name, _wrap in {"UTC": lambda s: s.dt.tz_localize("UTC"), "Europe/Berlin": lambda s: s.dt.tz_localize("Europe/Berlin"),
                         "periods": lambda s: s.dt.to_period("D"), "objects": lambda s: s.astype(object),
                         "intervals": lambda s: pd.arrays.IntervalArray.from_arrays(s, s)}.items():
        UNTAKEN[f"frame of {_name} [{_unit}]"] = _dates(np.datetime64, _unit, _columns(_wrap))
for _name, _dtype in {"fields": "f8,f8", "complex": "complex128", "raw": "V8"}.items():
    UNTAKEN[_name] = lambda records, dtype=_dtype: np.array([[float(v) for v in r] for r in records]).astype(dtype)


# ---------------------------------------------------------------- public methods

_fitted, _real = {}, c.call


def _model(kind=dperm.LogisticRegression, **how):
    key = repr((kind, how))
    if key not in _fitted:
        plain = [[1.0, 1, True, "nurse"], [2.0, 2, False, "judge"]] if "schema" in how else [[1.0, 2.0], [2.0, 1.0]]
        y = [1, 7.5] if kind is dperm.Regressor else ["no", "yes"] if "schema" in how else how["classes"][:2]
        inner, c.call = c.call, _real
        _fitted[key] = kind(1.0, lambda_=0.5, **how).fit(plain * 10, y * 10)
        c.call = inner
    return _fitted[key]


def ways(**how):
    """Public methods that take labelled records, and three that take them bare."""
    base = dperm.LogisticRegression(1.0, **how)
    return {"fit": base.fit,
            "tune": dperm.PrivateTuner(base, {"lambda_": [0.1, 0.2]}).fit,
            "sweep": lambda X, y: dperm.sweep(base, {"lambda_": [0.1, 0.2]}, X, y),
            "score_private": lambda X, y: _model(**how).score_private(X, y, epsilon=1.0),
            "evaluate_exact": lambda X, y: _model(**how).evaluate_exact(X, y),
            "evaluate_private": lambda X, y: _model(**how).evaluate_private(X, y, epsilon=1.0),
            "score": lambda X, y: _model(**how).score(X, y),
            "predict": lambda X, y: _model(**how).predict(X),
            "decision_function": lambda X, y: _model(**how).decision_function(X),
            "predict_proba": lambda X, y: _model(**how).predict_proba(X)}


def ways_of_numbers(**how):
    """The same of a regression, whose schema is the one with a number for its label."""
    how = {"schema": {**SCHEMA, "label": {"column": "ill", "type": "numeric", "min": RANGE[0], "max": RANGE[1]}}} \
        if "schema" in how else {"label_range": RANGE, **how}
    return {"fit": dperm.Regressor(1.0, **how).fit,
            "evaluate_exact": lambda X, y: _model(dperm.Regressor, **how).evaluate_exact(X, y),
            "score": lambda X, y: _model(dperm.Regressor, **how).score(X, y),
            "predict": lambda X, y: _model(dperm.Regressor, **how).predict(X)}


@contextlib.contextmanager
def planted(module, name, defect):
    """A defect put back, for a while."""
    before = getattr(module, name)
    setattr(module, name, defect)
    try:
        yield
    finally:
        setattr(module, name, before)
