// Yardstick of the normals kernel: a straightforward Box-Muller in C with AVX2 intrinsics,
// fused multiply-adds and full double precision.
//
//	gcc -O3 -march=haswell -o /tmp/normals normals.c -lm && /tmp/normals
//
// It prints the minimum and the median time per normal over 2,000 jobs of 4,096 normals on one
// core, with two generators: a sequential one (xoshiro256+, one in each of four lanes), and the
// counter-based Philox4x32-10 of ballast/asm, which can compute its numbers in any order. For
// both it prints the mean, variance and fourth moment of the normals, and at the end the length
// of a processor cycle.
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { JOB = 4096, JOBS = 2000 };

static inline __m256d all(double x) { return _mm256_set1_pd(x); }
static inline __m256i all64(uint64_t x) { return _mm256_set1_epi64x((long long)x); }

typedef struct {
	__m256i s[4];
} xoshiro; // xoshiro256+ of Blackman and Vigna, one in each lane

// next returns 64 random bits per lane.
static inline __m256i next(xoshiro *g) {
	__m256i sum = _mm256_add_epi64(g->s[0], g->s[3]), t = _mm256_slli_epi64(g->s[1], 17);
	g->s[2] = _mm256_xor_si256(g->s[2], g->s[0]);
	g->s[3] = _mm256_xor_si256(g->s[3], g->s[1]);
	g->s[1] = _mm256_xor_si256(g->s[1], g->s[2]);
	g->s[0] = _mm256_xor_si256(g->s[0], g->s[3]);
	g->s[2] = _mm256_xor_si256(g->s[2], t);
	g->s[3] = _mm256_or_si256(_mm256_slli_epi64(g->s[3], 45), _mm256_srli_epi64(g->s[3], 19));
	return sum;
}

// philox computes a block's four words for four pairs, one pair per lane, in the lower half.
static inline void philox(__m256i pair, __m256i c[4]) {
	const __m256i m0 = all64(0xD2511F53), m1 = all64(0xCD9E8D57);
	uint32_t k0 = 1, k1 = 2;
	c[0] = all64(3), c[1] = pair, c[2] = all64(0), c[3] = all64(0);
	for (int r = 0; r < 10; r++, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
		__m256i p0 = _mm256_mul_epu32(c[0], m0), p1 = _mm256_mul_epu32(c[2], m1);
		c[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c[1]), all64(k0));
		c[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c[3]), all64(k1));
		c[1] = p1, c[3] = p0;
	}
}

static inline __m256d horner(__m256d z, const double *c, int n) {
	__m256d v = all(c[0]);
	for (int i = 1; i < n; i++) v = _mm256_fmadd_pd(z, v, all(c[i]));
	return v;
}

// logarithm and the sine and cosine in normals are fdlibm's. u is positive, not subnormal.
static inline __m256d logarithm(__m256d u) {
	static const double c[] = {1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
		2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01};
	__m256i b = _mm256_castpd_si256(u), shift = _mm256_sub_epi64(b, all64(0x3FE6A09E667F3BCD));
	__m256i k52 = _mm256_xor_si256(_mm256_srli_epi64(shift, 52), all64(0x4330000000000800));
	__m256d k = _mm256_sub_pd(_mm256_castsi256_pd(k52), all(0x1p52 + 0x1p11));
	b = _mm256_sub_epi64(b, _mm256_and_si256(shift, all64(0xFFFull << 52)));
	__m256d f = _mm256_sub_pd(_mm256_castsi256_pd(b), all(1));
	__m256d s = _mm256_div_pd(f, _mm256_add_pd(f, all(2))), z = _mm256_mul_pd(s, s);
	__m256d half = _mm256_mul_pd(all(0.5), _mm256_mul_pd(f, f));
	__m256d low = _mm256_mul_pd(s, _mm256_fmadd_pd(z, horner(z, c, 7), half));
	low = _mm256_fmadd_pd(k, all(1.90821492927058770002e-10), low);
	return _mm256_fmadd_pd(k, all(6.93147180369123816490e-01), _mm256_sub_pd(f, _mm256_sub_pd(half, low)));
}

// normals writes eight normals from uniform numbers u in (0, 1] and angles v in [-1/2, 1/2] turns.
static inline void normals(__m256d u, __m256d v, double *to) {
	static const double sine[] = {1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
		-1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01};
	static const double cosine[] = {-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
		2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02, -0.5, 1};
	__m256d r = _mm256_sqrt_pd(_mm256_mul_pd(all(-2), logarithm(u)));
	__m256d shifted = _mm256_fmadd_pd(v, all(4), all(0x1.8p52)); // its last two bits are the quadrant
	__m256d x = _mm256_fnmadd_pd(_mm256_sub_pd(shifted, all(0x1.8p52)), all(0.25), v);
	x = _mm256_mul_pd(x, all(2 * M_PI));
	__m256d z = _mm256_mul_pd(x, x);
	__m256d s = _mm256_fmadd_pd(_mm256_mul_pd(x, z), horner(z, sine, 6), x), c = horner(z, cosine, 8);
	__m256i q = _mm256_castpd_si256(shifted), one = all64(1);
	__m256d odd = _mm256_castsi256_pd(_mm256_slli_epi64(q, 63));
	__m256i sign = _mm256_slli_epi64(_mm256_srli_epi64(q, 1), 63);
	__m256i other = _mm256_slli_epi64(_mm256_srli_epi64(_mm256_add_epi64(q, one), 1), 63);
	__m256d sin = _mm256_xor_pd(_mm256_blendv_pd(s, c, odd), _mm256_castsi256_pd(sign));
	__m256d cos = _mm256_xor_pd(_mm256_blendv_pd(c, s, odd), _mm256_castsi256_pd(other));
	_mm256_storeu_pd(to, _mm256_mul_pd(r, cos));
	_mm256_storeu_pd(to + 4, _mm256_mul_pd(r, sin));
}

