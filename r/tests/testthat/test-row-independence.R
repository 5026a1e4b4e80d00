# Row independence: replacing one record changes its own row and no other, whatever R makes of the columns.
#
# Random records, one replaced by a hostile one, are put into vectors as users do, so that R chooses types; all other
# rows and labels stay as they were to the bit, or there is a clear error. The suite finds defects that are put back.

mixed <- dperm_schema(list(version = 2, missing = c("", "?", "-9"), on_missing = "category",
              label = list(column = "ill", classes = c("no", "yes")), crosses = list(c("age", "job")),
              columns = list(list(name = "age", type = "numeric", min = 0, max = 100, bins = c(0.1, 17, 42.5), line = 0.5),
                             list(name = "code", type = "categorical", values = c("0", "1", "2", "100000", "0.5")),
                             list(name = "smoker", type = "categorical", values = truths),
                             list(name = "job", type = "categorical", values = c("nurse", "judge", "1", "0.3")))))
count <- 7

usual <- list(age = list(0, 1L, 17, 42.5, 0.1, 1e-7, -9, 100 / 3), code = list(0L, 1L, 2L, 100000L, 100000L, 0.5),
              smoker = list(TRUE, FALSE), job = list("nurse", "judge", "1", " judge"), ill = list("no", "yes"))

hostile <- list(1, TRUE, FALSE, 1L, 0L, 0, -0, -9, -9L, "-9", "-9.0", "?", "", 0.5, 100 / 3, 0.1 + 0.2, "0.3", "33.3333333333333", 1e5, 100000L,
                "100000", "1e+05", 1e15, 1e-5, 2^53, 2^53 + 2, "1", "1.0", "TRUE", "T", " TRUE\t", "true", "nurse", NA, NA_character_,
                NaN, Inf, -Inf, "NaN", "NA", "x", "a\"b", "\u00fc", "\xff", 1e308, 5e-324, "1e3", 1i, as.raw(1), list(1),
                as.Date("2020-01-01"), as.POSIXct(0, origin = "1970-01-01", tz = "UTC"), as.difftime(1, units = "hours"),
                factor("judge"), strrep("x", 70000), structure(4.9e-324, class = "integer64"))

# From a list of values to a column: c() as R has it, and other ways to the same.
joined <- function(values) do.call(c, values)
doors <- list(
  vector = joined,
  texts = function(values) vapply(values, function(v) as.character(v)[1], ""),
  factor = function(values) factor(joined(values)),
  factor_backwards = function(values) {
    texts <- as.character(joined(values))
    factor(texts, levels = rev(c(sort(unique(texts)), "never")))
  },
  ordered = function(values) factor(joined(values), ordered = TRUE),
  with_na_level = function(values) addNA(factor(joined(values))),
  in_two_parts = function(values) c(joined(values[1:3]), joined(values[-(1:3)])),
  appended = function(values) Reduce(function(a, b) c(a, b), values),
  assigned = function(values) {
    made <- joined(values[c(2, 2:count)])
    made[1] <- values[[1]]
    made
  },
  listed = function(values) I(values))
# Texts and factors of numbers are refused in a numeric column, so there these are for the others.
as_texts <- c("texts", "factor", "factor_backwards", "ordered", "with_na_level")

columns_by <- function(door, records) {
  mapply(function(values, name) if (name == "age" && door %in% as_texts) joined(values) else doors[[door]](values),
         records, names(records), SIMPLIFY = FALSE)
}

frames <- list(
  data.frame = function(columns) as.data.frame(columns, optional = TRUE, stringsAsFactors = FALSE),
  reordered = function(columns) as.data.frame(rev(c(columns, list(more = rep("x", count)))), stringsAsFactors = FALSE),
  tibble = function(columns) tibble::as_tibble(columns))

# list(rows, labels) as they arrive; NULL if R makes no such frame, or the error.
attempt <- function(records, door, frame) {
  made <- tryCatch(frame(columns_by(door, records)), error = function(e) NULL, warning = function(w) NULL)
  if (is.null(made) || nrow(made) != count) {
    return(NULL)
  }
  tryCatch(encoded(mixed, made), dperm_error = function(e) {
    stopifnot(grepl("^(column|the label|row|the data)", conditionMessage(e)))
    conditionMessage(e)
  })
}

# How many of these hostile records could be compared with what was there before.
compared <- function(door, frame, trials, seed) {
  set.seed(seed)
  done <- 0
  for (trial in seq_len(trials)) {
    records <- lapply(usual, function(values) sample(values, count, TRUE))
    if (runif(1) < 0.5) { # a reason for R to choose another type
      name <- sample(names(usual)[-5], 1)
      records[[name]][[sample(2:(count - 1), 1)]] <- sample(list(NA, 1L, TRUE, "1", 0.5), 1)[[1]]
    }
    at <- sample(c(1, count), 1)
    other <- records
    name <- sample(names(usual), 1, prob = c(3, 3, 3, 3, 1))
    other[[name]][at] <- list(sample(hostile, 1)[[1]])
    before <- attempt(records, door, frame)
    after <- attempt(other, door, frame)
    if (is.list(before) && is.list(after)) {
      done <- done + 1
      if (!identical(before[[1]][, -at], after[[1]][, -at]) || !identical(before[[2]][-at], after[[2]][-at])) {
        stop("rows changed with another record: ", name, " ", deparse(other[[name]][[at]])[1])
      }
    }
  }
  done
}

trials <- if (nzchar(Sys.getenv("DPERM_LONG"))) 2000 else 100

