"""The C library, and nothing else: where it is, its functions, how it fails.

Everything in this package that computes, computes in C; this is the only file that knows how the
two sides meet, with the structs of ``_structs.py``, and ``border.py`` checks what passes.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import re
import signal
import sys
import threading
from ctypes import (POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint64,
                    c_void_p, create_string_buffer, sizeof)
from functools import cached_property
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from .border import (TOGETHER, AnyStruct, Array, ArrayOf, Buffer, Bytes, Column, Columns, Flag, Number, Owned, TableColumn,
                     Text, Whole, path, texts)
from ._structs import (Account, Arrow, AuditFigures, AuditOptions, ClassWeight, Collective, ColumnCounts,
                        DatasetVisitor, DIGEST_SIZE, DraftOptions, EntryVisitor, Error, ImportOptions, Kernel,
                        LedgerBudget, LedgerDataset, LedgerEntry, Loss, Metrics, Options, PlanRows, PrivateScore,
                        Progress, Receive, Regularizer, Remark, ScoreOptions, Send, Source, SweepCell, SweepOptions,
                        SweepVisitor, Tick, TuneOptions, VerifyLine)
from .errors import error_for

__all__ = ["lib", "call", "Handle", "texts", "text", "path", "fields", "Array", "Arrow", "Column", "Columns", "Source", "TableColumn"]

SONAME = "libdperm.so.0"
HOW_TO_INSTALL = """the C library of dperm ({name}) could not be loaded. Either
  - install this package with its own copy: run "pip install ." in dperm's source folder, or
  - install the library itself: "make install" there (or PREFIX=... make install), and let the
    system find it with ldconfig or LD_LIBRARY_PATH, or
  - name the file: DPERM_LIBRARY=/path/to/{name}
