// SPDX-License-Identifier: BSD-2-Clause
#include "lab/fields.h"

#include "lab/results.h"

#define FIELD(s, m, unit, type)                                                                    \
	{                                                                                          \
#m, unit, type, offsetof(struct s, m), sizeof(((struct s *)0)->m)                  \
	}
#define TEXT(s, m)        FIELD(s, m, NULL, FIELD_TEXT)
#define BOOL(s, m)        FIELD(s, m, NULL, FIELD_BOOL)
#define UINT(s, m, unit)  FIELD(s, m, unit, FIELD_UINT)
#define U64(s, m, unit)   FIELD(s, m, unit, FIELD_U64)
#define COUNT(s, m, unit) FIELD(s, m, unit, FIELD_COUNT)
#define NUM(s, m, unit)   FIELD(s, m, unit, FIELD_DOUBLE)
#define TABLE(id, name, list)                                                                      \
	const struct field_table id = {name, list, sizeof(list) / sizeof(list[0])}

static const struct field results[] = {
	TEXT(lab_results, name),
	TEXT(lab_results, utc),
	TEXT(lab_results, version),
	TEXT(lab_results, command),
	TEXT(lab_results, dut),
	TEXT(lab_results, tester),
	TEXT(lab_results, env),
	TEXT(lab_results, basis),
	// A 64-bit seed does not survive readers that know numbers as doubles.
	FIELD(lab_results, seed, NULL, FIELD_HEX),
	U64(lab_results, n_flows, "flow"),
	NUM(lab_results, run_seconds, "s"),
	NUM(lab_results, window_seconds, "s"),
	NUM(lab_results, duration_s, "s"),
	NUM(lab_results, margin, "1"),
	NUM(lab_results, noise, "1"),
	BOOL(lab_results, has_noise),
	TEXT(lab_results, verdict),
};
TABLE(fields_results, "results", results);

static const struct field machine[] = {
	TEXT(machine, model),
	TEXT(machine, kernel),
	TEXT(machine, distro),
	UINT(machine, n_cpus, "cpu"),
	BOOL(machine, virtualised),
	TEXT(machine, governor),
	U64(machine, memory_mb, "MB"),
	U64(machine, huge_pages_free, "page"),
	U64(machine, huge_page_kb, "KiB"),
};
TABLE(fields_machine, "machine", machine);

static const struct field arm[] = {
	TEXT(lab_arm, name),
	TEXT(lab_arm, condition),
	FIELD(lab_arm, family, "1", FIELD_INT),
	UINT(lab_arm, frame_len, "byte"),
	BOOL(lab_arm, baseline),
	BOOL(lab_arm, repeat_of_baseline),
	UINT(lab_arm, n, "run"),
	UINT(lab_arm, n_void, "run"),
	NUM(lab_arm, median_pps, "packet/s"),
	NUM(lab_arm, min_pps, "packet/s"),
	NUM(lab_arm, max_pps, "packet/s"),
	NUM(lab_arm, mean_pps, "packet/s"),
	NUM(lab_arm, stddev_pps, "packet/s"),
	NUM(lab_arm, spread, "1"),
	NUM(lab_arm, cycles_per_packet, "TSC cycle/packet"),
	NUM(lab_arm, received_pps, "packet/s"),
	NUM(lab_arm, work_share, "1"),
	NUM(lab_arm, loss, "1"),
	NUM(lab_arm, imix_bps, "bit/s"),
	NUM(lab_arm, imix_l1_bps, "bit/s"),
};
TABLE(fields_arm, "arm", arm);

