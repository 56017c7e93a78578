// Yardstick of the selection kernel: a straightforward quantile and tail mean in C with AVX2
// intrinsics. A sorted sample of up to 512 values gives a threshold, a filter collects the
// values above it, and quickselect finds the quantile among them.
//
//	gcc -O3 -march=haswell -o /tmp/tail tail.c -lm && /tmp/tail
//
// For the 99th percentile of 10,000, 100,000 and 1,000,000 standard normals it prints the
// minimum and the median time per element on one core, the quantile, and the mean of its tail.
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLE = 512, LARGEST = 1000000, JOBS = 400 };

static int32_t packs[16][8]; // by mask: permutation that moves the kept lanes to the front

static void prepare(void) {
	for (int mask = 0; mask < 16; mask++) {
		int to = 0;
		for (int lane = 0; lane < 4; lane++)
			if (mask >> lane & 1) {
				packs[mask][2 * to] = 2 * lane;
				packs[mask][2 * to + 1] = 2 * lane + 1;
				to++;
			}
	}
}

// above writes the values that are at least t to to, and returns their number.
static int above(double *to, const double *x, int n, double t) {
	int count = 0, i = 0;
	__m256d least = _mm256_set1_pd(t);
	for (; i + 4 <= n; i += 4) {
		__m256d v = _mm256_loadu_pd(x + i);
		int mask = _mm256_movemask_pd(_mm256_cmp_pd(v, least, _CMP_GE_OQ));
		__m256i kept = _mm256_permutevar8x32_epi32(_mm256_castpd_si256(v), _mm256_loadu_si256((const __m256i *)packs[mask]));
		_mm256_storeu_si256((__m256i *)(to + count), kept);
		count += _mm_popcnt_u32(mask);
	}
	for (; i < n; i++)
		if (x[i] >= t) to[count++] = x[i];
	return count;
}

static int ascending(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

// smallest returns the k-th smallest element of a, k from 0, and moves larger elements behind it.
static double smallest(double *a, int n, int k) {
	int lo = 0, hi = n - 1;
	while (lo < hi) {
		double pivot = a[(lo + hi) / 2];
		int i = lo, j = hi;
		while (i <= j) {
			while (a[i] < pivot) i++;
			while (a[j] > pivot) j--;
			if (i <= j) {
				double v = a[i];
				a[i++] = a[j], a[j--] = v;
			}
		}
		if (k <= j) hi = j;
		else if (k >= i) lo = i;
		else break;
	}
	return a[k];
}

// upperTail returns the type-7 quantile, and in mean the mean of the values from the quantile on.
static double upperTail(const double *x, int n, double p, double *scratch, double *mean) {
	double sample[SAMPLE], h = p * (n - 1);
	int below = (int)h, need = n - below, few = n / 80 < SAMPLE ? n / 80 : SAMPLE;
	for (int i = 0; i < few; i++) sample[i] = x[(int64_t)i * n / few];
	qsort(sample, few, sizeof *sample, ascending);
	double share = (double)need / n * few;
	int rank = (int)(share + 4 * sqrt(share) + 4), count = 0;
	if (rank < few) count = above(scratch, x, n, sample[few - rank]);
	if (count < need) memcpy(scratch, x, n * sizeof *x), count = n;
	double low = smallest(scratch, count, count - need), high = low;
	if (need > 1) {
		high = INFINITY;
		for (int i = count - need + 1; i < count; i++) high = fmin(high, scratch[i]);
	}
	double q = low + (h - below) * (high - low), sum = 0;
	int from = 0;
	for (int i = count - need; i < count; i++)
		if (scratch[i] >= q) sum += scratch[i], from++;
	*mean = sum / from;
	return q;
}

static double seconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(void) {
	static double x[LARGEST], scratch[LARGEST + 4], times[JOBS];
	prepare();
	srand48(1);
	for (int i = 0; i < LARGEST; i++) x[i] = sqrt(-2 * log(1 - drand48())) * cos(2 * M_PI * drand48());
	for (int n = 10000; n <= LARGEST; n *= 10) {
		int jobs = n == LARGEST ? JOBS / 4 : JOBS;
		double q = 0, mean = 0;
		for (int j = 0; j < jobs; j++) {
			double begin = seconds();
			q = upperTail(x, n, 0.99, scratch, &mean);
			times[j] = (seconds() - begin) / n * 1e9;
		}
		qsort(times, jobs, sizeof *times, ascending);
		printf("%7d: least %.3f, median %.3f ns an element; %.4f, %.4f\n", n, times[0], times[jobs / 2], q, mean);
	}
}
