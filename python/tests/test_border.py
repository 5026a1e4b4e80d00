"""The border between Python and C: every argument, every member, every length that goes with another.

The tables of ``_library.py`` are walked: whatever ctypes would take on trust (numbers modulo 2**64, texts up
to a NUL, addresses) is refused before C is reached, in every function at every place.
"""

import ctypes
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import dperm
from checks import refused
from dperm import _library as c
from dperm import border

SOURCES = sorted((pathlib.Path(c.__file__).parent).glob("*.py"))


class Stub:
    """Stands in for a handle of a kind; nothing may follow its pointer."""

    def __init__(self, kind, pointer=1):
        self.kind, self.pointer, self._as_parameter_ = kind, pointer, ctypes.c_void_p(pointer)


# What an argument of a kind may be, and what it must not be; None too, if it is not optional.
KINDS = {border.Whole: lambda kind: (0, [kind.most + 1, kind.least - 1, 2**64 + 1, 10**5000, 1.0, "1", None]),
         border.Flag: lambda kind: (False, [0, 1, "yes", None]),
         border.Number: lambda kind: (1.0, ["1", True, None, 10**400, 1j]),
         border.Text: lambda kind: ("text", ["a\0b", b"a\0b", "\udfff" if kind.convert is border.text else 3, 5, 1.5]),
         border.Bytes: lambda kind: (b"", ["text", 7]),
         border.ArrayOf: lambda kind: (border.Array(np.zeros(0, kind.dtype), kind.dtype),
                                       [12345, np.zeros(3, kind.dtype), border.Array(np.zeros(3, "f4"), "f4"), [0.0]]),
         border.Buffer: lambda kind: (ctypes.create_string_buffer(65), [b"abc", 12345, None]),
         border.Owned: lambda kind: (Stub(kind.kind), [12345, Stub("other"), Stub(kind.kind, None), "x"]),
         border.Columns: lambda kind: (border.Columns([]), [12345, [1.0], (border.Column * 1)()]),
         border.AnyStruct: lambda kind: (border.Column(), [12345, None, ctypes.c_int()])}


def right_and_wrong(kind):
    pointers = lambda kind: (None, ["x", 1.5])  # to structs, callbacks: ctypes' own
    right, wrong = KINDS.get(kind if isinstance(kind, type) else type(kind), pointers)(kind)
    return right, wrong + [None] * (not getattr(kind, "optional", True))


def wrong_calls(kinds):
    """Arguments of which one is wrong: its place, and all of them."""
    for at, kind in enumerate(kinds):
        for value in right_and_wrong(kind)[1]:
            arguments = [right_and_wrong(k)[0] for k in kinds]
            arguments[at] = value
            yield at, arguments


def test_nothing_in_the_tables_is_taken_on_trust():
    """Every kind that Python's values come as is one of the border's."""
    trusted = {ctypes.c_size_t, ctypes.c_uint64, ctypes.c_int, ctypes.c_uint, ctypes.c_bool, ctypes.c_double,
               ctypes.c_char_p}
    for name, kinds in list(c._FALLIBLE.items()) + [(n, kinds) for n, (_, kinds) in c._PLAIN.items()]:
        assert not trusted & {k for k in kinds if isinstance(k, type)}, name
        if ctypes.c_void_p in kinds:  # a context, which is None; what is given back
            assert name.endswith("_free") or any(isinstance(k, type) and issubclass(k, ctypes._CFuncPtr) for k in kinds)


@pytest.mark.parametrize("name", c._FALLIBLE)
def test_every_argument_of_every_function_is_checked(name, monkeypatch):
    kinds = c._FALLIBLE[name]

    class Nobody:
        def __getattr__(self, function):
            raise AssertionError(f"{function} was reached")

    monkeypatch.setattr(c, "lib", Nobody())
    for _, arguments in wrong_calls(kinds):
        refused((ValueError, TypeError), "", c.call, name, *arguments)
    refused(TypeError, "", c.call, name, *[right_and_wrong(k)[0] for k in kinds[1:]])


