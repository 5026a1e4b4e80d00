# Records that tests share, the command beside them, and what arrives in C.

# No ledger but a test's own, whatever the environment says.
Sys.unsetenv(c("DPERM_LEDGER", "DPERM_DATASET"))

shop <- list(version = 2, missing = c("", "?", "-9"), on_missing = "category",
             label = list(column = "bought", classes = c("no", "yes")),
             columns = list(list(name = "age", type = "numeric", min = 0, max = 100, bins = c(0.1, 17, 42.5), line = 0.5),
                            list(name = "spent", type = "numeric", min = 0, max = 500, transform = "log1p"),
                            list(name = "job", type = "categorical", values = c("nurse", "judge", "clerk")),
                            list(name = "code", type = "categorical", values = c("0", "1", "2", "100000"))),
             crosses = list(c("age", "job")))

# So many customers; `seed` is R's, as nothing of these is private.
customers <- function(rows, seed = 1) {
  set.seed(seed)
  age <- round(runif(rows, 16, 99), 1)
  job <- sample(c("nurse", "judge", "clerk"), rows, TRUE)
  score <- (age - 50) / 15 + (job == "judge") - (job == "clerk") + rlogis(rows)
  data.frame(age, spent = round(rexp(rows, 0.02), 2), job, code = sample(c(0L, 1L, 2L, 100000L), rows, TRUE),
             bought = ifelse(score > 0, "yes", "no"))
}

# The rows as the library has them, a list of vectors, and their labels.
encoded <- function(schema, data, labelled = TRUE) {
  checked(.Call(r_data_encoded, records_of(dperm_schema(schema), data, labelled)))
}

# The same of a CSV file, which is the command's way.
encoded_csv <- function(schema, path) {
  checked(.Call(r_data_encoded, checked(.Call(r_data_read, dperm_schema(schema)$handle, path, FALSE))))
}

# The command beside the library, or nothing to compare with (`make r-check` names it in DPERM).
command <- function(...) {
  found <- suppressWarnings(system2(Sys.getenv("DPERM"), shQuote(c(...)), stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(found, "status"))) {
    stop(paste(found, collapse = "\n"))
  }
  found
}

skip_without_command <- function() {
  skip_if(Sys.getenv("DPERM") == "", "no command to compare with: DPERM names none")
}

bytes_of <- function(path) readBin(path, "raw", file.size(path))
