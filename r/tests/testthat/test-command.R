# The same bits as the command with the same seed.

trained_by_command <- function(directory, ...) {
  out <- file.path(directory, "command.json")
  command("train", "--data", file.path(directory, "people.csv"), "--schema", file.path(directory, "schema.json"),
          "--seed", "7", "--out", out, "--force", ...)
  bytes_of(out)
}

with_files <- function(schema, people, action) {
  directory <- tempfile("dperm")
  dir.create(directory)
  on.exit(unlink(directory, recursive = TRUE))
  writeLines(to_json(schema), file.path(directory, "schema.json"))
  write.csv(people, file.path(directory, "people.csv"), row.names = FALSE, na = "", quote = FALSE)
  action(directory)
}

written <- function(model) {
  path <- tempfile(fileext = ".json")
  on.exit(unlink(path))
  write_model(model, path)
  bytes_of(path)
}

expect_same_model <- function(schema, people, words, ...) {
  with_files(schema, people, function(directory) {
    by_command <- do.call(trained_by_command, c(list(directory), words))
    label <- as.name(schema$label$column)
    formula <- eval(call("~", label, quote(.)))
    expect_identical(written(dperm(formula, people, schema, seed = 7, ...)), by_command)
    expect_identical(written(dperm(formula, tibble::as_tibble(people), file.path(directory, "schema.json"), seed = 7, ...)),
                     by_command)
    expect_identical(written(dperm(formula, file.path(directory, "people.csv"), schema, seed = 7, ...)), by_command)
  })
}

test_that("models have the command's bits", {
  skip_without_command()
  skip_if_not_installed("tibble")
  people <- customers(3000)
  people$age[5] <- NA
  people$job[7] <- NA
  plain <- shop[setdiff(names(shop), "crosses")]
  zero <- plain[setdiff(names(plain), "on_missing")]
  expect_same_model(shop, people, c("--epsilon", "1"), epsilon = 1)
  expect_same_model(plain, people, c("--epsilon", "2", "--loss", "huber", "--lambda", "0.01"), epsilon = 2, loss = "huber",
                    lambda = 0.01)
  zero$columns[[1]][c("bins", "line")] <- NULL
  expect_same_model(zero, people, c("--epsilon", "2", "--intervals", "auto"), epsilon = 2, intervals = "auto")
  expect_same_model(plain, people, c("--epsilon", "2", "--noise", "gaussian", "--delta", "1e-9", "--evaluate", "0.2"),
                    epsilon = 2, noise = "gaussian", delta = 1e-9, evaluate = 0.2)
  expect_same_model(plain, people, c("--epsilon", "2", "--refine", "0.3", "--calibrate", "0.1", "--class-weights", "yes=3"),
                    epsilon = 2, refine = 0.3, calibrate = 0.1, class_weights = c(yes = 3))
  expect_same_model(plain, people, c("--epsilon", "4", "--kernel", "gaussian", "--gamma", "0.5", "--features", "20"),
                    epsilon = 4, kernel = "gaussian", gamma = 0.5, features = 20)
  expect_same_model(plain, people, c("--epsilon", "2", "--neighbours", "add-remove", "--rows-about", "3000",
                                     "--mechanism", "output"),
                    epsilon = 2, neighbours = "add-remove", rows_about = 3000, mechanism = "output")
})

test_that("so have regressions, more classes, and other types of the same records", {
  skip_without_command()
  skip_if_not_installed("tibble")
  people <- customers(3000)
  number <- shop[setdiff(names(shop), "crosses")]
  number$label <- list(column = "spent", type = "numeric", min = 0, max = 300)
  number$columns <- number$columns[-2]
  expect_same_model(number, people, c("--epsilon", "1"), epsilon = 1)
  expect_same_model(number, people, c("--epsilon", "1", "--loss", "quantile", "--quantile", "0.9"), epsilon = 1,
                    loss = "quantile", quantile = 0.9)
  expect_same_model(number, people, c("--epsilon", "1", "--loss", "poisson"), epsilon = 1, loss = "poisson")
  expect_same_model(number, people, c("--epsilon", "1", "--loss", "huber-regression", "--h", "0.2"), epsilon = 1,
                    loss = "huber-regression", h = 0.2)
  three <- number
  three$label <- list(column = "job", classes = c("nurse", "judge", "clerk"))
  three$columns <- three$columns[-2]
  expect_same_model(three, people, c("--epsilon", "3"), epsilon = 3)
  other <- transform(people, job = factor(job, c("clerk", "unused", "judge", "nurse")), code = as.double(code),
                     bought = factor(bought))
  by <- function(data) written(dperm(bought ~ ., data, shop, epsilon = 1, seed = 3))
  expect_identical(by(other), by(people))
})

test_that("so has a choice among candidates", {
  skip_without_command()
  people <- customers(3000)
  with_files(shop, people, function(directory) {
    out <- file.path(directory, "tuned.json")
    command("tune", "--data", file.path(directory, "people.csv"), "--schema", file.path(directory, "schema.json"), "--epsilon",
            "2", "--loss", "huber,logistic", "--h", "0.3,0.5", "--lambda", "0.01,0.1", "--seed", "9", "--out", out)
    tuned <- tune(bought ~ ., people, shop, epsilon = 2, loss = c("huber", "logistic"), h = c(0.3, 0.5),
                  lambda = c(0.01, 0.1), seed = 9)
    expect_identical(written(tuned), bytes_of(out))
  })
})

test_that("predictions are the command's", {
  skip_without_command()
  people <- customers(2000)
  with_files(shop, people, function(directory) {
    model <- dperm(bought ~ ., people, shop, epsilon = 1)
    path <- file.path(directory, "model.json")
    write_model(model, path)
    said <- utils::read.csv(text = command("predict", "--model", path, "--data", file.path(directory, "people.csv")),
                            colClasses = "character")
    exact <- function(texts) unlist(from_json(paste0("[", paste(texts, collapse = ","), "]"))) # as C reads them
    expect_identical(as.character(predict(model, people)), said$prediction)
    expect_identical(predict(model, people, "score"), exact(said$score))
    expect_identical(predict(model, people, "prob")[, "yes"], exact(said$probability))
    verified <- from_json(paste(command("verify", "--model", path, "--json"), collapse = "\n"))
    expect_identical(verify(path)$holds, verified$verdict == "follows")
    expect_identical(verify(model)$lines, verify(path)$lines)
    expect_true(all(vapply(verified$lines, function(line) line$text, "") %in% verify(path)$lines$text))
  })
})
