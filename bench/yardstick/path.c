// Yardstick of the path kernel: the same simulation, straightforward in C with AVX2
// intrinsics, one antithetic pair in each of four lanes.
//
//	gcc -O3 -march=haswell -ffp-contract=off -o /tmp/path path.c -lm && /tmp/path 6
//
// The argument is the distance of the barrier in percent of log price, 0 for none. It prints
// the minimum and the median time per path and step over 200 jobs of 10,000 paths and 24 steps
// on one core, the number of liquidated paths and the sum of the bits of the P&L. With 6.25
// these two must be 1099 and the sum in TestContractBits of ballast/compute/mc.
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 24, PATHS = 10000, TABLE = 1001, BIG = 8760 };

typedef struct {
	const double (*table)[2]; // a draw and its antithetic partner
	int count;
	double start[4], decay[4], feed[4], base, hour[STEPS];
	double side, distance, gain, liquidated, funding;
	uint32_t key[2], c2, c3;
} path;

static inline __m256d all(double x) { return _mm256_set1_pd(x); }
static inline __m256i all64(uint64_t x) { return _mm256_set1_epi64x((long long)x); }

// philox computes a block's four words for four pairs, one pair per lane, in the lower half.
static inline void philox(const path *p, uint32_t block, __m256i pair, __m256i c[4]) {
	const __m256i m0 = all64(0xD2511F53), m1 = all64(0xCD9E8D57);
	uint32_t k0 = p->key[0], k1 = p->key[1];
	c[0] = all64(block), c[1] = pair, c[2] = all64(p->c2), c[3] = all64(p->c3);
	for (int r = 0; r < 10; r++, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
		__m256i p0 = _mm256_mul_epu32(c[0], m0), p1 = _mm256_mul_epu32(c[2], m1);
		c[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c[1]), all64(k0));
		c[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c[3]), all64(k1));
		c[1] = p1, c[3] = p0;
	}
}

static inline __m256d uniform(__m256i high, __m256i low) {
	__m256i w = _mm256_blend_epi32(_mm256_slli_epi64(high, 32), low, 0x55);
	w = _mm256_or_si256(_mm256_srli_epi64(w, 12), all64(0x3FFull << 52));
	return _mm256_sub_pd(_mm256_castsi256_pd(w), all(1));
}

static inline __m256d horner(__m256d z, const double *c, int n) {
	__m256d v = all(c[0]);
	for (int i = 1; i < n; i++) v = _mm256_add_pd(all(c[i]), _mm256_mul_pd(z, v));
	return v;
}

static inline __m256d expd(__m256d x) {
	static const double e[] = {1.0 / 479001600, 1.0 / 3628800, 1.0 / 40320, 1.0 / 720, 1.0 / 24, 1.0 / 2};
	static const double o[] = {1.0 / 6227020800, 1.0 / 39916800, 1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6, 1};
	const __m256d shift = all(0x1.8p52);
	__m256d shifted = _mm256_add_pd(_mm256_mul_pd(x, all(1.44269504088896340736)), shift);
	__m256d k = _mm256_sub_pd(shifted, shift);
	__m256d r = _mm256_sub_pd(x, _mm256_mul_pd(k, all(6.93147180369123816490e-01)));
	r = _mm256_sub_pd(r, _mm256_mul_pd(k, all(1.90821492927058770002e-10)));
	__m256d z = _mm256_mul_pd(r, r);
	__m256d sum = _mm256_add_pd(_mm256_mul_pd(r, horner(z, o, 7)), _mm256_mul_pd(z, horner(z, e, 6)));
	__m256i scale = _mm256_slli_epi64(_mm256_add_epi64(_mm256_castpd_si256(shifted), all64(1023)), 52);
	return _mm256_mul_pd(_mm256_add_pd(all(1), sum), _mm256_castsi256_pd(scale));
}

static inline __m256d pct(const path *p, __m256d x) {
	x = _mm256_max_pd(all(-64), _mm256_min_pd(all(64), x));
	return _mm256_sub_pd(_mm256_mul_pd(all(p->gain), _mm256_sub_pd(expd(x), all(1))), all(p->funding));
}

