// Package stats has the sample statistics that several models use: sums in a fixed order, quantiles by
// selection, tail means, Pearson and Kendall correlation, ranks, the Ledoit-Wolf covariance and its
// repair, the normal and Student distributions, and piecewise linear curves. docs/model.md has the
// definitions.
//
// Results have the unit of the input (covariances its square). Nothing here depends on assets, hours or
// money.
//
// Order of summation: every sum has four interleaved partial sums, element i in partial sum i mod 4,
// combined as (s0+s1)+(s2+s3), without fused multiply-add. An AVX2 register sums in the same order, so
// assembly and Go return the same bits. Products are written float64(x*y), because the conversion stops the
// compiler from fusing them with an addition.
//
// No function accepts NaN. Callers exclude NaN when bars are checked.
package stats
