"""The inputs of input_paths.py for Arrow's tables: by hand always, by polars and pyarrow where they are installed."""

import importlib.util

import capsules
import numpy as np
from dperm.spark import _Batches
from input_paths import NAMES, ROWS, TABLES, UNTAKEN, YS

HAVE = {name: importlib.util.find_spec(name) is not None for name in ("polars", "pyarrow")}


def columns_of(records, kind=None, names=NAMES):
    """Each column of the kind that its values have, texts of this one."""
    found = []
    for j, name in enumerate(names):
        values = [r[j] for r in records]
        own = capsules.kind_of(values)
        found.append((name, kind if kind and own == "string" else own, values))
    return found


def _texts(records):
    return [[None if v is None else str(v) for v in r] for r in records]


def dictionaries(records, order):
    """Every column as places in a dictionary of its values, in an order that depends on all of them."""
    found = []
    for name, kind, values in columns_of(records):
        entries = order(dict.fromkeys(v for v in values if v is not None))
        found.append((name, ("dictionary", "int8", kind, entries) if kind != "null" else kind, values))
    return capsules.Table(found)


TABLES.update({
    "capsule_as_inferred": lambda records: capsules.Table(columns_of(records)),
    "capsule_in_batches": lambda records: capsules.Table(columns_of(records, "large_string"), batch=2, pad=3),
    "capsule_without_a_stream": lambda records: capsules.Batch(columns_of(records, "string_view")),
    **{f"capsule_of_{kind}": lambda records, kind=kind: capsules.Table(columns_of(_texts(records), kind), batch=4, pad=1)
       for kind in ("string", "large_string", "string_view")},
    "capsule_of_dictionaries": lambda records: dictionaries(records, list),
    "capsule_of_sorted_dictionaries": lambda records: dictionaries(records, lambda some: sorted(some, reverse=True)),
    "capsule_of_text_dictionaries": lambda records: dictionaries(
        _texts(records), lambda some: ["nobody's", "judge\0", *some, "nurse"])})
ROWS["number_capsule"] = lambda records: capsules.Table(columns_of(records, names=["a", "b"]), batch=2, pad=1)


# polars and pyarrow decide the type of a column by all of its values, and change the others' (True beside a text
# is "true", beside a number 1). That is done before a table comes here, and its users declare the types.


def _typed(records):
    """Whole ages as floats, which both libraries take from floats only."""
    return [[float(r[0]) if type(r[0]) is int and abs(r[0]) < 10**300 else r[0]] + list(r[1:]) for r in records]


if HAVE["polars"]:
    import polars as pl

    POLARS = {"age": pl.Float64, "code": pl.Int64, "smoker": pl.Boolean, "job": pl.String}

    def _by_polars(make, values, **how):
        """Its panics are no exceptions of Python's; of huge numbers it dies."""
        if any(isinstance(v, int) and abs(v) > 10**40 for r in values for v in (r if isinstance(r, list) else [r])):
            raise TypeError("polars makes none")
        try:
            return make(values, **how)
        except BaseException as problem:
            raise TypeError("polars makes none") from problem

    def _polars_frame(records, **how):
        return _by_polars(pl.DataFrame, _typed(records), schema=POLARS, orient="row", **how)

    def _polars_categories(records):
        made = pl.DataFrame(_texts(records), schema={n: pl.String for n in NAMES}, orient="row")
        return made.with_columns(pl.col("job").cast(pl.Categorical), pl.col("smoker").cast(pl.Categorical))

    TABLES.update({
        "polars_frame": _polars_frame,
        "polars_loose_frame": lambda records: _polars_frame(records, strict=False),  # values of another type are null
        "polars_categories": _polars_categories,
        "polars_put_together": lambda records: pl.concat(
            [_polars_frame(records[i:i + 3]) for i in range(0, len(records), 3)], rechunk=False)})
    ROWS["number_polars"] = lambda records: _by_polars(
        pl.DataFrame, records, schema={"a": pl.Float64, "b": pl.Float64}, orient="row")

    def _polars_dates(records, unit, zone):
        made = pl.DataFrame({NAMES[j]: [int(r[j]) for r in records] for j in range(len(records[0]))})
        return made.select(pl.all().cast(pl.Datetime(unit, zone)))

    for _unit in ("ns", "us", "ms"):
        for _zone in (None, "UTC", "Europe/Berlin"):
            UNTAKEN[f"polars {_unit} {_zone}"] = lambda records, u=_unit, z=_zone: _polars_dates(records, u, z)

    YS["polars"] = lambda y: _by_polars(pl.Series, y, strict=True)