@pytest.mark.parametrize("name", [n for n, (_, kinds) in c._PLAIN.items() if kinds and not n.endswith("_free")])
def test_every_argument_of_functions_that_cannot_fail_too(name):
    kinds = c._PLAIN[name][1]
    for at, arguments in wrong_calls(kinds):
        with pytest.raises((ctypes.ArgumentError, ValueError, TypeError)):
            if not any(isinstance(k, border.Owned) for k in kinds) or at == 0:
                getattr(c.lib, name)(*arguments)
            else:
                kinds[at].from_param(arguments[at])  # the handle is none: not to be reached


def test_the_package_calls_nothing_else():
    """All names in the sources are in the tables, and nobody takes an address but the border."""
    for path in SOURCES:
        text = path.read_text()
        for name in re.findall(r'(?:call|Handle|verification|text_from|_remarked)\(\s*"(dperm_\w+)"', text):
            assert name in c._FALLIBLE, (path.name, name)
        for name in re.findall(r"\blib\.(dperm_\w+)", text):
            assert name in c._PLAIN, (path.name, name)
        if path.name not in ("border.py",):
            assert ".ctypes.data" not in text and "addressof" not in text and ".data_as(" not in text, path.name
    assert set(c._FALLIBLE) & set(c._PLAIN) == set()


def test_every_function_with_memory_knows_its_length():
    for name, kinds in c._FALLIBLE.items():
        lengths = any(isinstance(k, (border.ArrayOf, border.Buffer, border.Bytes)) or k is border.Columns for k in kinds)
        assert not lengths or name in border.TOGETHER, name


def structs():
    found, todo = [], [border.Struct]
    while todo:
        kinds = todo.pop().__subclasses__()
        found, todo = found + kinds, todo + kinds
    return found


@pytest.mark.parametrize("struct", structs(), ids=lambda s: s.__name__)
def test_every_member_of_every_struct_is_checked(struct):
    one = struct()
    for name, kind, *_ in struct._fields_:
        if kind in border.WHOLE_NUMBERS:
            least, most = border.WHOLE_NUMBERS[kind]
            wrong = [most + 1, least - 1, 2**64 + 1, 0.5, "1", None]
            setattr(one, name, most)
            assert getattr(one, name) == most
        elif kind is ctypes.c_bool:
            wrong = [0, 1, "yes", None]
        elif kind is ctypes.c_double:
            wrong = ["1", None, 10**400]
        elif kind is ctypes.c_char_p:
            wrong = ["a\0b", b"a\0b", "\udfff", 3]
            setattr(one, name, "text")
            assert getattr(one, name) == b"text"
        else:
            continue
        for value in wrong:
            refused((ValueError, TypeError), "", setattr, one, name, value)
            if kind not in border.WHOLE_NUMBERS:
                continue
            refused((ValueError, TypeError), "", struct, **{name: value})
    with pytest.raises(AttributeError):
        one.no_such_member = 1


def test_the_structs_are_all_of_the_border():
    plain = [n for n, v in vars(c).items() if isinstance(v, type) and issubclass(v, ctypes.Structure) and
             not issubclass(v, border.Struct) and v is not ctypes.Structure]
    assert plain == []


# ---------------------------------------------------------------- lengths that belong together


@pytest.fixture
def rows():
    return c.Handle("dperm_data_from_dense", "dperm_data_free", 3, 2, c.Array(np.ones((3, 2)), "f8"), None, 2.0)


def doubles(count):
    return c.Array(np.zeros(count), "f8")


def whole(values, dtype="i8"):
    return c.Array(np.array(values, dtype=dtype), dtype)


