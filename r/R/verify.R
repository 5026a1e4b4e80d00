# Verification: a model's claim derived again, and a ledger read from end to end.

verification_of <- function(texts, what) {
  last <- length(texts)
  lines <- matrix(texts[-last], ncol = 2, byrow = TRUE)
  holds <- c("0" = FALSE, "1" = TRUE, "2" = NA)[lines[, 1]] # NA: no file can show it
  structure(list(holds = texts[last] == "1", what = what,
                 lines = data.frame(holds = unname(holds), text = lines[, 2])), class = "dperm_verification")
}

verify <- function(model, ledger = NULL) {
  check <- function(handle = NULL, path = NULL) {
    if (inherits(model, "dperm")) {
      verification_of(checked(.Call(r_model_verify, "the model", model$text, handle)), "the model's claim")
    } else {
      path <- file_name(model, "a model, or the path of its file,")
      verification_of(checked(.Call(r_model_verify, path, NULL, handle)), path)
    }
  }
  if (is.null(ledger)) check() else with_ledger(ledger, check)
}

ledger_verify <- function(path = NULL, head = NULL) {
  with_ledger(path, function(ledger, path) verification_of(checked(.Call(r_ledger_verify, ledger, head)), path))
}

print.dperm_verification <- function(x, ...) {
  mark <- ifelse(is.na(x$lines$holds), "remark", ifelse(x$lines$holds, "ok", "FAILS"))
  cat(paste0(format(mark), "  ", x$lines$text, "\n"), sep = "")
  cat(x$what, if (x$holds) " holds\n" else " DOES NOT HOLD\n", sep = "")
  invisible(x)
}