for (door in names(doors)) {
  test_that(paste("a row depends on its own record:", door), {
    skip_if_not_installed("tibble")
    for (frame in names(frames)) {
      found <- compared(door, frames[[frame]], trials, 1)
      if (door == "listed") expect_identical(found, 0) else expect_gt(found, trials / 50)
    }
  })
}

test_that("a row is that of the same record in a CSV file", {
  records <- data.frame(age = c("0", "1", "17", "42.5", "-9", "1e-7", "99.125"), code = c("0", "1", "2", "100000", "0.5", "", "7"),
                        smoker = c("TRUE", "FALSE", "TRUE", "", "FALSE", "TRUE", "TRUE"),
                        job = c("nurse", "judge", "?", "1", "0.3", "", "other"), ill = c("no", "yes", "no", "no", "yes", "yes", "no"))
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  write.csv(records, path, row.names = FALSE, quote = FALSE)
  of_file <- encoded_csv(mixed, path)
  typed <- utils::read.csv(path, na.strings = c("", "?"))
  expect_type(typed$code, "double")
  expect_type(typed$smoker, "logical")
  expect_identical(encoded(mixed, typed), of_file)
  expect_identical(encoded(mixed, utils::read.csv(path, na.strings = c("", "?"), stringsAsFactors = TRUE)), of_file)
  texts <- transform(records, age = as.numeric(age))
  expect_identical(encoded(mixed, texts), of_file)
  expect_identical(encoded(mixed, texts[7:1, 5:1])[[1]][, 7:1], of_file[[1]])
  expect_identical(encoded(mixed, tibble::as_tibble(typed)), of_file)
})

test_that("unseen levels, unused levels and their order change nothing", {
  base <- data.frame(age = c(20, 30, 40), code = c(1L, 2L, 7L), smoker = c(TRUE, NA, FALSE),
                     job = factor(c("nurse", "judge", NA)), ill = factor(c("no", "yes", "no")))
  of_base <- encoded(mixed, base)
  other <- transform(base, job = factor(job, c("zebra", "nurse", "judge", "1e+05")), ill = factor(ill, c("yes", "other", "no")),
                     code = as.double(code), age = as.integer(age))
  expect_identical(encoded(mixed, other), of_base)
  unseen <- transform(base, job = factor(c("nurse", "judge", "plumber")))
  expect_identical(encoded(mixed, unseen)[[1]][, 1:2], of_base[[1]][, 1:2])
  expect_error(encoded(mixed, transform(base, ill = c("no", "maybe", "no"))), "the label of row 2 is not one that the schema lists")
  expect_error(encoded(mixed, transform(base, age = c(1, Inf, 2))), "row 2 of column \"age\" is infinite")
})

test_that("predictions come by the same door", {
  people <- customers(500)
  model <- dperm(bought ~ ., people, shop, epsilon = 2)
  new <- people[c("job", "code", "spent", "age")]
  expect_identical(predict(model, new, "score"), predict(model, people, "score"))
  new$job[1] <- "nobody"
  new$age[1] <- NA
  expect_identical(predict(model, new, "score")[-1], predict(model, people, "score")[-1])
  expect_identical(predict(model, people[500:1, ], "prob")[500:1, ], predict(model, people, "prob"))
})

test_that("where a schema lists 1 and TRUE, what may have been either is refused", {
  both <- list(label = list(column = "y", classes = c("a", "b")),
               columns = list(list(name = "x", type = "categorical", values = c("1", "TRUE", "z"))))
  of <- function(x) encoded(both, data.frame(x, y = rep_len(c("a", "b"), length(x))))
  expect_error(of(c(1, 2)), "holds 0 or 1, where the schema lists TRUE")
  expect_error(of(c("1", "z")), "holds 0 or 1")
  expect_error(of(c("TRUE", "z")), "holds TRUE or FALSE")
  expect_identical(ncol(of(c(TRUE, NA))[[1]]), 2L)
})

# ---- the suite finds what it is there for

with_defect <- function(name, defect, door) {
  namespace <- asNamespace("dperm")
  sound <- get(name, namespace)
  put <- function(value) {
    unlockBinding(name, namespace)
    assign(name, value, namespace)
    lockBinding(name, namespace)
  }
  put(defect)
  on.exit(put(sound))
  compared(door, frames$data.frame, 1000, 2)
}

test_that("the suite finds truths that became numbers", {
  expect_error(with_defect("check_truths", function(...) NULL, "vector"), "rows changed with another record: smoker")
})

test_that("the suite finds numbers that R writes in another way beside others", {
  expect_error(with_defect("plain_digits", function(values) as.character(values), "vector"), "rows changed")
})

test_that("the suite finds numbers that were texts for another one's sake", {
  sound <- dperm:::column_of
  lax <- function(values, what, numeric, ...) {
    sound(if (numeric && is.character(values)) suppressWarnings(as.double(iconv(values, sub = "?"))) else values, what, numeric, ...)
  }
  expect_error(with_defect("column_of", lax, "vector"), "rows changed with another record: age")
})

test_that("the suite finds codes of a factor taken for its values", {
  sound <- dperm:::codes_of
  by_place <- function(values, kind, ...) {
    places <- kind == "factor" && "nurse" %in% levels(values)
    sound(if (places) factor(c("judge", "nurse", "1")[as.integer(values)]) else values, kind, ...)
  }
  expect_error(with_defect("codes_of", by_place, "factor"), "rows changed")
})
