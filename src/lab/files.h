// SPDX-License-Identifier: BSD-2-Clause
// files.h - what a run folder holds.
#pragma once

#include "lab/folder.h"
#include "lab/lab.h"

// Writes, into a folder that was begun: manifest.json, conf/, samples.jsonl, results.json,
// results.csv, one .pps an arm, compare.ministat, report.txt, report.html.
int lab_files(struct folder *f, const struct lab_results *r, const struct lab_conditions *c,
	const struct lab_options *o, struct err *err);

// report.txt of r; the caller frees it, NULL without memory.
char *lab_report_text(const struct lab_results *r);

// A copy of each condition's files under conf/NAME/; adds {path, sha256} of each to `list`
// (a json_t array).  f NULL: only reads them.
int lab_files_conf(struct folder *f, const struct lab_conditions *c, void *list, struct err *err);

// Whether the conditions' files can be kept, asked before the runs, so that these are not lost.
int lab_files_check(const struct lab_conditions *c, struct err *err);

// The texts.  Each is the caller's to free; NULL without memory.
char *lab_samples_text(const struct lab_results *r); // JSON lines: one an interval
char *lab_csv_text(const struct lab_results *r); // run,block,arm,condition,family,attempt,valid,
						 // metric,value,unit
char *lab_pps_text(const struct lab_results *r, unsigned arm); // one value a valid run
char *lab_ministat_text(const struct lab_results *r);
