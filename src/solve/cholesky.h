/* The Cholesky factor of a symmetric matrix, and solutions with it: what Newton's directions need
 * of linear algebra, at the rate of matrix/gemm_block.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* H = UᵀU in place: of the n × n numbers, row-major, the upper triangle is H and becomes U; what is
 * below the diagonal is work space. False, and H spoilt, where H is not positive definite to
 * rounding. */
bool cholesky_factor(double *h, size_t n);

/* x becomes H⁻¹ x. */
void cholesky_solve(const double *u, size_t n, double *x);
