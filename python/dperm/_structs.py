"""The structs and callbacks of the C library, in the order of ``dperm.h``.

``python/tests/test_library.py`` compares every offset with what a C compiler says.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

from .border import Column, Struct


# ---------------------------------------------------------------- structs of dperm.h


class Error(Struct):
    _fields_ = [("status", c_int), ("message", c_char * 1024)]


Tick = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_uint64, c_uint64)


class Progress(Struct):
    _fields_ = [("tick", Tick), ("context", c_void_p)]


class DraftOptions(Struct):
    _fields_ = [("size", c_size_t), ("header", c_int), ("separator", c_char), ("label", c_char_p),
                ("positive", POINTER(c_char_p)), ("positive_count", c_size_t),
                ("missing", POINTER(c_char_p)), ("missing_count", c_size_t)]


class ImportOptions(Struct):
    _fields_ = [("size", c_size_t), ("label", c_char_p), ("positive", POINTER(c_char_p)),
                ("positive_count", c_size_t), ("table", c_char_p), ("dictionary", c_int), ("reserved", c_int)]


class Loss(Struct):
    _fields_ = [("name", c_char_p), ("parameter", c_double), ("lipschitz", c_double),
                ("smoothness", c_double), ("eval", c_void_p), ("context", c_void_p),
                ("slope_error", c_double)]


class Regularizer(Struct):
    _fields_ = [("weights", c_void_p), ("prior", c_void_p), ("eval", c_void_p),
                ("context", c_void_p), ("most_curvature", c_double), ("slope_error", c_double)]


DIGEST_SIZE = 65


class Account(Struct):
    _fields_ = [("ledger", c_void_p), ("dataset", c_char_p), ("dry_run", c_bool),
                ("charge", c_void_p), ("output", c_void_p)]


class LedgerDataset(Struct):
    _fields_ = [("name", c_char_p), ("epsilon_total", c_char_p), ("epsilon_spent", c_char_p),
                ("epsilon_left", c_char_p), ("delta_total", c_char_p), ("delta_spent", c_char_p),
                ("delta_left", c_char_p), ("rows_per_person", c_size_t), ("data", c_char_p),
                ("composition", c_char_p), ("order", c_double), ("epsilon_plain", c_char_p), ("delta_plain", c_char_p),
                ("neighbours", c_char_p), ("part_of", c_char_p)]


class LedgerBudget(Struct):
    _fields_ = [("size", c_size_t), ("epsilon", c_char_p), ("delta", c_char_p), ("rows_per_person", c_size_t),
                ("composition", c_int), ("neighbours", c_int), ("order", c_double), ("part_of", c_char_p)]


class LedgerEntry(Struct):
    _fields_ = [("entry", c_uint64), ("dataset", c_char_p), ("time", c_char_p),
                ("command", c_char_p), ("mechanism", c_char_p), ("epsilon", c_char_p),
                ("delta", c_char_p), ("digest", c_char_p), ("commit", c_uint64),
                ("artifact", c_char_p), ("cost_epsilon", c_char_p), ("cost_delta", c_char_p), ("terms", c_char_p),
                ("counted_twice", c_bool)]


class Kernel(Struct):
    _fields_ = [("kind", c_int), ("gamma", c_double), ("features", c_size_t),
                ("independent", c_bool), ("seed", c_uint64)]


class ClassWeight(Struct):
    _fields_ = [("name", c_char_p), ("weight", c_double)]


# those of Arrow's C data interface, which others fill


class ArrowSchema(Structure):
    pass


class ArrowArray(Structure):
    pass


class ArrowArrayStream(Structure):
    pass


ArrowSchema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64),
    ("n_children", c_int64), ("children", POINTER(POINTER(ArrowSchema))),
    ("dictionary", POINTER(ArrowSchema)), ("release", CFUNCTYPE(None, POINTER(ArrowSchema))),
    ("private_data", c_void_p)]
ArrowArray._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(ArrowArray))),
    ("dictionary", POINTER(ArrowArray)), ("release", CFUNCTYPE(None, POINTER(ArrowArray))),
    ("private_data", c_void_p)]
ArrowArrayStream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowSchema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowArray))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(ArrowArrayStream))),
    ("release", CFUNCTYPE(None, POINTER(ArrowArrayStream))), ("private_data", c_void_p)]


class Arrow(Struct):
    _fields_ = [("stream", POINTER(ArrowArrayStream)), ("labels", POINTER(Column)), ("label_count", c_size_t), ("unlabelled", c_bool),
                ("reserved", c_void_p * 4)]


class Source(Struct):
    _fields_ = [("path", c_char_p), ("format", c_int), ("schema", c_void_p), ("dims", c_size_t), ("no_identity", c_bool),
                ("may_be_empty", c_bool), ("arrow", POINTER(Arrow)), ("reserved", c_void_p * 3)]


class Options(Struct):
    _fields_ = [("size", c_size_t), ("mechanism", c_int), ("epsilon", c_double), ("analysis", c_int), ("noise", c_int),
                ("delta_reg", c_double), ("norm_guess", c_double), ("random", c_void_p),
                ("loss", Loss), ("regularizer", Regularizer), ("kernel", Kernel),
                ("lambda_", c_double), ("rows_per_person", c_size_t), ("classes", c_size_t),
                ("class_weights", POINTER(ClassWeight)), ("class_weight_count", c_size_t),
                ("account", Account), ("gradient_tolerance", c_double), ("threads", c_int),
                ("progress", Progress), ("unsafe_diagnostics", c_void_p), ("neighbours", c_int), ("multiclass", c_int),
                ("rows_about", c_size_t), ("delta", c_double), ("calibrate", c_double), ("refine", c_double), ("bins", c_int),
                ("reserved", c_int), ("report", POINTER(c_void_p)), ("pairs", c_double),
                ("evaluate", c_double), ("intervals", c_double)]


class TuneOptions(Struct):
    _fields_ = [("size", c_size_t), ("method", c_int), ("selector", c_int), ("rounds", c_int),
                ("rounds_mean", c_double), ("holdout", c_double), ("public_data", c_void_p)]


class PlanRows(Struct):
    _fields_ = [("rows", c_size_t), ("schema", c_void_p), ("dims", c_size_t), ("norm", c_double), ("norm1", c_double)]


class Metrics(Struct):
    _fields_ = [("rows", c_size_t), ("errors", c_size_t), ("classes", c_size_t),
                ("false_positives", c_size_t), ("false_negatives", c_size_t),
                ("error_rate", c_double), ("auc", c_double), ("log_loss", c_double),
                ("baseline_class", c_size_t), ("baseline", c_double)]


class ScoreOptions(Struct):
    _fields_ = [("size", c_size_t), ("epsilon", c_double), ("rows_per_person", c_size_t), ("counts", c_bool),
                ("public_model", c_bool), ("random", c_void_p), ("account", Account), ("progress", Progress),
                ("neighbours", c_int), ("reserved", c_int), ("held_out", c_bool), ("reserved_too", c_bool * 7)]


class PrivateScore(Struct):
    _fields_ = [("is_private", c_bool), ("rows", c_size_t), ("errors", c_int64), ("error_rate", c_double),
                ("low", c_double), ("high", c_double), ("population_low", c_double), ("population_high", c_double),
                ("true_positives", c_int64), ("false_positives", c_int64), ("false_negatives", c_int64),
                ("true_negatives", c_int64), ("correct", c_int64), ("baseline_class", c_size_t),
                ("baseline", c_double), ("baseline_low", c_double), ("baseline_high", c_double)]


class AuditOptions(Struct):
    _fields_ = [("size", c_size_t), ("mechanism", c_char_p), ("variant", c_char_p), ("epsilon", c_double),
                ("draws", c_size_t), ("threads", c_int), ("seed", POINTER(c_uint64)),
                ("progress", Progress), ("delta_claimed", POINTER(c_double)), ("delta", c_double)]


class AuditFigures(Struct):
    _fields_ = [("mechanism", c_char_p), ("variant", c_char_p), ("epsilon_claimed", c_double),
                ("epsilon_lower_bound", c_double), ("confidence", c_double), ("draws", c_size_t),
                ("distance", c_double), ("limit", c_double), ("holds", c_bool)]


class SweepOptions(Struct):
    _fields_ = [("size", c_size_t), ("folds", c_size_t), ("draws", c_size_t), ("seed", c_uint64),
                ("test_data", c_void_p), ("test_parts", c_size_t), ("journal", c_char_p),
                ("threads", c_int), ("all_impossible", c_bool), ("progress", Progress)]


class SweepCell(Struct):
    _fields_ = [("index", c_size_t), ("impossible", c_char_p), ("runs", c_size_t),
                ("error_mean", c_double), ("error_se", c_double), ("lambda_", c_double),
                ("noise", c_char_p), ("dims", c_size_t), ("errors", POINTER(c_uint64)), ("baseline", c_double),
                ("auc_mean", c_double), ("auc_se", c_double), ("log_loss_mean", c_double), ("log_loss_se", c_double),
                ("baseline_log_loss", c_double)] + \
        [(name, c_double) for name in ("rmse_mean", "rmse_se", "mae_mean", "mae_se", "baseline_rmse", "baseline_mae")]


class ColumnCounts(Struct):
    _fields_ = [("missing", c_size_t), ("unknown", c_size_t), ("clamped", c_size_t)]


Send = CFUNCTYPE(c_bool, c_void_p, c_size_t, c_void_p, c_size_t)  # to, or from, and the memory
Receive = Send


class Collective(Struct):
    _fields_ = [("count", c_size_t), ("rank", c_size_t), ("rows_from", c_size_t), ("context", c_void_p), ("send", Send),
                ("receive", Receive), ("share", c_void_p), ("combine", c_void_p), ("end", c_void_p)]


Remark = CFUNCTYPE(None, c_void_p, c_char_p)
VerifyLine = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
DatasetVisitor = CFUNCTYPE(None, c_void_p, POINTER(LedgerDataset))
EntryVisitor = CFUNCTYPE(None, c_void_p, POINTER(LedgerEntry))
SweepVisitor = CFUNCTYPE(None, c_void_p, POINTER(SweepCell))