// survival returns for four paths the probability that they do not reach the barrier.
static inline __m256d survival(const path *p, const __m256d s[STEPS], const __m256d x[STEPS]) {
	__m256d product = all(1), before = all(p->distance), dead = all(0);
	for (int i = 0; i < STEPS; i++) {
		__m256d next = _mm256_add_pd(all(p->distance), _mm256_mul_pd(all(p->side), x[i]));
		dead = _mm256_or_pd(dead, _mm256_cmp_pd(next, all(0), _CMP_LE_OQ));
		__m256d m = _mm256_mul_pd(all(2), _mm256_mul_pd(before, next));
		__m256d near = _mm256_cmp_pd(m, _mm256_mul_pd(all(37.5), s[i]), _CMP_LT_OQ);
		before = next;
		if (_mm256_movemask_pd(near)) {
			__m256d t = _mm256_div_pd(_mm256_xor_pd(m, all(-0.0)), s[i]);
			product = _mm256_mul_pd(product, _mm256_blendv_pd(all(1), _mm256_sub_pd(all(1), expd(t)), near));
		}
	}
	return _mm256_andnot_pd(dead, product);
}

// run simulates groups of four pairs, starting with pair number first.
static int run(const path *p, uint32_t first, double *pnl, int groups) {
	int liquidated = 0;
	__m256i pair = _mm256_add_epi64(all64(first), _mm256_set_epi64x(3, 2, 1, 0));
	for (int g = 0; g < groups; g++, pnl += 8, pair = _mm256_add_epi64(pair, all64(4))) {
		__m256d sa[STEPS], xa[STEPS], sb[STEPS], xb[STEPS];
		uint64_t at[STEPS][4] __attribute__((aligned(32)));
		for (int b = 0; b < STEPS / 4; b++) {
			__m256i w[4];
			philox(p, b, pair, w);
			for (int i = 0; i < 4; i++) {
				__m256i v = _mm256_add_epi64(_mm256_mul_epu32(w[i], all64(p->count)), all64(p->count / 2));
				_mm256_store_si256((__m256i *)at[4 * b + i], _mm256_srli_epi64(v, 32));
			}
		}
		__m256d a[4], c[4], x = all(0), y = all(0);
		for (int k = 0; k < 4; k++) a[k] = c[k] = all(p->start[k]);
		for (int i = 0; i < STEPS; i++) {
			__m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p->table[at[i][0]])), _mm_loadu_pd(p->table[at[i][2]]), 1);
			__m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p->table[at[i][1]])), _mm_loadu_pd(p->table[at[i][3]]), 1);
			__m256d u = _mm256_unpacklo_pd(even, odd), v = _mm256_unpackhi_pd(even, odd);
			// The second of the four variance components has weight 0 and is left out.
			__m256d s = _mm256_add_pd(_mm256_add_pd(a[0], _mm256_add_pd(a[2], a[3])), all(p->base));
			__m256d t = _mm256_add_pd(_mm256_add_pd(c[0], _mm256_add_pd(c[2], c[3])), all(p->base));
			__m256d q = _mm256_mul_pd(s, _mm256_mul_pd(u, u)), r = _mm256_mul_pd(t, _mm256_mul_pd(v, v));
			for (int k = 0; k < 4; k++) {
				if (k == 1) continue;
				a[k] = _mm256_add_pd(_mm256_mul_pd(all(p->decay[k]), a[k]), _mm256_mul_pd(all(p->feed[k]), q));
				c[k] = _mm256_add_pd(_mm256_mul_pd(all(p->decay[k]), c[k]), _mm256_mul_pd(all(p->feed[k]), r));
			}
			s = _mm256_mul_pd(s, all(p->hour[i])), t = _mm256_mul_pd(t, all(p->hour[i]));
			x = _mm256_add_pd(x, _mm256_mul_pd(_mm256_sqrt_pd(s), u));
			y = _mm256_add_pd(y, _mm256_mul_pd(_mm256_sqrt_pd(t), v));
			sa[i] = s, xa[i] = x, sb[i] = t, xb[i] = y;
		}
		__m256d pa = pct(p, x), pb = pct(p, y);
		if (p->distance > 0) {
			// Skips survival for paths far from the barrier, by smallest distance and largest variance.
			__m256d da = all(p->distance), db = da, la = sa[0], lb = sb[0];
			for (int i = 0; i < STEPS; i++) {
				da = _mm256_min_pd(da, _mm256_add_pd(all(p->distance), _mm256_mul_pd(all(p->side), xa[i])));
				db = _mm256_min_pd(db, _mm256_add_pd(all(p->distance), _mm256_mul_pd(all(p->side), xb[i])));
				la = _mm256_max_pd(la, sa[i]), lb = _mm256_max_pd(lb, sb[i]);
			}
			da = _mm256_max_pd(da, all(0)), db = _mm256_max_pd(db, all(0));
			int na = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_mul_pd(da, da), _mm256_mul_pd(all(18.75), la), _CMP_LT_OQ));
			int nb = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_mul_pd(db, db), _mm256_mul_pd(all(18.75), lb), _CMP_LT_OQ));
			if (na | nb) {
				__m256i w[4];
				philox(p, STEPS / 4, pair, w);
				__m256d ha = all(0), hb = all(0);
				if (na) ha = _mm256_cmp_pd(uniform(w[0], w[1]), survival(p, sa, xa), _CMP_GE_OQ);
				if (nb) hb = _mm256_cmp_pd(uniform(w[2], w[3]), survival(p, sb, xb), _CMP_GE_OQ);
				pa = _mm256_blendv_pd(pa, all(p->liquidated), ha);
				pb = _mm256_blendv_pd(pb, all(p->liquidated), hb);
				liquidated += __builtin_popcount(_mm256_movemask_pd(ha)) + __builtin_popcount(_mm256_movemask_pd(hb));
			}
		}
		__m256d low = _mm256_unpacklo_pd(pa, pb), high = _mm256_unpackhi_pd(pa, pb);
		_mm256_storeu_pd(pnl, _mm256_permute2f128_pd(low, high, 0x20));
		_mm256_storeu_pd(pnl + 4, _mm256_permute2f128_pd(low, high, 0x31));
	}
	return liquidated;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv) {
	double barrier = argc > 1 ? atof(argv[1]) / 100 : 0;
	int n = barrier == 0.0625 ? TABLE : BIG; // the table of TestContractBits, or one of usual size
	static double draws[BIG], table[BIG][2], pnl[PATHS];
	for (int i = 0; i < n; i++) {
		double v = (double)(i - n / 2) / (n / 2);
		draws[i] = 1.25 * v * (1 + v * v / 2);
	}
	for (int i = 0; i < n; i++) table[i][0] = draws[i], table[i][1] = draws[n - 1 - i];

	static const double e[4] = {9e-5, 7e-5, 6e-5, 5e-5}, b[5] = {0.65, 0, 0.06, 0.08, 0.06};
	path p = {.table = (const double(*)[2])table, .count = n, .side = -1, .distance = barrier,
		.decay = {6.0 / 7, 24.0 / 25, 120.0 / 121, 600.0 / 601}, .gain = -100, .liquidated = -7.53125,
		.funding = 0.03125, .key = {0x03020100, 0x07060504}, .c2 = 1, .c3 = 0x0b0a0908};
	const double k2 = 1.0625, g = 1.125, c = 1.0625, scale = c * c * k2;
	for (int k = 0; k < 4; k++) {
		p.start[k] = scale * b[k] * e[k];
		p.feed[k] = k2 * b[k] * (1 - p.decay[k]) * g;
	}
	p.base = scale * b[4] * 6e-5;
	for (int i = 0; i < STEPS; i++) p.hour[i] = (6.0 + i) / 16;

	static double ns[200];
	int liquidated = 0;
	for (int j = 0; j < 200; j++) {
		double t = now();
		liquidated = run(&p, 0, pnl, PATHS / 8);
		ns[j] = (now() - t) / (PATHS * (double)STEPS);
	}
	qsort(ns, 200, sizeof *ns, ascending);
	uint64_t sum = 0;
	for (int i = 0; i < PATHS; i++) {
		uint64_t v;
		memcpy(&v, &pnl[i], 8);
		sum += v;
	}
	printf("C path-step: least %.3f ns, median %.3f ns; %d liquidated, bits %016llx\n", ns[0], ns[100], liquidated, (unsigned long long)sum);
	return 0;
}
