# Columns of R's on their way into the library: doubles, or codes of texts.
#
# A guarantee is about replacing one record, so a row must depend on its own record and on nothing else. A vector
# of R's has one type, which its values agree on: beside a text the number 0.1 + 0.2 is "0.3" and 100000 is "1e+05",
# beside a number TRUE is 1. So each type is taken by a rule of its own, and of each two values that may have been
# one before they met others, at least one is refused. Dates and other classes mean something by their class alone
# (a Date by its origin, an integer64 by its bits) and are refused, as the Python package refuses them.

truths <- c("TRUE", "FALSE")

# "factor", "character", "logical", "integer" or "double".
kind_of <- function(values, what) {
  if (is.factor(values)) {
    return("factor")
  }
  if (is.object(values)) {
    refuse(what, " is of class ", class(values)[1], ", which has no text and no number of its own; give dates as days ",
           "since a public one (as.numeric(x - as.Date(\"2000-01-01\"))), other values as numbers, texts or a factor")
  }
  if (!typeof(values) %in% c("character", "logical", "integer", "double") || !is.null(dim(values))) {
    refuse(what, " is no vector of numbers, texts or truths, and no factor; give one value for each record")
  }
  typeof(values)
}

# Whole numbers and decimals without an exponent, each as it reads back; NA for others.
plain_digits <- function(values) {
  texts <- sprintf("%.15g", values + 0) # no -0
  texts[texts == "-0"] <- "0"
  texts[grepl("e", texts, fixed = TRUE) | as.numeric(texts) != values] <- NA
  texts
}

# The few different values of a column as texts, by its kind; NA stays.
texts_of <- function(values, kind, what) {
  if (kind == "logical") {
    return(as.character(values))
  }
  if (kind == "integer") {
    return(ifelse(is.na(values), NA, sprintf("%d", values)))
  }
  if (kind == "double") {
    there <- !is.na(values)
    if (any(is.infinite(values))) {
      refuse(what, " holds an infinite number; give texts, or NA for no value")
    }
    texts <- rep(NA_character_, length(values))
    texts[there] <- plain_digits(values[there])
    if (anyNA(texts[there])) {
      refuse(what, " holds numbers of more than 15 digits, which R writes as others beside a text; give texts")
    }
    return(texts)
  }
  if (any(Encoding(values) == "bytes") || !all(validUTF8(enc2utf8(values)))) {
    refuse(what, " holds a text that is not UTF-8; mend it, or set its Encoding()")
  }
  texts <- gsub("^[ \t]+|[ \t]+$", "", enc2utf8(values))
  if (any(grepl("^[+-]?[0-9.]+e[+-]?[0-9]+$", texts))) {
    refuse(what, " holds a text such as 1e+05, which R makes of numbers beside texts; give texts from the start ",
           "(read.csv(colClasses = \"character\")), or whole numbers alone")
  }
  texts
}

# Whether TRUE may have become 1; `listed` are the texts that the schema tells apart. Where it lists truths, 0 and 1
# are refused, else where it lists these, truths; where both, no text says which of the two it was.
check_truths <- function(texts, kind, listed, what) {
  digits <- c("0", "1")
  lists_truths <- any(truths %in% listed)
  lists_digits <- any(digits %in% listed)
  if (lists_truths && any(digits %in% texts)) {
    refuse(what, " holds 0 or 1, where the schema lists TRUE or FALSE; give truths or texts")
  }
  if (lists_digits && any(truths %in% texts) && (!lists_truths || kind != "logical")) {
    refuse(what, " holds TRUE or FALSE, where the schema lists 0 or 1; give whole numbers or texts")
  }
}

# Codes from 0, -1 for no value, and their texts.
codes_of <- function(values, kind, listed, what) {
  if (kind == "factor") {
    codes <- as.integer(values)
    used <- sort(unique(codes))
    few <- levels(values)[used]
    kind <- "character"
  } else {
    used <- unique(values)
    codes <- match(values, used)
    few <- used
    used <- seq_along(few)
  }
  texts <- texts_of(few, kind, what)
  check_truths(texts, kind, listed, what)
  kept <- !is.na(texts)
  places <- rep(-1L, max(0L, used))
  places[used[kept]] <- seq_len(sum(kept)) - 1L
  codes <- places[codes]
  codes[is.na(codes)] <- -1L
  list(codes, texts[kept])
}

# What the glue takes for a column, or for labels.
column_of <- function(values, what, numeric, missing = numeric(), listed = character()) {
  kind <- kind_of(values, what)
  if (!numeric) {
    return(codes_of(values, kind, listed, what))
  }
  if (kind %in% c("factor", "character")) {
    refuse(what, " is a number in the schema and comes as ", if (kind == "factor") "a factor" else "texts",
           ", in which R writes numbers with 15 digits; give numbers (read.csv(na.strings = ...) for marks of no value)")
  }
  numbers <- as.double(values)
  if (length(missing) > 0) {
    numbers[numbers %in% missing] <- NaN
  }
  numbers
}
