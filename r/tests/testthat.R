library(testthat)
library(dperm)

test_check("dperm")
