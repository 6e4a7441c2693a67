// SPDX-License-Identifier: BSD-2-Clause
// top_term.h - the terminal of a live view: a screen of its own, keys one by one, as it was afterwards.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum term_event { TERM_TIME, TERM_QUIT, TERM_REDRAW, TERM_NOW };

// Takes over the terminal (raw: it is one and shall be) and the signals that end, stop or resize.
int term_open(bool raw, struct err *err);

// Puts everything back.  May be called without term_open().
void term_close(void);

// The size; 0 rows: it is no terminal.
void term_size(unsigned *rows, unsigned *columns);

// Draws lines of text over the old ones; what does not fit is cut.
void term_draw(const char *text);

// Waits for the time to pass, the end, or another size.  TERM_NOW: the blank was typed.
enum term_event term_wait(int timeout_ms);
