// Package stats holds the sample statistics that more than one model needs:
// sums in a fixed order, quantiles by selection, tail means, Pearson and
// Kendall correlation, ranks, the Ledoit-Wolf covariance with its repair, the
// normal and the Student distribution, and piecewise linear curves. The rules
// are docs/model.md.
//
// Everything is dimensionless: a result has the unit of its input (or its
// square, for covariances). Nothing here knows about assets, hours or money.
//
// Order of summation. Every sum runs in four interleaved partial sums, element
// i into partial i mod 4, combined as (s0+s1)+(s2+s3), with no fused
// multiply-add. That order is what an AVX2 register does, so a kernel and this
// package return the same bits; products are written float64(x*y), which
// forbids the compiler to fuse them on machines that could.
//
// No function here accepts NaN: an ordering with NaN has no order statistics.
// Callers keep them out at the edge, where bars are checked.
package stats