OUT = ctypes.byref(ctypes.c_void_p())
SHORT = {
    "X": ("dperm_data_from_dense", (3, 2, doubles(5), None, 1.0, OUT)),
    "far too many rows": ("dperm_data_from_dense", (2**40, 2**40, doubles(5), None, 1.0, OUT)),
    "labels": ("dperm_data_from_dense", (3, 2, doubles(6), doubles(2), 1.0, OUT)),
    "starts": ("dperm_data_from_csr", (3, 2, whole([0, 1, 2]), whole([0, 0], "i4"), doubles(2), None, 1.0, OUT)),
    "places": ("dperm_data_from_csr", (2, 2, whole([0, 1, 2]), whole([0], "i4"), doubles(2), None, 1.0, OUT)),
    "values": ("dperm_data_from_csr", (2, 2, whole([0, 1, 2]), whole([0, 0], "i4"), doubles(1), None, 1.0, OUT)),
    "negative start": ("dperm_data_from_csr", (1, 2, whole([-1, 1]), whole([0, 0], "i4"), doubles(2), None, 1.0, OUT)),
    "negative end": ("dperm_data_from_csr", (1, 2, whole([0, -1]), whole([0, 0], "i4"), doubles(2), None, 1.0, OUT)),
    "schema text": ("dperm_schema_parse", (b"{}", 3, "name", OUT)),
    "a struct's size": ("dperm_model_score_sized", (Stub("model"), Stub("data"), ctypes.byref(c.Metrics()),
                                                    ctypes.sizeof(c.Metrics) + 1)),
    "model text": ("dperm_statement_about", ("name", b"{}", 3, None, None, 0, None, False, OUT)),
    "text about a model": ("dperm_statement_about", ("name", b"{}", 2, "about", b"{}", 3, None, False, OUT)),
    "outcomes": ("dperm_audit_outcomes", (doubles(6), doubles(5), 3, 2, 1.0, 0.0, ctypes.byref(c.AuditFigures())))}


@pytest.mark.parametrize("case", SHORT)
def test_memory_shorter_than_its_length_is_refused(case):
    name, arguments = SHORT[case]
    refused(ValueError, "", c.call, name, *arguments)


def test_memory_shorter_than_the_data_is_refused(rows):
    with pytest.raises(ValueError, match="3 rows and 2 labels"):
        c.call("dperm_data_label", rows, whole([0, 1], "u4"), 2, c.texts(["a", "b"]))
    with pytest.raises(ValueError, match="3 classes and 2 names"):
        c.call("dperm_data_label", rows, whole([0, 1, 1], "u4"), 3, c.texts(["a", "b"]))
    refused(ValueError, "1 entries where 2", c.call, "dperm_data_row", rows, 0, doubles(1))
    model = dperm.LogisticRegression(1.0, data_norm=2, classes=[0, 1], fit_intercept=False).fit(
        np.ones((10, 2)), [0, 1] * 5).model_
    refused(ValueError, "2 entries where 3", c.call, "dperm_model_scores", model._handle, rows, doubles(2))
    options = (c.Options * 1)()
    refused(ValueError, "fewer options", c.call, "dperm_tune", rows, options, 2, ctypes.byref(c.TuneOptions()), OUT)
    with pytest.raises(ValueError, match="fewer options"):
        c.call("dperm_sweep", rows, options, 2, ctypes.byref(c.SweepOptions()), c.SweepVisitor(0), None)


def test_columns_of_another_length_are_refused():
    schema = dperm.Schema(SCHEMA)
    column = c.TableColumn(np.zeros(3))
    label = c.TableColumn(np.zeros(3, dtype=np.int32), ["no"])
    for columns, labels, count in (([column], [label], 4), ([], [label], 3), ([column], [label, label], 3),
                                   ([c.TableColumn(np.zeros(4))], [label], 3)):
        with pytest.raises(ValueError):
            c.call("dperm_data_from_table", schema._handle, count, c.Columns(columns), c.Columns(labels), OUT)
    for array in (np.zeros((3, 2)), np.zeros((3, 0)), np.zeros(3, dtype="f4"), np.zeros(3)[::-1]):
        refused(ValueError, "", c.TableColumn, array)


# ---------------------------------------------------------------- as users meet it

SCHEMA = {"label": {"column": "kind", "classes": ["no", "yes"]},
          "columns": [{"name": "a", "type": "numeric", "min": 0, "max": 1}]}
LABELS = np.array(["no", "yes"] * 10)


