# Fits: what is paid for.

dperm <- function(formula, data, schema = NULL, epsilon = NULL, ..., ranges = list(), levels = NULL, ledger = NULL,
                  dataset = NULL, seed = NULL) {
  wanted <- list(settings(epsilon, ...)) # wrong words and numbers before any look at the data
  fitted(match.call(), formula, data, schema, wanted, ranges, levels, ledger, dataset, seed)
}

tune <- function(formula, data, schema = NULL, epsilon = NULL, ..., method = "split", selector = "permute-and-flip",
                 rounds = "logarithmic", rounds_mean = NULL, holdout = 0.1, public_data = NULL, ranges = list(),
                 levels = NULL, ledger = NULL, dataset = NULL, seed = NULL) {
  wanted <- candidates_of(epsilon, ...)
  how <- list(method = choice("method", method, "tune_method"), selector = choice("selector", selector),
              rounds = choice("rounds", rounds), rounds_mean = or_nan("rounds_mean", rounds_mean, least = 1),
              holdout = number("holdout", holdout))
  if ((method == "public") != !is.null(public_data)) {
    refuse("public_data goes with method = \"public\", which needs it")
  }
  fitted(match.call(), formula, data, schema, wanted, ranges, levels, ledger, dataset, seed, how, public_data)
}

# A file goes the command's way, a data frame by its columns; the rows are the same.
given_records <- function(schema, data, empty) {
  if (is.character(data) && is.null(dim(data))) {
    return(checked(.Call(r_data_read, schema$handle, file_name(data, "data"), empty)))
  }
  if (.row_names_info(check_frame(data), 2L) == 0 && !empty) {
    refuse("there are no rows; give at least one record")
  }
  records_of(schema, data)
}

fitted <- function(call, formula, data, schema, wanted, ranges, levels, ledger, dataset, seed, how = NULL,
                   public_data = NULL) {
  if (!is.null(schema) && (length(ranges) > 0 || !is.null(levels))) {
    refuse("ranges and levels are for a fit without a schema, which has its own")
  }
  schema <- if (is.null(schema)) dperm_schema(formula, data, ranges = ranges, levels = levels) else
    schema_by_formula(dperm_schema(schema), formula)
  seed <- if (!is.null(seed)) whole("seed", seed, 0)
  noisy <- wanted[[1]]$mechanism != choice("mechanism", "none")
  account <- account_of(ledger, dataset, noisy && is.null(seed))
  on.exit(close_ledger(account$handle))
  empty <- !is.null(wanted[[1]]$rows_about)
  records <- given_records(schema, data, empty)
  warn_of_delta(wanted[[1]], records)
  public <- if (!is.null(public_data)) given_records(schema, public_data, FALSE)
  found <- checked(.Call(r_fit, records, wanted, how, public, account$handle, account$dataset, seed))
  model_of(found$model, call, formula, report = from_json(found$report), charge = found$charge, account = account)
}

warn_of_delta <- function(wanted, records) {
  rows <- if (is.null(wanted$rows_about)) .Call(r_data_units, records) else wanted$rows_about
  if (rows > 0 && wanted$delta > 1 / rows) {
    warning("delta = ", format(wanted$delta), " is above 1/rows: it would allow to publish a whole record of somebody; ",
            "choose one far below", call. = FALSE)
  }
}

# ---- where a run is charged: what the caller names, or the environment, by the command's rules

from_environment <- function(name) {
  value <- Sys.getenv(name)
  if (nzchar(value)) value
}

ledger_path <- function(ledger = NULL) {
  if (identical(ledger, FALSE) || identical(ledger, "none")) {
    return(NULL)
  }
  path <- if (is.null(ledger)) from_environment("DPERM_LEDGER") else file_name(ledger, "ledger")
  if (!identical(path, "none")) path
}

account_of <- function(ledger, dataset, is_private) {
  path <- ledger_path(ledger)
  if (!is.null(dataset)) {
    one_text("dataset", dataset)
  }
  if (is.null(path)) {
    declined <- !is.null(ledger) || !is.null(from_environment("DPERM_LEDGER"))
    if (!is.null(dataset)) {
      refuse("dataset is named, but no ledger; give ledger")
    }
    if (is_private && !declined && !is.null(from_environment("DPERM_DATASET"))) {
      refuse("DPERM_DATASET names a data set, and there is no ledger to charge; set DPERM_LEDGER, or give ledger = \"none\"")
    }
    return(list())
  }
  if (is_private && is.null(dataset)) {
    dataset <- from_environment("DPERM_DATASET")
    if (is.null(dataset)) {
      refuse("dataset is missing: it says whose budget the ledger is to charge")
    }
  }
  if (!is_private && (!is.null(ledger) || !is.null(dataset))) {
    refuse("a run that is not private cannot be charged: it spends more than any budget; leave ledger and dataset out ",
           "only if the records are nobody's secret")
  }
  list(handle = checked(.Call(r_ledger_open, path)), dataset = dataset, path = path)
}

close_ledger <- function(handle) {
  if (!is.null(handle)) {
    .Call(r_ledger_close, handle)
  }
}
