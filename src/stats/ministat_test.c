// SPDX-License-Identifier: BSD-2-Clause
// Whole outputs.  Expected text: the manual's example as FreeBSD prints it, and figures published in
// the BSD Router Project's tuning document, from samples rebuilt of their printed vitals.
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double iguana[] = {50, 200, 150, 400, 750, 400, 150};
static const double chameleon[] = {150, 400, 720, 500, 930};
static const struct sample lizards[] = {{"iguana", iguana, 7}, {"chameleon", chameleon, 5}};

// What ministat_print writes; free it.
static char *printed(const struct sample *s, unsigned n, const struct ministat_opts *o)
{
	struct err err = {0};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	if (ministat_print(f, s, n, o, &err) != 0)
		fail_msg("%s", err.msg);
	fclose(f);
	return text;
}

static void prints(
	const struct sample *s, unsigned n, const struct ministat_opts *o, const char *want)
{
	char *text = printed(s, n, o);

	assert_string_equal(text, want);
	free(text);
}

static void holds(
	const struct sample *s, unsigned n, const struct ministat_opts *o, const char *part)
{
	char *text = printed(s, n, o);

	if (strstr(text, part) == NULL)
		fail_msg("\"%s\" is not in:\n%s", part, text);
	free(text);
}

#define HEADING "    N           Min           Max        Median           Avg        Stddev\n"

static void the_manuals_example(void **state)
{
	struct ministat_opts o = {.width = 60, .one_bar_line = true};

	(void)state;
	prints(lizards, 2, &o,
		"x iguana\n"
		"+ chameleon\n"
		"+------------------------------------------------------------+\n"
		"|x      *  x            *      +              + x           +|\n"
		"| |________M______A_______________|                          |\n"
		"|             |________________M__A___________________|      |\n"
		"+------------------------------------------------------------+\n" HEADING
		"x   7            50           750           200           300     238.04761\n"
		"+   5           150           930           500           540     299.08193\n"
		"No difference proven at 95.0% confidence\n");
}

// Iguana holds 150 and 400 twice, which the original shows only when iguana comes last.
static void the_picture_is_as_high_as_the_last_set(void **state)
{
	const struct sample swapped[] = {lizards[1], lizards[0]};
	struct ministat_opts o = {.width = 60};

	(void)state;
	holds(lizards, 2, &o,
		"+------------------------------------------------------------+\n"
		"|x      *  x            *      +              + x           +|\n"
		"| |________M__|___A____________M__A___________________|      |\n");
	holds(swapped, 2, &o,
		"|       +               +                                    |\n"
		"|+      *  +            *      x              x +           x|\n");
}

static void one_bar_line_is_shared_without_s(void **state)
{
	struct ministat_opts o = {.width = 60};

	(void)state;
	holds(lizards, 2, &o,
		"|x      *  x            *      +              + x           +|\n"
		"| |________M__|___A____________M__A___________________|      |\n"
		"+---");
}

static void parts_can_be_left_out(void **state)
{
	static const char rows[] =
		"x   7            50           750           200           300     238.04761\n"
		"+   5           150           930           500           540     299.08193\n";
	char want[600];

	(void)state;
	snprintf(want, sizeof(want), "x iguana\n+ chameleon\n" HEADING "%s", rows);
	prints(lizards, 2, &(struct ministat_opts){.vitals_only = true}, want);
	prints(lizards, 2, &(struct ministat_opts){.vitals_only = true, .quiet = true}, rows);
	snprintf(want, sizeof(want),
		"x iguana\n+ chameleon\n" HEADING "%s"
		"Difference at 80.0%% confidence\n"
		"\t240 +/- 212.215\n"
		"\t80%% +/- 102.3%%\n"
		"\t(Student's t, pooled s = 264.159)\n",
		rows);
	prints(lizards, 2, &(struct ministat_opts){.no_plot = true, .confidence = 80}, want);
	prints(lizards, 1, &(struct ministat_opts){.no_plot = true, .quiet = true},
		"x   7            50           750           200           300     238.04761\n");
}

