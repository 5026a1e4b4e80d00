# Models in words.

claim_of <- function(model) {
  if (!model$private) {
    return(paste0("NOT PRIVATE: ", model$reason))
  }
  privacy <- model$privacy
  many <- if (is.null(privacy$rows_per_person)) 1 else privacy$rows_per_person
  whom <- if (many == 0) "person" else if (many == 1) "record" else sprintf("person with at most %d records", many)
  how <- if (privacy$mechanism == "descent") "noisy descent" else paste(privacy$mechanism, "perturbation")
  sprintf("(epsilon, delta) = (%s, %.2g) for every %s%s, by %s", format(privacy$epsilon), privacy$delta, whom,
          if (identical(privacy$neighbours, "add-remove")) ", added or removed" else "", how)
}

charge_of <- function(model) {
  if (!is.null(model$charge)) {
    return(sprintf("charged to \"%s\" of %s (entry %s); epsilon %s left", model$ledger$dataset, model$ledger$path,
                   model$charge[["entry"]], model$charge[["epsilon_left"]]))
  }
  if (is.null(from_json(model$text)$ledger)) "no ledger counted this epsilon against a budget"
}

print.dperm <- function(x, ...) {
  content <- from_json(x$text)
  what <- if (is_regression(x)) {
    sprintf("%s regression of a number from %s to %s", x$loss$name, format(x$label$min), format(x$label$max))
  } else {
    sprintf("%s model of %s", x$loss$name, paste(x$classes, collapse = ", "))
  }
  rows <- if (is.null(content$rows)) "records whose number is private" else paste(format(content$rows, big.mark = ","), "records")
  cat("A dperm model: ", what, "\n", sep = "")
  if (!is.null(x$formula)) {
    cat("Formula: ", paste(deparse(x$formula), collapse = " "), "\n", sep = "")
  }
  cat("Made of: ", rows, ", ", content$encoding$dims, " weights\n", sep = "")
  cat("Privacy: ", claim_of(x), "\n", sep = "")
  if (x$private) {
    cat("Budget:  ", charge_of(x), "\n", sep = "")
  }
  invisible(x)
}

print.summary.dperm <- function(x, ..., top = 12) {
  print(x$model)
  cat("\n")
  if (!is.null(x$coefficients)) {
    cat("Slopes with 95 percent intervals, privacy noise and sampling in them:\n")
    shown <- x$coefficients
    told <- is.na(shown$refused)
    table <- data.frame(signif(shown[told, c("estimate", "std_error", "low", "high")], 4),
                        p = ifelse(shown$p[told] < 0.0005, "<.0005", format(shown$p[told], digits = 2)),
                        noise = sprintf("%.0f%%", 100 * shown$noise_share[told]), row.names = rownames(shown)[told])
    print(table)
    for (name in rownames(shown)[!told]) {
      cat(name, ": none, ", shown[name, "refused"], "\n", sep = "")
    }
    return(invisible(x))
  }
  if (is.null(x$effects)) {
    cat("A model with a kernel has no effects to show.\n")
    return(invisible(x))
  }
  cat("Effects on the ", x$scale, ": ", x$standing_out, " of ", x$examined,
      " stand out from the privacy noise; the largest\n", sep = "")
  shown <- x$effects[!is.na(x$effects$effect), ]
  shown <- shown[order(shown$verdict == "grey", -abs(shown$effect)), ]
  shown <- shown[seq_len(min(top, nrow(shown))), ]
  name <- ifelse(shown$kind == "line", shown$column, paste0(shown$column, ": ", shown$level))
  if (length(unique(shown$class)) > 1) {
    name <- paste0(shown$class, ": ", name)
  }
  print(data.frame(effect = signif(shown$effect, 3), noise = signif(shown$noise, 3), verdict = shown$verdict,
                   row.names = make.unique(name)))
  invisible(x)
}