@pytest.mark.parametrize("shape", [(20, 2), (20, 0), (10, 2), (20, 1, 1), ()])
def test_labels_of_another_shape_are_refused(shape):
    X, y = pd.DataFrame({"a": np.linspace(0, 1, 20)}), np.resize(LABELS, shape)
    for how in (dict(schema=SCHEMA), dict(data_norm=1, classes=["no", "yes"])):
        clf = dperm.LogisticRegression(1.0, **how)
        refused((ValueError, TypeError), "", clf.fit, X, y)
        refused((ValueError, TypeError), "", clf.fit(X, LABELS).score_private, X, y, epsilon=1.0)


def test_two_columns_of_the_labels_name_are_refused():
    X = pd.DataFrame([[0.5, "no", "yes"], [0.2, "yes", "no"]], columns=["a", "kind", "kind"])
    refused(ValueError, "several columns 'kind'", dperm.LogisticRegression(1.0, schema=SCHEMA).fit, X)


class Frame:
    """A table of somebody else's, whose columns are as long as they like."""

    columns, dtypes, shape = ["a"], [float], (20, 1)

    def __len__(self):
        return 20

    def __getitem__(self, name):
        return np.zeros(3)


def test_a_table_whose_columns_are_shorter_than_itself_is_refused():
    with pytest.raises(ValueError, match="3 values, and the table 20 rows"):
        dperm.LogisticRegression(1.0, schema=SCHEMA).fit(Frame(), LABELS)


def broken(kind, change):
    X = kind(np.eye(20))
    change(X)
    return X


def canonical(X):
    X.has_sorted_indices = X.has_canonical_format = True


def set_(**members):
    def change(X):
        for name, made in members.items():
            setattr(X, name, made(getattr(X, name)))
    return change


def first(count):
    return lambda array: array[:count].copy()


def put(place, value):
    def made(array):
        array = array.copy()
        array[place] = value
        return array
    return made


BROKEN = {"data": set_(data=first(5)), "indices": set_(indices=first(5)), "indptr": set_(indptr=first(3)),
          "negative": set_(indptr=put(0, -5)), "beyond": set_(indptr=put(-1, 10**6)),
          "backwards": set_(indptr=put(3, 15)), "place": set_(indices=put(2, 10**6)),
          "negative place": set_(indices=put(2, -1))}


@pytest.mark.parametrize("claim", [lambda X: None, canonical], ids=["plain", "canonical"])
@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_matrix, sp.csr_array])
@pytest.mark.parametrize("case", BROKEN)
def test_a_sparse_matrix_that_is_none_is_refused_before_anybody_reads_it(case, kind, claim):
    def change(X):
        BROKEN[case](X)
        claim(X)

    clf = dperm.LogisticRegression(1.0, data_norm=1, classes=["no", "yes"])
    fitted = dperm.LogisticRegression(1.0, data_norm=1, classes=["no", "yes"]).fit(np.eye(20), LABELS)
    for go in (lambda X: clf.fit(X, LABELS), fitted.decision_function, lambda X: fitted.score_private(X, LABELS, 1.0)):
        refused(ValueError, "no sound sparse matrix", go, broken(kind, change))


def test_other_sparse_formats_that_are_none():
    clf = dperm.LogisticRegression(1.0, data_norm=1, classes=["no", "yes"])
    for kind, change in ((sp.coo_matrix, set_(row=first(5))), (sp.coo_matrix, set_(row=put(0, 99))),
                         (sp.coo_matrix, set_(col=put(0, -1))), (sp.lil_matrix, set_(rows=put(0, [1, 2, 3])))):
        try:
            X = broken(kind, change)
        except ValueError:  # SciPy's newer versions check by themselves
            continue
        refused(ValueError, "no sound sparse matrix", clf.fit, X, LABELS)