// Five values of which min, max, median, mean and deviation are published: the other two follow.
struct published {
	double v[5];
	const char *row;
};

static void rebuild(
	struct published *p, double min, double max, double median, double mean, double sd)
{
	double sum = 5 * mean - min - median - max;
	double squares = 4 * sd * sd - (min - mean) * (min - mean) - (max - mean) * (max - mean) -
			 (median - mean) * (median - mean);
	double centre = sum / 2 - mean;
	double half = sqrt(fmax(0, squares / 2 - centre * centre));

	memcpy(p->v, (double[]){max, sum / 2 - half, median, min, sum / 2 + half}, sizeof(p->v));
}

struct box {
	double a[5], b[5]; // min max median mean sd
	const char *row_a, *row_b, *test;
};

static const struct box boxes[] = {
	{{2199966.5, 2309062, 2210097, 2230250.6, 45711.484},
		{8211578, 8259515.5, 8244041, 8235045.2, 20946.73},
		"x   5     2199966.5       2309062       2210097     2230250.6     45711.484\n",
		"+   5       8211578     8259515.5       8244041     8235045.2      20946.73\n",
		"Difference at 95.0% confidence\n\t6.00479e+06 +/- 51854.8\n"
		"\t269.243% +/- 7.86461%\n\t(Student's t, pooled s = 35554.9)\n"},
	{{8160234, 8261012, 8230285, 8221687.8, 42278.4},
		{10787172, 10913225, 10820346, 10830279, 49477.458},
		"x   5       8160234       8261012       8230285     8221687.8       42278.4\n",
		"+   5      10787172      10913225      10820346      10830279     49477.458\n",
		"Difference at 95.0% confidence\n\t2.60859e+06 +/- 67115.9\n"
		"\t31.7282% +/- 0.934431%\n\t(Student's t, pooled s = 46018.9)\n"},
	{{8160234, 8261012, 8230285, 8221687.8, 42278.4},
		{19034716, 19176514, 19107114, 19097753, 56388.197},
		"x   5       8160234       8261012       8230285     8221687.8       42278.4\n",
		"+   5      19034716      19176514      19107114      19097753     56388.197\n",
		"Difference at 95.0% confidence\n\t1.08761e+07 +/- 72681.8\n"
		"\t132.285% +/- 1.42045%\n\t(Student's t, pooled s = 49835.2)\n"},
	{{19028337, 19126428, 19099721, 19090535, 37168.444},
		{24396932, 24508797, 24494912, 24476810, 45506.933},
		"x   5      19028337      19126428      19099721      19090535     37168.444\n",
		"+   5      24396932      24508797      24494912      24476810     45506.933\n",
		"Difference at 95.0% confidence\n\t5.38628e+06 +/- 60594.5\n"
		"\t28.2144% +/- 0.355956%\n\t(Student's t, pooled s = 41547.4)\n"},
	{{1724046, 1860817, 1798145, 1793343, 61865.164},
		{1702496, 1798998, 1725396, 1734863.2, 38178.905},
		"x   5       1724046       1860817       1798145       1793343     61865.164\n",
		"+   5       1702496       1798998       1725396     1734863.2     38178.905\n",
		"No difference proven at 95.0% confidence\n"},
	{{1918159, 2036665, 1950208, 1963257, 44988.621},
		{1878893, 2005333, 1988952, 1967850.8, 51378.188},
		"x   5       1918159       2036665       1950208       1963257     44988.621\n",
		"+   5       1878893       2005333       1988952     1967850.8     51378.188\n",
		"No difference proven at 95.0% confidence\n"},
};

static void the_six_published_comparisons(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
		const struct box *b = &boxes[i];
		struct published a, c;
		struct sample s[2] = {{"a", a.v, 5}, {"b", c.v, 5}};
		char want[800];

		rebuild(&a, b->a[0], b->a[1], b->a[2], b->a[3], b->a[4]);
		rebuild(&c, b->b[0], b->b[1], b->b[2], b->b[3], b->b[4]);
		snprintf(want, sizeof(want), "x a\n+ b\n" HEADING "%s%s%s", b->row_a, b->row_b,
			b->test);
		prints(s, 2, &(struct ministat_opts){.no_plot = true}, want);
		prints(s, 2, &(struct ministat_opts){.no_plot = true, .compat = true}, want);
	}
}

