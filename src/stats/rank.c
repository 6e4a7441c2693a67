// SPDX-License-Identifier: BSD-2-Clause
// rank.c - rank tests by counting.
//
// Under the null hypothesis every choice of n_a of the n_a + n_b ranks for A is equally likely
// (Mann and Whitney 1947), and so is every choice of signs for the ranks of paired differences
// (Wilcoxon 1945).  The number of choices with a given sum is counted by adding one rank at a time,
// with midranks for ties, doubled so that they are integers: exact with ties too.  All counts stay
// below 2^53.  Larger samples use the normal approximation with tie and continuity correction.
#include "stats/rank.h"

#include "stats/dist.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	SUM_MAX = RANK_SUM_EXACT * (RANK_SUM_EXACT + 1), // doubled ranks of all
	CHOOSE_MAX = RANK_SUM_EXACT / 2,
	SIGNED_SUM_MAX = RANK_SIGNED_EXACT * (RANK_SIGNED_EXACT + 1),
};

struct tally {
	double ways[CHOOSE_MAX + 1][SUM_MAX + 1]; // choices of j ranks by their doubled sum
};

// Counts choices of up to k of the n doubled ranks.
static void tally_choices(struct tally *t, const unsigned *rank2, unsigned n, unsigned k)
{
	unsigned total = 0;

	memset(t->ways, 0, (k + 1) * sizeof(t->ways[0]));
	t->ways[0][0] = 1;
	for (unsigned i = 0; i < n; i++) {
		total += rank2[i];
		for (unsigned j = i + 1 < k ? i + 1 : k; j >= 1; j--)
			for (unsigned s = total; s >= rank2[i]; s--)
				t->ways[j][s] += t->ways[j - 1][s - rank2[i]];
	}
}

// Share of all choices whose sum lies at least as far from `centre` as `sum` does.
static double tail_share(const double *ways, unsigned max, double centre, double sum)
{
	double far = fabs(sum - centre);
	double tail = 0;
	double all = 0;

	for (unsigned s = 0; s <= max; s++) {
		all += ways[s];
		if (fabs(s - centre) >= far)
			tail += ways[s];
	}
	return tail / all;
}

// Ranks of two merged ascending samples.
struct merged {
	unsigned rank2[RANK_SUM_EXACT]; // filled only if all fit
	double sum_a2;                  // doubled rank sum of A
	double ties;                    // sum of t^3 - t over groups of t equal values
};

static void merge_ranks(
	const double *a, unsigned na, const double *b, unsigned nb, struct merged *m)
{
	unsigned n = na + nb;
	unsigned i = 0;
	unsigned j = 0;

	m->sum_a2 = 0;
	m->ties = 0;
	while (i + j < n) {
		double v = j >= nb || (i < na && a[i] <= b[j]) ? a[i] : b[j];
		unsigned first = i + j;
		unsigned i0 = i;
		double t, rank2;

		while (i < na && a[i] == v)
			i++;
		while (j < nb && b[j] == v)
			j++;
		t = i + j - first;
		rank2 = first + 1.0 + (i + j);
		m->sum_a2 += rank2 * (i - i0);
		m->ties += t * t * t - t;
		for (unsigned k = first; k < i + j && n <= RANK_SUM_EXACT; k++)
			m->rank2[k] = (unsigned)rank2;
	}
}

static double normal_two_sided(double distance, double sd)
{
	if (!(sd > 0) || distance <= 0)
		return 1;
	return fmin(1, 2 * dist_normal_cdf(-distance / sd));
}

int rank_sum(const double *a, unsigned na, const double *b, unsigned nb, struct rank_test *out)
{
	double n = (double)na + nb;
	double centre2 = na * (n + 1);
	struct merged m;

	merge_ranks(a, na, b, nb, &m);
	// U of A counts pairs with a > b, ties half.
	out->delta = 1 - (m.sum_a2 - na * (na + 1.0)) / ((double)na * nb);
	out->exact = n <= RANK_SUM_EXACT;
	if (out->exact) {
		// Choosing A's ranks or B's is the same choice; the smaller side is cheaper to count.
		unsigned k = na < nb ? na : nb;
		double sum2 = na <= nb ? m.sum_a2 : n * (n + 1) - m.sum_a2;
		struct tally *t = malloc(sizeof(*t));

		if (t == NULL)
			return -ENOMEM;
		tally_choices(t, m.rank2, na + nb, k);
		out->p = tail_share(t->ways[k], (unsigned)(n * (n + 1)), k * (n + 1), sum2);
		free(t);
	} else {
		double var = (double)na * nb / 12 * (n + 1 - m.ties / (n * (n - 1)));

		out->p = normal_two_sided(fabs(m.sum_a2 - centre2) / 2 - 0.5, sqrt(var));
	}
	return 0;
}