TOO_LARGE = {"rows_per_person": lambda v: fitted_with(rows_per_person=v),
             "n_jobs": lambda v: fitted_with(n_jobs=v),
             "random_state": lambda v: fitted_with(random_state=v),
             "n_components": lambda v: dperm.KernelSVC(1.0, data_norm=1, classes=["no", "yes"], n_components=v).fit(
                 np.eye(20), LABELS),
             "score_private": lambda v: fitted_with().score_private(np.eye(20), LABELS, 1.0, rows_per_person=v),
             "rows": lambda v: dperm.plan(v, dims=3, epsilon=1.0),
             "dims": lambda v: dperm.plan(1000, dims=v, epsilon=1.0),
             "classes": lambda v: dperm.plan(1000, dims=3, classes=v, epsilon=1.0),
             "draws": lambda v: dperm.audit(draws=v, random_state=1),
             "seed": lambda v: dperm.audit(draws=100, random_state=v),
             "folds": lambda v: dperm.sweep(fitted_with(), {"lambda_": [0.1]}, np.eye(20), LABELS, folds=v, draws=2),
             "sweep draws": lambda v: dperm.sweep(fitted_with(), {"lambda_": [0.1]}, np.eye(20), LABELS, draws=v),
             "sweep seed": lambda v: dperm.sweep(fitted_with(), {"lambda_": [0.1]}, np.eye(20), LABELS, folds=2,
                                                 draws=2, random_state=v)}


def fitted_with(**settings):
    return dperm.LogisticRegression(1.0, data_norm=1, classes=["no", "yes"], **settings).fit(np.eye(20), LABELS)


@pytest.mark.parametrize("value", [2**64 + 1, 2**64 + 2, 2**32 + 2, -(2**64) + 2, 10**400])
@pytest.mark.parametrize("name", TOO_LARGE)
@pytest.mark.filterwarnings("ignore")
def test_a_number_that_would_wrap_around_is_refused(name, value):
    if value == 2**32 + 2 and name != "n_jobs":
        return  # a number like others, there
    refused(ValueError, "must be", TOO_LARGE[name], value)


def test_a_ledger_takes_no_number_that_wraps_around(tmp_path):
    refused(ValueError, "rows_per_person", dperm.Ledger.create, tmp_path / "l", "people", 1, rows_per_person=2**64 + 1)
    assert list(tmp_path.iterdir()) == []


def test_paths_and_names_with_nul_are_refused_and_write_nothing(tmp_path):
    model, cut = fitted_with(), str(tmp_path / "file") + "\0more"
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 1)
    schema = dperm.Schema(SCHEMA)
    charged = dict(data_norm=1, classes=["no", "yes"], ledger=ledger)
    for go in (lambda: model.save(cut), lambda: dperm.load(cut), lambda: schema.save(cut), lambda: dperm.Schema(cut),
               lambda: dperm.Schema.draft(cut), lambda: dperm.Ledger(cut), lambda: dperm.Ledger.create(cut, "a", 1),
               lambda: dperm.Ledger.create(tmp_path / "m", "peo\0ple", 1), lambda: ledger.entries("people\0x"),
               lambda: dperm.Ledger.create(tmp_path / "m", "people", "1\0"), lambda: ledger.verify("12\0"),
               lambda: dperm.LogisticRegression(1.0, dataset="people\0x", **charged).fit(np.eye(20), LABELS),
               lambda: model.score_private(np.eye(20), LABELS, 1.0, ledger=ledger, dataset="people\0x"),
               lambda: dperm.audit("objective\0x"), lambda: dperm.audit("objective", "huber\0x"),
               lambda: dperm.Schema.draft(tmp_path / "l", label="a\0"),
               lambda: dperm.Schema.from_dictionary(cut, label="a"),
               lambda: dperm.Schema.from_dictionary({}, label="a\0"),
               lambda: dperm.Schema.from_dictionary({}, label="a", positive=["b\0"]),
               lambda: dperm.LogisticRegression(1.0, data_norm=1, classes=["no\0a", "yes"]).fit(np.eye(20), LABELS),
               lambda: dperm.sweep(model, {"lambda_": [0.1]}, np.eye(20), LABELS, folds=2, draws=2, journal=cut)):
        refused(ValueError, "", go)
    assert [p.name for p in tmp_path.iterdir()] == ["l.ledger"]
    assert ledger.left("people") == "1" and not ledger.entries()


def test_paths_may_be_bytes_and_names_of_any_file_system(tmp_path):
    import os

    model, name = fitted_with(), os.fsencode(tmp_path) + b"/m\xff.json"
    model.save(name)
    assert os.path.exists(name) and dperm.load(name).classes_.tolist() == ["no", "yes"]
    dperm.load(os.fsdecode(name))


