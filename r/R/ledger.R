# Ledgers, as the command's: budgets that cannot be overspent.

with_ledger <- function(path, action) {
  path <- ledger_path(path)
  if (is.null(path)) {
    refuse("name the ledger, or set DPERM_LEDGER")
  }
  ledger <- checked(.Call(r_ledger_open, path))
  on.exit(close_ledger(ledger))
  action(ledger, path)
}

# An exact decimal: a text as it is, a number as R writes it.
amount <- function(name, value) {
  if (is.null(value) || is.character(value)) {
    return(value)
  }
  format(number(name, value, strict = FALSE), digits = 15, scientific = FALSE)
}

ledger_init <- function(path, dataset, epsilon = NULL, delta = NULL, rows_per_person = 1, per_person = FALSE,
                        neighbours = "replace", composition = c("plain", "renyi"), order = NULL, part_of = NULL) {
  composition <- match.arg(composition)
  if (is.null(epsilon) && is.null(part_of)) {
    refuse("epsilon is missing; give the total budget for all runs")
  }
  if (isTRUE(per_person) && rows_per_person != 1) {
    refuse("per_person is for persons with any number of rows; leave rows_per_person out")
  }
  numbers <- c(if (isTRUE(per_person)) 0 else whole("rows_per_person", rows_per_person),
               match(composition, c("plain", "renyi")) - 1, choice("neighbours", neighbours),
               if (is.null(order)) 0 else number("order", order, 1))
  checked(.Call(r_ledger_create, file_name(path, "path"), one_text("dataset", dataset), amount("epsilon", epsilon),
                amount("delta", delta), part_of, numbers))
  invisible(ledger_show(path, dataset))
}

as_rows <- function(texts, names) {
  made <- as.data.frame(matrix(texts, ncol = length(names), byrow = TRUE, dimnames = list(NULL, names)),
                        stringsAsFactors = FALSE)
  for (name in intersect(names, c("entry", "rows_per_person", "order"))) {
    made[[name]] <- as.numeric(made[[name]])
  }
  for (name in intersect(names, c("part_of", "artifact"))) {
    made[[name]][!nzchar(made[[name]])] <- NA
  }
  made
}

dataset_fields <- c("name", "epsilon_total", "epsilon_spent", "epsilon_left", "delta_total", "delta_spent", "delta_left",
                    "composition", "neighbours", "part_of", "epsilon_plain", "delta_plain", "rows_per_person", "order")
entry_fields <- c("entry", "dataset", "time", "command", "mechanism", "epsilon", "delta", "digest", "cost_epsilon",
                  "cost_delta", "status", "artifact")

ledger_show <- function(path = NULL, dataset = NULL, model = NULL) {
  if (!is.null(dataset) && !is.null(model)) {
    refuse("dataset does not go with model; give one of the two")
  }
  with_ledger(path, function(ledger, path) {
    paid <- if (!is.null(model)) model_handle(if (inherits(model, "dperm")) model else read_model(model))
    datasets <- as_rows(checked(.Call(r_ledger_datasets, ledger)), dataset_fields)
    if (!is.null(dataset) && !one_text("dataset", dataset) %in% datasets$name) {
      refuse(path, ": the ledger has no data set \"", dataset, "\"", class = "dperm_budget_error")
    }
    entries <- as_rows(checked(.Call(r_ledger_entries, ledger, dataset, paid)), entry_fields)
    wanted <- if (is.null(dataset) && is.null(model)) datasets$name else c(dataset, entries$dataset)
    head <- checked(.Call(r_ledger_head, ledger))
    structure(list(path = path, datasets = datasets[datasets$name %in% wanted, ], entries = entries,
                   records = as.numeric(head[1]), head = head[2]), class = "dperm_ledger")
  })
}

print.dperm_ledger <- function(x, ...) {
  for (i in seq_len(nrow(x$datasets))) {
    one <- x$datasets[i, ]
    cat("data set \"", one$name, "\": epsilon ", one$epsilon_left, " left of ", one$epsilon_total, ", delta ",
        short_amount(one$delta_left), " of ", short_amount(one$delta_total),
        if (one$composition == "renyi") paste0(", by Renyi order ", format(one$order)), "\n", sep = "")
  }
  if (nrow(x$entries) > 0) {
    shown <- x$entries[c("entry", "time", "dataset", "command", "mechanism", "epsilon", "delta", "status")]
    shown$delta <- vapply(shown$delta, short_amount, "")
    print(shown, row.names = FALSE)
  }
  cat("head: record ", x$records, ", digest ", x$head, "\n", sep = "")
  invisible(x)
}

short_amount <- function(text) if (nchar(text) > 12) format(signif(as.numeric(text), 3)) else text
