// SPDX-License-Identifier: BSD-2-Clause
// words.h - the commands, and how they speak.
#pragma once

#include "adapter/table.h"

// A line as cxgbetool's stderr has it: "cxgbetool: ...".  Returns EINVAL, so that it ends a parser.
int say_error(const struct adapter_out *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
// The same without cxgbetool's name, for what it does not know.
void say_why(const struct adapter_out *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void say(const struct adapter_out *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// What the driver said no to: "cxgbetool: CHELSIO_T4_SET_FILTER: Device busy".  code is Linux's errno
// number; the status that is returned is FreeBSD's for the same error.
// why: the sentence of the card or its place goes first; NULL or empty: there is none.
int say_refused(
	const struct adapter_out *out, const char *request, int code, const struct err *why);
// FreeBSD's errno number and sentence for a number of Linux.
int errno_of_freebsd(int code);
const char *errno_text(int code);

// A number as C writes it: decimal, 0x hex, 0 octal, with sign and leading blanks.  Returns what stands
// behind it (text itself if there is none); *out is cut to the ends of int64_t.
const char *number_read(const char *text, int64_t *out);
// The whole word is a number of 0 to 2^32-1.  An empty word is 0, as for cxgbetool.
bool number_u32(const char *text, uint32_t *out);

// The words behind the command; each returns an exit status.
int words_clip(struct adapter *a, int argc, char *const *argv, const struct adapter_out *out);
int words_clearstats(struct adapter *a, int argc, char *const *argv, const struct adapter_out *out);

// What a rule's words said beside the rule, and what is to be told of it once it is in force.
struct remarks {
	char text[1024]; // sentences, each ended by a newline
	size_t len;
};

// 0, or EINVAL with lines to stderr.  *f is whole only on success.
int filter_parse(int argc, char *const *argv, bool hash, struct adapter_filter *f,
	struct remarks *remarks, const struct adapter_out *out);
void remark(struct remarks *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

int mode_show(const struct adapter *a, bool hash, const struct adapter_out *out);
int mode_set(
	struct adapter *a, bool hash, int argc, char *const *argv, const struct adapter_out *out);
// The words of mode_set for what is set now.
void mode_words(const struct adapter *a, bool hash, char *out, size_t size);

int list_show(const struct adapter *a, bool hash, const struct adapter_out *out);
