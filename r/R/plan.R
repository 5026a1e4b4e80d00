# Plans: what a fit will do, from public numbers alone.

plan <- function(rows = NULL, schema, epsilon = NULL, ...) {
  wanted <- settings(epsilon, ...)
  if (is.null(rows) == is.null(wanted$rows_about)) {
    refuse("a plan needs rows, the number of records, or with neighbours = \"add-remove\" rows_about")
  }
  rows <- if (is.null(rows)) 0 else whole("rows", rows)
  found <- from_json(checked(.Call(r_plan, rows, dperm_schema(schema)$handle, wanted)))
  structure(found, class = "dperm_plan")
}

print.dperm_plan <- function(x, ...) {
  rows <- if (is.null(x$rows)) x$rows_about else x$rows
  cat(format(rows, big.mark = ","), " rows of ", x$dims, " encoded columns, epsilon ", format(x$epsilon), "\n", sep = "")
  line <- function(name, value, words) {
    if (is.numeric(value)) {
      cat("  ", format(name, width = 18), format(signif(value, 4)), "  ", words, "\n", sep = "")
    }
  }
  spent <- c(refined = "of epsilon for how numbers are used", pairs = "of epsilon for a pair of columns",
             calibrated = "of epsilon for probabilities", intervals = "of epsilon for intervals")
  for (name in names(spent)) {
    share <- x[[paste0("epsilon_", name)]]
    if (is.numeric(share) && share > 0) {
      line(name, share, spent[[name]])
    }
  }
  line("lambda", x$lambda, "regularization")
  line("noise to signal", x$noise_to_signal, noise_words(x$noise_to_signal))
  line("minimum epsilon", x$epsilon_better_than_coin, "for less loss than guessing, if the data allow")
  line("minimum rows", x$rows_better_than_coin, "for the same at this epsilon")
  for (remark in x$remarks) {
    cat("  remark: ", remark, "\n", sep = "")
  }
  invisible(x)
}

noise_words <- function(ratio) {
  if (!is.numeric(ratio)) {
    return("")
  }
  paste("the noise is", c("far below the signal", "below the signal", "comparable to the signal",
                          "above the signal: expect a model of noise")[findInterval(ratio, c(0.1, 0.5, 2)) + 1])
}