static void equal_values_have_no_picture(void **state)
{
	const double same[] = {3, 3, 3};
	const struct sample s[] = {{"a", same, 3}, {"b", same, 3}};

	(void)state;
	prints(s, 2, &(struct ministat_opts){0},
		"x a\n+ b\n[no plot, span is zero width]\n" HEADING
		"x   3             3             3             3             3             0\n"
		"+   3             3             3             3             3             0\n"
		"No difference proven at 95.0% confidence\n");
}

static void a_mean_of_zero_has_no_percentage(void **state)
{
	const double a[] = {-1, 0, 1};
	const double b[] = {9, 10, 11};
	const double zero[] = {0, 0, 0};
	const struct sample s[] = {{"a", a, 3}, {"b", b, 3}};
	const struct sample z[] = {{"z", zero, 3}, {"a", a, 3}, {"b", b, 3}};

	(void)state;
	holds(s, 2, &(struct ministat_opts){.no_plot = true},
		"\n\t10 +/- 2.26659\n\tinf% +/- inf%\n");
	// 0 / 0: FreeBSD's printf shows no sign.
	holds(z, 3, &(struct ministat_opts){.no_plot = true},
		"\n\t10 +/- 1.60272\n\tinf% +/- nan%\n");
}

static void negative_values(void **state)
{
	const double v[] = {-3, -1, -2};
	const struct sample s = {"a", v, 3};

	(void)state;
	prints(&s, 1, &(struct ministat_opts){.width = 11},
		"x a\n+-----------+\n|x    x    x|\n||____A____||\n+-----------+\n" HEADING
		"x   3            -3            -1            -2            -2             1\n");
}

static void large_values_keep_their_units(void **state)
{
	const double v[] = {1e9, 1e9 + 1, 1e9 + 2};
	const double wide[] = {-123456789012.0, 99999999, 123456789012.25};
	const struct sample s = {"a", v, 3};
	const struct sample w = {"w", wide, 3};

	(void)state;
	holds(&s, 1, &(struct ministat_opts){.no_plot = true},
		"x   3    1000000000    1000000002    1000000001    1000000001             1\n");
	holds(&s, 1, &(struct ministat_opts){.no_plot = true, .compat = true},
		"x   3         1e+09         1e+09         1e+09         1e+09             1\n");
	holds(&w, 1, &(struct ministat_opts){.no_plot = true},
		"x   3 -1.2345679e+11  123456789012      99999999      33333333  123456802512\n");
}

static void values_at_the_end_of_the_range_are_survived(void **state)
{
	const double v[] = {-1.7e308, 1e-320, 1.7e308};
	const double far[] = {1e150, 2e150, 3e150};
	const struct sample s = {"a", v, 3};
	const struct sample f = {"f", far, 3};

	(void)state;
	holds(&s, 1, &(struct ministat_opts){0}, "[no plot, span is not finite]\n");
	// The original takes 9.99e101 for the lower end.
	holds(&f, 1, &(struct ministat_opts){.width = 11}, "|   x   x  x|\n");
}

static void two_of_three_sets_meet_in_the_thirds_symbol(void **state)
{
	const double a[] = {1, 2, 9};
	const double b[] = {1, 3, 8};
	const double c[] = {4, 5, 6};
	const struct sample s[] = {{"a", a, 3}, {"b", b, 3}, {"c", c, 3}};

	(void)state;
	holds(s, 3, &(struct ministat_opts){.width = 33},
		"x a\n+ b\n* c\n+---------------------------------+\n|     *  x  +   *  *   *      +  x|\n");
}