({tried})"""


def _candidates() -> Iterable[str]:
    named = os.environ.get("DPERM_LIBRARY")
    if named:
        return [named]
    # Beside this file; or, after `pip install -e`, in another folder of the package.
    folders = [Path(__file__).resolve().parent, *map(Path, getattr(sys.modules[__package__], "__path__", ()))]
    own = [str(folder / name) for folder in dict.fromkeys(folders)
           for name in (SONAME, "libdperm.so", "libdperm.dylib") if (folder / name).exists()]
    found = ctypes.util.find_library("dperm")
    return own + [SONAME] + ([found] if found else [])


def _missing(file: str, problem: str) -> Optional[str]:
    """What a libdperm that is there lacks, if that is the problem: another library, or a newer C library."""
    lacks = re.match(r"(?:Error loading shared library )?([^:]+): (?:cannot open shared object file|No such file)", problem)
    name = lacks.group(1) if lacks else file
    if name not in (file, os.path.basename(file)):  # glibc's loader says it the first way, musl's the second
        return f"{name} is missing: dperm's C library needs it, and the system's loader does not find it; install it. "
    version = re.search(r"version [`'](GLIBC_[0-9.]+)' not found", problem)
    if version:
        return f"{version.group(1)} is missing: dperm's C library was built for a newer system; build it here. "
    return None


def _load() -> ctypes.CDLL:
    tried, missing = [], []
    for file in _candidates():
        try:
            return ctypes.CDLL(file)
        except OSError as problem:
            tried.append(str(problem))
            missing.append(_missing(file, str(problem)) or "")
    first = next(filter(None, missing), "")
    raise ImportError(first + HOW_TO_INSTALL.format(name=SONAME, tried="; ".join(tried)))


lib = _load()  # CDLL, not PyDLL: every call releases the interpreter's lock

# ---------------------------------------------------------------- functions of dperm.h

_OUT = POINTER(c_void_p)
_SIZE, _UINT64, _UINT, _INT = Whole(c_size_t), Whole(c_uint64), Whole(c_uint), Whole(c_int)
_TEXT, _NO_TEXT, _PATH, _NUMBER, _BUFFER = Text(), Text(optional=True), Text(path), Number(), Buffer()
_DOUBLES, _NO_DOUBLES = ArrayOf("f8"), ArrayOf("f8", optional=True)
_SCHEMA, _DATA, _MODEL, _LEDGER = (Owned(kind) for kind in ("schema", "data", "model", "ledger"))
_NO_LEDGER, _RANKS = Owned("ledger", optional=True), Owned("ranks")
_FILE = [_PATH, Bytes(optional=True), _SIZE]  # a file's name; its bytes, unless the library reads it, and their number
# Those that fail: arguments without the error at the end.
_FALLIBLE: Dict[str, List[Any]] = {
    "dperm_schema_read": [_PATH, _OUT], "dperm_schema_parse": [Bytes(), _SIZE, _TEXT, _OUT],
    "dperm_schema_describe": [_SCHEMA, _OUT], "dperm_schema_to_text": [_SCHEMA, _OUT, POINTER(c_size_t)],
    "dperm_schema_write": [_SCHEMA, _PATH],
    "dperm_schema_draft": [*_FILE, POINTER(DraftOptions), POINTER(Progress), Remark, c_void_p, _OUT],
    "dperm_schema_import": [*_FILE, POINTER(ImportOptions), Remark, c_void_p, _OUT],
    "dperm_data_read": [POINTER(Source), POINTER(Progress), _OUT],
    "dperm_data_from_dense": [_SIZE, _SIZE, _DOUBLES, _NO_DOUBLES, _NUMBER, _OUT],
    "dperm_data_from_csr": [_SIZE, _SIZE, ArrayOf("i8"), ArrayOf("i4"), _DOUBLES, _NO_DOUBLES, _NUMBER, _OUT],
    "dperm_data_from_table": [_SCHEMA, _SIZE, Columns, Columns, _OUT],
    "dperm_data_add_intercept": [_DATA, _NUMBER],
    "dperm_data_label": [_DATA, ArrayOf("u4"), _SIZE, POINTER(c_char_p)],
    "dperm_data_target": [_DATA, _DOUBLES, _NUMBER, _NUMBER],
    "dperm_data_taken": [_DATA, _UINT],
    "dperm_data_row": [_DATA, _SIZE, _DOUBLES],
    "dperm_data_spread": [_DATA, _RANKS], "dperm_ranks_of": [POINTER(Collective), _OUT], "dperm_ranks_agree": [_RANKS, _INT],
    "dperm_unsafe_data_counts": [_DATA, _SIZE, POINTER(ColumnCounts)],
    "dperm_loss_by_name": [_TEXT, _NUMBER, POINTER(Loss)], "dperm_loss_quantile": [_NUMBER, _NUMBER, POINTER(Loss)],
    "dperm_random_seeded": [_UINT64, _OUT],
    "dperm_train": [_DATA, POINTER(Options), _OUT],
    "dperm_tune": [_DATA, POINTER(Options), _SIZE, POINTER(TuneOptions), _OUT],
    "dperm_plan_report": [POINTER(PlanRows), POINTER(Options), _OUT],
    "dperm_model_write": [_MODEL, _PATH], "dperm_model_read": [_PATH, _OUT],
    "dperm_model_to_text": [_MODEL, _OUT, POINTER(c_size_t)], "dperm_model_parse": [Bytes(), _SIZE, _TEXT, _OUT],
    "dperm_model_describe": [_MODEL, _OUT], "dperm_model_explain": [_MODEL, _OUT],
    "dperm_model_scores": [_MODEL, _DATA, _DOUBLES], "dperm_model_values": [_MODEL, _DATA, _DOUBLES],
    "dperm_model_probabilities": [_MODEL, _DATA, _DOUBLES],
    "dperm_model_verify": [*_FILE, _NO_LEDGER, VerifyLine, c_void_p, POINTER(c_bool)],
    "dperm_model_score_sized": [_MODEL, _DATA, POINTER(Metrics), _SIZE],
    "dperm_model_score_private_sized": [_MODEL, _DATA, POINTER(ScoreOptions), POINTER(PrivateScore), _SIZE],
    "dperm_evaluate": [_MODEL, _DATA, _OUT],
    "dperm_evaluate_private": [_MODEL, _DATA, POINTER(ScoreOptions), _OUT],
    "dperm_statement_about": [*_FILE, Text(path, optional=True), Bytes(optional=True), _SIZE, _NO_LEDGER, Flag(), _OUT],
    "dperm_ledger_create": [_PATH, _TEXT, POINTER(LedgerBudget)],
    "dperm_ledger_open": [_PATH, _OUT],
    "dperm_ledger_datasets": [_LEDGER, DatasetVisitor, c_void_p],
    "dperm_ledger_entries": [_LEDGER, _NO_TEXT, EntryVisitor, c_void_p],
    "dperm_ledger_head": [_LEDGER, POINTER(c_uint64), _BUFFER],
    "dperm_ledger_refuse_data": [_LEDGER, _DATA], "dperm_ledger_refuse_file": [_LEDGER, _PATH],
    "dperm_ledger_verify": [_LEDGER, _NO_TEXT, VerifyLine, c_void_p, POINTER(c_bool)],
    "dperm_ledger_find_model": [_LEDGER, _MODEL, EntryVisitor, c_void_p],
    "dperm_audit_run": [POINTER(AuditOptions), POINTER(AuditFigures)],
    "dperm_audit_outcomes": [_DOUBLES, _DOUBLES, _SIZE, _SIZE, _NUMBER, _NUMBER, POINTER(AuditFigures)],
    "dperm_sweep": [_DATA, POINTER(Options), _SIZE, POINTER(SweepOptions), SweepVisitor, c_void_p],
}
# The others: what they return, and their arguments.
_PLAIN: Dict[str, Tuple[Any, List[Any]]] = {
    "dperm_version": (c_char_p, []),
    "dperm_schema_free": (None, [c_void_p]),
    "dperm_schema_feature_name": (c_size_t, [_SCHEMA, _SIZE, _BUFFER, _SIZE]),
    "dperm_data_free": (None, [c_void_p]),
    "dperm_data_rows": (c_size_t, [_DATA]),
    "dperm_data_units": (c_size_t, [_DATA]),
    "dperm_data_dims": (c_size_t, [_DATA]),
    "dperm_data_labels": (POINTER(c_double), [_DATA]),
    "dperm_random_free": (None, [c_void_p]), "dperm_ranks_free": (None, [c_void_p]),
    "dperm_ranks_first_row": (c_size_t, [_SIZE, _SIZE, _SIZE]),
    "dperm_init": (None, [_INT, AnyStruct, _SIZE]),
    "dperm_word": (c_char_p, [_INT, _UINT]),
    "dperm_noise_name": (c_char_p, [_INT]),
    "dperm_loss_name": (c_char_p, [_SIZE]),
    "dperm_audit_case": (c_bool, [_SIZE, POINTER(c_char_p), POINTER(c_char_p)]),
    "dperm_model_free": (None, [c_void_p]), "dperm_text_free": (None, [c_void_p]),
    "dperm_model_weights": (POINTER(c_double), [_MODEL]),
    "dperm_ledger_free": (None, [c_void_p]),
}

def _declare() -> None:
    try:
        for name, arguments in _FALLIBLE.items():
            getattr(lib, name).argtypes = [*arguments, POINTER(Error)]
        for name, (result, arguments) in _PLAIN.items():
            getattr(lib, name).restype, getattr(lib, name).argtypes = result, arguments
    except AttributeError as problem:
        raise ImportError(f"the C library that was found is older than this package ({problem}); "
                          "install both from the same source") from None


_declare()

# ---------------------------------------------------------------- calling


class Interruptible:
    """Lets Ctrl-C stop a call into the library.

    While C runs, Python cannot handle signals. The library asks now and then whether to go on
    (``dperm_progress``); that question runs as Python code, which is where the handler gets its
    turn. It only takes a note, and the exception is raised when the library has cleaned up.
    """

    def __enter__(self) -> "Interruptible":
        self.asked, self._before = False, None
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                self._before = before
                signal.signal(signal.SIGINT, self._note)
        self._tick = Tick(lambda context, stage, done, total: self.asked)
        self.progress = Progress(self._tick, None)
        return self

    def _note(self, number: int, frame: Any) -> None:
        self.asked = True

    def __exit__(self, kind: Any, *rest: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            if self.asked:
                self._before(signal.SIGINT, None)


def call(name: str, *arguments: Any, told: Optional[Error] = None) -> None:
    """Calls a function that can fail, and raises what it says. What it is given is checked first. `told` is an error
    that it is to know of."""
    kinds = _FALLIBLE[name]
    if len(arguments) != len(kinds):
        raise TypeError(f"{name} takes {len(kinds)} arguments, not {len(arguments)}")
    for kind, argument in zip(kinds, arguments):
        kind.from_param(argument)
    if name in TOGETHER:
        TOGETHER[name](lib, *arguments[:len(kinds) - (kinds[-1] is _OUT)])
    error = Error() if told is None else told
    status = getattr(lib, name)(*arguments, byref(error))
    if status != 0:
        raise error_for(error.status or status, error.message.decode("utf-8", "replace"))


class Handle:
    """Owns what the library made, and gives it back."""

    def __init__(self, name: str, free: str, *arguments: Any):
        self._free, self.kind = getattr(lib, free), free[len("dperm_"):-len("_free")]
        self.pointer: Optional[int] = None
        out = c_void_p()
        call(name, *arguments, byref(out))
        self.pointer = out.value

    @property
    def _as_parameter_(self) -> c_void_p:
        return c_void_p(self.pointer)

    @cached_property
    def described(self) -> Any:
        """What a schema or a model says about itself, which does not change."""
        return json.loads(text_from(f"dperm_{self.kind}_describe", self))

    def close(self) -> None:
        pointer, self.pointer = self.pointer, None
        if pointer:
            self._free(pointer)

    def __del__(self) -> None:
        if getattr(self, "pointer", None) and not sys.is_finalizing():
            self.close()


def text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8", "replace")


def given_back(made: c_void_p) -> str:
    """A text that the library made, which is its own again afterwards."""
    try:
        return (ctypes.cast(made, c_char_p).value or b"").decode("utf-8")
    finally:
        lib.dperm_text_free(made)


def text_from(name: str, *arguments: Any) -> str:
    """The text that a function makes in its last argument, whether or not its length comes behind."""
    made, length = c_void_p(), c_size_t()
    call(name, *arguments, *(byref(made), byref(length))[:len(_FALLIBLE[name]) - len(arguments)])
    return given_back(made)


def numbers(name: Callable[[int], Optional[bytes]]) -> Dict[str, int]:
    """An enum of the library by its names, from the function that gives the name of a number."""
    found: Dict[str, int] = {}
    while (word := text(name(len(found)))) is not None:
        found[word] = len(found)
    return found


# dperm_words, and dperm_options_kind by the structs that it is about, in their order.
WORDS = ("analysis", "bins", "dictionary", "kernel", "mechanism", "multiclass", "neighbours", "rounds", "selector", "taken",
         "tune_method")
OPTIONS = {"train": Options, "audit": AuditOptions, "budget": LedgerBudget, "draft": DraftOptions, "import": ImportOptions,
           "refine": None, "score": ScoreOptions, "sweep": SweepOptions, "tune": TuneOptions}


def words(enum: str) -> Dict[str, int]:
    """The values of one of the library's enums by their words."""
    return numbers(lambda value: lib.dperm_word(WORDS.index(enum), value))


def defaults(kind: str) -> Any:
    """Options of a kind, as the library has them by default."""
    made = OPTIONS[kind]()  # type: ignore[misc]
    lib.dperm_init(list(OPTIONS).index(kind), made, sizeof(made))
    return made


# dperm_taken: what was taken from the records although it should be known in public; flags.
TAKEN = {word: 1 << bit for word, bit in words("taken").items()}


def feature_name(schema: Handle, place: int) -> str:
    """What an encoded column means."""
    size = lib.dperm_schema_feature_name(schema, place, create_string_buffer(1), 1)
    text = create_string_buffer(size + 1)
    lib.dperm_schema_feature_name(schema, place, text, len(text))
    return text.value.decode("utf-8", "replace")


def fields(struct: Structure) -> dict:
    """A struct of numbers and texts as a dict. Addresses stay behind: they are C's, for the time of a call."""
    found = {}
    for name, *_ in struct._fields_:
        value = getattr(struct, name)
        if isinstance(value, (bytes, int, float)):
            found[name.rstrip("_")] = text(value) if isinstance(value, bytes) else value
        elif value is None:
            found[name.rstrip("_")] = None
    return found
