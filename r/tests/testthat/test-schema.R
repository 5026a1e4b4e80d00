# What is declared, and what a formula makes of it. Nothing is read off the records.

people <- function() customers(40)

test_that("a missing range or level is an error that says what to do", {
  expect_error(dperm_schema(bought ~ age, people(), levels = list(bought = c("no", "yes"))),
               "column \"age\" is a number without a range: give ranges = list\\(age = c\\(lowest, highest\\)\\)")
  expect_error(dperm_schema(age ~ job, people(), ranges = list(age = c(0, 9))), "column \"job\" holds texts, and nothing says")
  factors <- transform(people(), job = factor(job), bought = factor(bought))
  expect_error(dperm_schema(bought ~ job, factors), "is a factor whose levels may have been read off the records")
  expect_error(dperm(bought ~ ., factors, epsilon = 1), "levels may have been read|without a range")
  expect_error(dperm_schema(bought ~ day, transform(people(), day = Sys.Date()), levels = list(bought = c("no", "yes"))),
               "is of class Date")
  expect_error(dperm_schema(bought ~ age, people(), ranges = list(age = c(9, 0)), levels = list(bought = c("no", "yes"))),
               "two finite numbers, the lower one first")
  expect_error(dperm_schema(bought ~ age, people(), ranges = list(agee = c(0, 9))), "ranges has \"agee\"")
})

test_that("a declared schema depends on names, types and what is declared, and on no record", {
  declare <- function(data) {
    dperm_schema(bought ~ ., data, ranges = list(age = c(0, 100), spent = c(0, 500)), levels = list(job = c("nurse", "judge"),
      code = 0:2, bought = c("no", "yes")))$text
  }
  expect_identical(declare(people()), declare(people()[0, ]))
  expect_identical(declare(people()), declare(customers(99, 5)))
  levels <- transform(people()[0, ], job = factor(character(), c("clerk", "nurse")), bought = factor(character(), c("no", "yes")))
  content <- dperm_schema(bought ~ job, levels, levels = "declared")$content
  expect_identical(unlist(content$columns[[1]]$values), c("clerk", "nurse"))
  truth <- dperm_schema(sick ~ smoker, data.frame(sick = NA, smoker = TRUE))$content
  expect_identical(unlist(truth$label$classes), c("FALSE", "TRUE"))
  number <- dperm_schema(age ~ spent, people(), ranges = list(age = c(0, 120), spent = c(0, 1)))$content
  expect_identical(number$label$type, "numeric")
})

test_that("formulas choose columns and crosses, and compute nothing", {
  part <- function(formula) schema_by_formula(dperm_schema(shop), formula)$content
  types <- function(content) vapply(content$columns, function(column) column$type, "")
  expect_identical(part(bought ~ .), dperm_schema(shop)$content)
  expect_identical(types(part(bought ~ age + job)), c("numeric", "ignore", "categorical", "ignore"))
  expect_length(part(bought ~ age + job)$crosses, 1)
  expect_null(part(bought ~ spent + job)$crosses)
  expect_identical(types(part(bought ~ . - code)), c("numeric", "numeric", "categorical", "ignore"))
  expect_length(part(bought ~ . + job:code)$crosses, 2)
  expect_length(part(bought ~ . + job:age)$crosses, 1)
  expect_false(part(bought ~ . + 0)$intercept)
  expect_error(part(bought ~ log(age)), "computes nothing")
  expect_error(part(bought ~ age + offset(spent)), "computes nothing")
  expect_error(part(log(bought) ~ age), "left side")
  expect_error(part(~age), "left side")
  expect_error(part(code ~ age), "the schema's \"bought\"")
  expect_error(part(bought ~ height), "\"height\", which is no column to learn from")
  expect_error(part(bought ~ age:job), "a cross needs its columns")
  expect_error(part(bought ~ age * job * code), "two columns at most")
  expect_error(part(bought ~ 1), "no column")
})

test_that("lists become the JSON that they mean", {
  expect_identical(to_json(list(values = "a", positive = "*", missing = "?", bins = 4, n = 0.1, x = c(1, 1e300), t = TRUE)),
                   "{\"values\": [\"a\"], \"positive\": \"*\", \"missing\": [\"?\"], \"bins\": 4, \"n\": 0.1, \"x\": [1, 1e+300], \"t\": true}")
  expect_identical(to_json(list(groups = list(low = "a", other = "*"))), "{\"groups\": {\"low\": [\"a\"], \"other\": \"*\"}}")
  expect_identical(to_json(list(values = 1:2, classes = c(FALSE, TRUE))), "{\"values\": [\"1\", \"2\"], \"classes\": [\"FALSE\", \"TRUE\"]}")
  expect_identical(json_text("a\"\\\n\u00fc"), "\"a\\\"\\\\\\u000a\u00fc\"")
  for (number in c(0.1, 1 / 3, 1e-300, 2^53 + 2, 5e-324, -123456.789)) {
    expect_identical(from_json(paste0("[", json_number(number), "]"))[[1]] + 0, number)
  }
  expect_error(to_json(list(min = NA)), "holds NA as \"min\"")
  expect_error(to_json(list(min = Sys.Date())), "\"min\" of a type")
  expect_error(to_json(list(max = Inf)), "not finite")
})

test_that("errors of the library are R's, with its sentence, and quote no record", {
  expect_error(dperm_schema(list(columns = list())), "label", class = "dperm_error")
  expect_error(dperm_schema(tempfile()), "cannot be opened|No such file", class = "dperm_error")
  data <- people()
  expect_error(encoded(shop, data[-1]), "the data have no column \"age\" that the schema lists")
  expect_error(encoded(shop, cbind(data, data["age"])), "several columns \"age\"")
  expect_error(encoded(shop, as.list(data)), "must be a data frame")
  expect_error(encoded(shop, transform(data, age = as.character(age))), "comes as texts")
  expect_error(encoded(shop, transform(data, age = factor(age))), "comes as a factor")
  expect_error(encoded(shop, transform(data, job = as.Date("2020-01-01"))), "is of class Date")
  expect_error(encoded(shop, transform(data, job = NA_real_, bought = NA)), "the label of row 1 is not one that")
  data$age <- matrix(data$age)
  expect_error(encoded(shop, data), "is no vector of numbers")
})