def test_cells_of_a_sweep_hold_numbers_and_no_address(tmp_path):
    """What C showed is gone when the sweep is done, so it was copied."""
    found = dperm.sweep(fitted_with(), {"epsilon": [1.0, 20.0]}, np.eye(20), LABELS, folds=2, draws=3)
    for cell in found:
        assert len(cell["errors"]) == cell["runs"] == 6 and all(type(e) is int and 0 <= e <= 10 for e in cell["errors"])
        assert sum(cell["errors"]) / 60 == pytest.approx(cell["error_mean"])
        assert all(isinstance(v, (int, float, str, list, type(None))) for v in cell.values())
    assert c.fields(c.SweepCell(errors=ctypes.pointer(ctypes.c_uint64(3)))).keys() & {"errors"} == set()


def test_a_closed_handle_is_no_null(tmp_path):
    ledger = dperm.Ledger.create(tmp_path / "l.ledger", "people", 1)
    ledger._handle.close()
    refused(ValueError, "open handle", ledger.entries)
    with pytest.raises(ValueError):
        dperm.LogisticRegression(1.0, data_norm=1, classes=["no", "yes"], ledger=ledger, dataset="people").fit(
            np.eye(20), LABELS)


def test_every_text_that_the_library_makes_is_given_back(monkeypatch):
    texts = {name for name, kinds in c._FALLIBLE.items() if re.search("_describe$|_to_text$|_report$|_statement(_about)?$", name)}
    inner, given_back, called, freed = c.call, c.lib.dperm_text_free, [], []
    monkeypatch.setattr(c, "call", lambda name, *rest: (called.append(name), inner(name, *rest)))
    monkeypatch.setattr(c.lib, "dperm_text_free", lambda made: (freed.append(made.value), given_back(made)))
    model, schema = fitted_with(), dperm.Schema(SCHEMA)
    for go in (model.privacy_.statement, model.privacy_.verify, lambda: model.coef_, schema.to_dict, lambda: schema.dims,
               lambda: dperm.plan(1000, schema=schema, epsilon=1.0)):
        go()
    monkeypatch.setattr(c.Interruptible, "__exit__", lambda *_: signal.default_int_handler(signal.SIGINT, None))
    with pytest.raises(KeyboardInterrupt):  # which came too late to stop the fit
        fitted_with()
    assert texts <= set(called) and all(freed)
    assert len(freed) == sum(name in texts or name == "dperm_train" for name in called)


def test_nothing_needs_a_temporary_file(tmp_path, monkeypatch):
    ledger, rows = dperm.Ledger.create(tmp_path / "l.ledger", "people", 1), pd.DataFrame({"a": [0.0, 1.0] * 10, "kind": LABELS})
    rows.to_csv(tmp_path / "p.csv", index=False)
    dictionary = {"fields": [{"name": "a", "type": "boolean"}]}
    (tmp_path / "d.json").write_text(str(dictionary).replace("'", '"'))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    clf = dperm.LogisticRegression(1.0, schema=SCHEMA, ledger=ledger, dataset="people").fit(rows)
    assert clf.privacy_.verify()[0] and clf.privacy_.verify(ledger)[0]
    assert "model.json" in clf.privacy_.statement() and "people" in clf.privacy_.statement(ledger, html=True)
    pickle.loads(pickle.dumps(clf))
    dperm.Schema.draft(tmp_path / "p.csv", label="kind").save(tmp_path / "s.json")
    assert dperm.Schema(tmp_path / "s.json").classes == ["no", "yes"]
    assert dperm.Schema.from_dictionary(tmp_path / "d.json", label="a").classes
    assert dperm.Schema.draft(rows, label="kind").classes == ["no", "yes"]
    assert dperm.Schema.from_dictionary(dictionary, label="a").classes
    refused(ValueError, "^dictionary:1", dperm.Schema.from_dictionary, {"fields": []}, label="a")


def test_the_sources_compile_without_warnings():
    done = subprocess.run([sys.executable, "-W", "error", "-c", "import dperm"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