static const struct field run[] = {
	UINT(lab_run, number, "1"),
	UINT(lab_run, block, "1"),
	UINT(lab_run, arm, "1"),
	UINT(lab_run, attempt, "1"),
	BOOL(lab_run, valid),
	TEXT(lab_run, gate),
	TEXT(lab_run, why),
	NUM(lab_run, start_s, "s"),
	NUM(lab_run, seconds, "s"),
	NUM(lab_run, pps, "packet/s"),
	NUM(lab_run, offered_pps, "packet/s"),
	NUM(lab_run, received_pps, "packet/s"),
	NUM(lab_run, cycles_per_packet, "TSC cycle/packet"),
	NUM(lab_run, work_share, "1"),
	NUM(lab_run, turn_packets, "packet"),
	NUM(lab_run, loss, "1"),
	U64(lab_run, offered, "packet"),
	U64(lab_run, received, "packet"),
	U64(lab_run, bad_ttl, "packet"),
	U64(lab_run, bad_checksum, "packet"),
	U64(lab_run, bad_content, "packet"),
	U64(lab_run, duplicate, "packet"),
	U64(lab_run, foreign, "packet"),
	U64(lab_run, reordered, "packet"),
	U64(lab_run, refused, "offer"),
	U64(lab_run, tester_missed, "packet"),
	U64(lab_run, dut_in, "packet"),
	U64(lab_run, dut_made, "packet"),
	U64(lab_run, dut_sent, "packet"),
	U64(lab_run, dut_queued, "packet"),
};
TABLE(fields_run, "run", run);

static const struct field window[] = {
	NUM(lab_window, start_s, "s"),
	NUM(lab_window, seconds, "s"),
	U64(lab_window, offered, "packet"),
	U64(lab_window, received, "packet"),
	U64(lab_window, forwarded, "packet"),
	U64(lab_window, measured, "packet"),
	NUM(lab_window, work_s, "s"),
	NUM(lab_window, pps, "packet/s"),
	BOOL(lab_window, steady),
};
TABLE(fields_window, "window", window);

static const struct field drop[] = {
	TEXT(lab_drop, name),
	U64(lab_drop, n, "packet"),
};
TABLE(fields_drop, "drop", drop);

static const struct field comparison[] = {
	UINT(lab_comparison, a, "1"),
	UINT(lab_comparison, b, "1"),
	BOOL(lab_comparison, aa),
	UINT(lab_comparison, n_blocks, "block"),
	TEXT(lab_comparison, verdict),
	TEXT(lab_comparison, test),
	TEXT(lab_comparison, sentence),
};
TABLE(fields_comparison, "comparison", comparison);

static const struct field stats[] = {
	NUM(comparison, margin, "1"),
	NUM(comparison, effect, "1"),
	NUM(comparison, ci_lo, "1"),
	NUM(comparison, ci_hi, "1"),
	NUM(comparison, confidence, "1"),
	NUM(comparison, p_mw, "1"),
	NUM(comparison, p_welch, "1"),
	NUM(comparison, welch_diff, "packet/s"),
	NUM(comparison, welch_lo, "packet/s"),
	NUM(comparison, welch_hi, "packet/s"),
	NUM(comparison, hl_shift, "packet/s"),
	NUM(comparison, hl_lo, "packet/s"),
	NUM(comparison, hl_hi, "packet/s"),
	NUM(comparison, cliff_delta, "1"),
	NUM(comparison, mde, "1"),
	NUM(comparison, noise, "1"),
	FIELD(comparison, seed, NULL, FIELD_HEX),
	TEXT(comparison, why),
};
TABLE(fields_stats, "statistics", stats);

static const struct field note[] = {
	TEXT(lab_note, condition),
	TEXT(lab_note, where),
	TEXT(lab_note, what),
	TEXT(lab_note, why),
};
TABLE(fields_note, "note", note);

static const struct field setting[] = {
	TEXT(lab_setting, condition),
	TEXT(lab_setting, file),
	TEXT(lab_setting, name),
	TEXT(lab_setting, value),
	BOOL(lab_setting, differs),
};
TABLE(fields_setting, "setting", setting);

static const struct field filter[] = {
	UINT(lab_filtered, arm, "1"),
	UINT(lab_filtered, n_rules, "rule"),
	UINT(lab_filtered, n_probes, "packet"),
	UINT(lab_filtered, n_asked, "rule"),
	UINT(lab_filtered, n_silent, "rule"),
	UINT(lab_filtered, n_elsewhere, "rule"),
	U64(lab_filtered, frames, "packet"),
	COUNT(lab_filtered, hits, "packet"),
	BOOL(lab_filtered, has_hits),
};
TABLE(fields_filter, "filter", filter);

static const struct field rule[] = {
	UINT(lab_told_rule, arm, "1"),
	UINT(lab_told_rule, index, "1"),
	TEXT(lab_told_rule, words),
	U64(lab_told_rule, flows, "flow"),
	COUNT(lab_told_rule, hits, "packet"),
};
TABLE(fields_rule, "rule", rule);