// fraction returns 52 bits as a number in [1, 2).
static inline __m256d fraction(__m256i bits) {
	return _mm256_castsi256_pd(_mm256_or_si256(_mm256_srli_epi64(bits, 12), all64(0x3FFull << 52)));
}

// number returns (w+1/2)/2^32 for the word w in the lower half of each lane.
static inline __m256d number(__m256i word) {
	__m256i b = _mm256_blend_epi32(word, all64(0x433ull << 52), 0xAA);
	return _mm256_mul_pd(_mm256_sub_pd(_mm256_castsi256_pd(b), all(0x1p52 - 0.5)), all(0x1p-32));
}

__attribute__((noinline)) static void sequential(xoshiro *state, double *to) {
	xoshiro g = *state;
	for (int i = 0; i < JOB; i += 8) {
		__m256d u = _mm256_sub_pd(all(2), fraction(next(&g))), v = _mm256_sub_pd(fraction(next(&g)), all(1.5));
		normals(u, v, to + i);
	}
	*state = g;
}

__attribute__((noinline)) static void counted(uint32_t first, double *to) {
	__m256i pair = _mm256_add_epi64(all64(first), _mm256_set_epi64x(3, 2, 1, 0));
	for (int i = 0; i < JOB; i += 16, pair = _mm256_add_epi64(pair, all64(4))) {
		__m256i w[4];
		philox(pair, w);
		for (int h = 0; h < 2; h++) normals(number(w[2 * h]), _mm256_sub_pd(number(w[2 * h + 1]), all(0.5)), to + i + 8 * h);
	}
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

// cycle returns the length of a processor cycle, ns. It assumes that the core starts two fused
// multiply-adds per cycle, as cores of the last ten years do.
static double cycle(void) {
	enum { TURNS = 200000 };
	const __m256d x = all(1 - 1e-9), y = all(1e-9);
	__m256d a = all(0), b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a;
	double least = INFINITY;
	for (int run = 0; run < 50; run++) {
		double t = now();
		for (int turn = 0; turn < TURNS; turn++) {
			a = _mm256_fmadd_pd(a, x, y), b = _mm256_fmadd_pd(b, x, y), c = _mm256_fmadd_pd(c, x, y);
			d = _mm256_fmadd_pd(d, x, y), e = _mm256_fmadd_pd(e, x, y), f = _mm256_fmadd_pd(f, x, y);
			g = _mm256_fmadd_pd(g, x, y), h = _mm256_fmadd_pd(h, x, y), i = _mm256_fmadd_pd(i, x, y);
			j = _mm256_fmadd_pd(j, x, y);
			__asm__ volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f), "+x"(g), "+x"(h), "+x"(i), "+x"(j));
		}
		least = fmin(least, (now() - t) / (5.0 * TURNS));
	}
	return least;
}

int main(void) {
	static double z[JOB], ns[JOBS];
	xoshiro g;
	uint64_t seed = 1, *s = (uint64_t *)g.s; // seeded with SplitMix64
	for (int i = 0; i < 16; i++) {
		uint64_t x = seed += 0x9E3779B97F4A7C15;
		x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9, x = (x ^ x >> 27) * 0x94D049BB133111EB;
		s[i] = x ^ x >> 31;
	}
	for (int way = 0; way < 2; way++) {
		double m[3] = {0};
		for (int j = 0; j < JOBS; j++) {
			double t = now();
			if (way == 0) sequential(&g, z);
			else counted(j * (JOB / 4), z);
			ns[j] = (now() - t) / JOB;
			for (int i = 0; i < JOB; i++) m[0] += z[i], m[1] += z[i] * z[i], m[2] += z[i] * z[i] * z[i] * z[i];
		}
		qsort(ns, JOBS, sizeof *ns, ascending);
		for (int k = 0; k < 3; k++) m[k] /= (double)JOBS * JOB;
		printf("C normal, %s: least %.3f ns, median %.3f ns; mean %.5f, variance %.5f, fourth moment %.4f\n",
			way ? "Philox4x32-10" : "xoshiro256+", ns[0], ns[JOBS / 2], m[0], m[1], m[2]);
	}
	printf("a cycle: %.4f ns\n", cycle());
	return 0;
}