static int by_size(const void *x, const void *y)
{
	double a = fabs(*(const double *)x);
	double b = fabs(*(const double *)y);

	return (a > b) - (a < b);
}

static void tally_signs(double *ways, const unsigned *rank2, unsigned n)
{
	unsigned total = 0;

	memset(ways, 0, (SIGNED_SUM_MAX + 1) * sizeof(*ways));
	ways[0] = 1;
	for (unsigned i = 0; i < n; i++) {
		total += rank2[i];
		for (unsigned s = total; s >= rank2[i]; s--)
			ways[s] += ways[s - rank2[i]];
	}
}

int rank_signed(double *d, unsigned n, struct rank_test *out)
{
	unsigned rank2[RANK_SIGNED_EXACT];
	double ways[SIGNED_SUM_MAX + 1];
	double plus2 = 0;
	double total2 = 0;
	double squares = 0;
	double balance = 0;
	unsigned used = 0;

	qsort(d, n, sizeof(*d), by_size);
	for (unsigned i = 0, j; i < n; i = j) {
		double r2;

		for (j = i + 1; j < n && fabs(d[j]) == fabs(d[i]); j++)
			;
		r2 = i + 1.0 + j;
		for (unsigned k = i; k < j && d[i] != 0; k++) {
			plus2 += d[k] > 0 ? r2 : 0;
			balance += d[k] > 0 ? 1 : -1;
			total2 += r2;
			squares += r2 * r2 / 4;
			if (n <= RANK_SIGNED_EXACT)
				rank2[used++] = (unsigned)r2;
		}
	}
	out->delta = n > 0 ? balance / n : 0;
	out->exact = n <= RANK_SIGNED_EXACT;
	if (out->exact) {
		tally_signs(ways, rank2, used);
		out->p = tail_share(ways, (unsigned)total2, total2 / 2, plus2);
	} else {
		out->p = normal_two_sided(fabs(plus2 - total2 / 2) / 2 - 0.5, sqrt(squares / 4));
	}
	return 0;
}

// ways[] by a sum that is doubled; the smallest possible is `least`.
static double bound(const double *ways, unsigned max, unsigned least, double tail)
{
	double all = 0;
	double below = 0;
	double c = 0;

	for (unsigned s = 0; s <= max; s++)
		all += ways[s];
	for (unsigned s = least; s <= max; s += 2) {
		below += ways[s];
		if (below > tail * all)
			break;
		c++;
	}
	return c;
}

static double normal_bound(double centre, double sd, double tail)
{
	return fmax(0, floor(centre + 0.5 + sd * dist_t_quantile(tail, INFINITY)));
}

double rank_sum_bound(unsigned na, unsigned nb, double tail)
{
	double pairs = (double)na * nb;
	unsigned n = na + nb;
	unsigned k = na < nb ? na : nb;
	unsigned rank2[RANK_SUM_EXACT];
	struct tally *t = n <= RANK_SUM_EXACT ? malloc(sizeof(*t)) : NULL;
	double c;

	if (t == NULL)
		return normal_bound(pairs / 2, sqrt(pairs * (n + 1.0) / 12), tail);
	for (unsigned i = 0; i < n; i++)
		rank2[i] = 2 * (i + 1);
	tally_choices(t, rank2, n, k);
	c = bound(t->ways[k], n * (n + 1), k * (k + 1), tail);
	free(t);
	return c;
}

double rank_signed_bound(unsigned n, double tail)
{
	double ways[SIGNED_SUM_MAX + 1];
	unsigned rank2[RANK_SIGNED_EXACT];

	if (n > RANK_SIGNED_EXACT)
		return normal_bound(
			n * (n + 1.0) / 4, sqrt(n * (n + 1.0) * (2.0 * n + 1) / 24), tail);
	for (unsigned i = 0; i < n; i++)
		rank2[i] = 2 * (i + 1);
	tally_signs(ways, rank2, n);
	return bound(ways, n * (n + 1), 0, tail);
}