static void seven_sets_are_compared_with_the_first(void **state)
{
	double v[7][3];
	struct sample s[7];
	char *text;
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < 7; i++) {
		for (unsigned k = 0; k < 3; k++)
			v[i][k] = 100 * i + k;
		s[i] = (struct sample){"set", v[i], 3};
	}
	text = printed(s, 7, &(struct ministat_opts){.one_bar_line = true});
	for (const char *p = text; (p = strstr(p, "Difference at")) != NULL; p++)
		n++;
	assert_int_equal(n, 6);
	assert_non_null(strstr(text, "x set\n+ set\n* set\n% set\n# set\n@ set\nO set\n+---"));
	assert_non_null(
		strstr(text, "\nO   3           600           602           601           601 "));
	free(text);
}

static void above_a_hundred_degrees_the_normal_quantile_serves(void **state)
{
	double a[60], b[60];
	const struct sample s[] = {{"a", a, 60}, {"b", b, 60}};

	(void)state;
	for (int i = 0; i < 60; i++) {
		a[i] = i;
		b[i] = i + 100;
	}
	// s = sqrt(60 * 61 / 12) = 17.4642, e = t * s * sqrt(2 / 60).
	holds(s, 2, &(struct ministat_opts){.no_plot = true}, "\n\t100 +/- 6.2495\n");
	holds(s, 2, &(struct ministat_opts){.no_plot = true, .confidence = 99.5},
		"\n\t100 +/- 8.95018\n");
	holds(s, 2, &(struct ministat_opts){.no_plot = true, .confidence = 99.5, .compat = true},
		"\n\t100 +/- 9.85253\n");
}

// Heights 6, 1, 3: the original loses what the first set has above 1 when the third grows again.
static void rows_the_original_loses_are_lost(void **state)
{
	const double a[] = {0, 0, 0, 0, 0, 0, 10};
	const double b[] = {3, 5, 7};
	const double c[] = {10, 10, 10, 2, 2};
	const struct sample s[] = {{"a", a, 7}, {"b", b, 3}, {"c", c, 5}};

	(void)state;
	holds(s, 3, &(struct ministat_opts){.width = 13, .quiet = true},
		"+-------------+\n"
		"|           * |\n"
		"|    *      * |\n"
		"|  x *+ ++  * |\n"
		"||_MA||_AA__M||\n");
}

static void what_cannot_be_shown_is_refused(void **state)
{
	const double v[] = {1, 2, NAN};
	struct sample s = {"few", v, 2};
	struct err err = {0};
	struct ministat_opts o = {0};

	(void)state;
	assert_int_equal(ministat_print(stdout, &s, 1, &o, &err), -EINVAL);
	assert_string_equal(err.msg, "Dataset few must contain at least 3 data points");
	s.n = 3;
	assert_int_equal(ministat_print(stdout, &s, 1, &o, &err), -EINVAL);
	assert_int_equal(ministat_print(stdout, lizards, 0, &o, &err), -EINVAL);
	assert_int_equal(ministat_print(stdout, lizards, 8, &o, &err), -EINVAL);
	o.confidence = 94;
	assert_int_equal(ministat_print(stdout, lizards, 2, &o, &err), -EINVAL);
	o.confidence = 95;
	o.width = 1;
	assert_int_equal(ministat_print(stdout, lizards, 2, &o, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_manuals_example),
		cmocka_unit_test(the_picture_is_as_high_as_the_last_set),
		cmocka_unit_test(one_bar_line_is_shared_without_s),
		cmocka_unit_test(parts_can_be_left_out),
		cmocka_unit_test(the_six_published_comparisons),
		cmocka_unit_test(equal_values_have_no_picture),
		cmocka_unit_test(a_mean_of_zero_has_no_percentage),
		cmocka_unit_test(negative_values),
		cmocka_unit_test(large_values_keep_their_units),
		cmocka_unit_test(values_at_the_end_of_the_range_are_survived),
		cmocka_unit_test(two_of_three_sets_meet_in_the_thirds_symbol),
		cmocka_unit_test(seven_sets_are_compared_with_the_first),
		cmocka_unit_test(above_a_hundred_degrees_the_normal_quantile_serves),
		cmocka_unit_test(rows_the_original_loses_are_lost),
		cmocka_unit_test(what_cannot_be_shown_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