if HAVE["pyarrow"]:
    import pyarrow as pa

    ARROW = {"age": pa.float64(), "code": pa.int64(), "smoker": pa.bool_(), "job": pa.string()}

    def _by_pyarrow(records):
        return {n: pa.array([r[j] for r in _typed(records)], kind) for j, (n, kind) in enumerate(ARROW.items())}

    def _moved(records):
        frames, table = _Batches(), pa.table(_by_pyarrow(records))
        pieces = [frames.unpack(frames.pack(frames.cut(batch, i, min(i + 2, len(batch)))))
                  for batch in table.to_batches(max_chunksize=4) for i in range(0, len(batch), 2)]
        return frames.joined(pieces, table)

    TABLES.update({
        "arrow_that_moved": _moved,  # from workers who had a few records each
        "arrow_table": lambda records: pa.table(_by_pyarrow(records)),
        "arrow_batch": lambda records: pa.RecordBatch.from_pydict(_by_pyarrow([records[0]] + records)).slice(1),
        "arrow_dictionaries": lambda records: pa.table(
            {n: values.dictionary_encode() for n, values in _by_pyarrow(records).items()}),
        "arrow_dictionaries_of_each_chunk": lambda records: pa.concat_tables(
            [pa.table({n: values.dictionary_encode() for n, values in _by_pyarrow(records[i:i + 3]).items()})
             for i in range(0, len(records), 3)]),
        "arrow_views": lambda records: pa.table(
            {n: pa.array([r[j] for r in _texts(records)], pa.string_view()) for j, n in enumerate(NAMES)})})
    ROWS["number_arrow"] = lambda records: pa.table(
        {n: pa.array([float(r[j]) for r in records], pa.float64()) for j, n in enumerate("ab")})

    def _arrow_dates(records, kind):
        return pa.table({NAMES[j]: pa.array([int(r[j]) for r in records], kind) for j in range(len(records[0]))})

    for _kind in [pa.duration("us"), pa.date32(), pa.decimal128(5, 2)] + \
            [pa.timestamp(unit, zone) for unit in ("ns", "us", "ms", "s") for zone in (None, "UTC")]:
        UNTAKEN[f"arrow {_kind}"] = lambda records, kind=_kind: _arrow_dates(records, kind)

    class _Own(pa.ExtensionType):
        """Whole numbers that somebody means something else by."""

        def __init__(self):
            super().__init__(pa.int64(), "dperm.tests.own")

        def __arrow_ext_serialize__(self):
            return b""

        @classmethod
        def __arrow_ext_deserialize__(cls, storage, serialized):
            return cls()

    UNTAKEN["arrow extension"] = lambda records: pa.table(
        {NAMES[j]: pa.ExtensionArray.from_storage(_Own(), pa.array([int(r[j]) for r in records])) for j in range(len(records[0]))})

    YS["arrow"] = pa.array


YS["capsule"] = lambda y: capsules.Column(capsules.kind_of(y), y, batch=4)
YS["capsule of a dictionary"] = lambda y: capsules.Column(
    ("dictionary", "uint8", capsules.kind_of(y), list(dict.fromkeys(y))), y)


def _truths_by_one(y):
    """As polars before 2 made a column: one NumPy truth among the values, and all of them are truths."""
    if any(isinstance(v, np.bool_) for v in y):
        return capsules.Column("bool", [bool(v) for v in y])
    return YS["capsule"](y)


YS["capsule of truths"] = _truths_by_one
