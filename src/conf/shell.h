// SPDX-License-Identifier: BSD-2-Clause
// shell.h - the part of sh's language that rc.conf files consist of: assignments, with the
// word rules of POSIX 2.2, 2.3 and 2.6.2.
#pragma once

#include "conf/vars.h"

// No value may be longer, and all values of a file together no longer than the second: references
// can double a value with each line.
enum { SHELL_VALUE_MAX = 1 << 16, SHELL_FILE_MAX = 1 << 24 };

// Reads assignments NAME=WORD, parted by blanks, newlines or `;`, with comments.  A WORD joins
// bare, 'single' and "double" quoted pieces; $NAME and ${NAME} stand for what was assigned above,
// in v or in this text, or for nothing: then `unset` gets the name and the place.
// Anything else of the shell's language (commands, substitutions, NAME+=, ~, $1, ...) is -EINVAL
// with file, line and what stands there.  v may have got some of the assignments by then.
int shell_read(
	struct vars *v, struct vars *unset, const char *file, const char *text, struct err *err);

// Splits text as `eval` does: blanks part words, quotes and backslashes are taken away.  The
// pointers and their text are one block, so that free(words) frees all.  `where` leads messages.
int shell_words(
	const char *text, const char *where, char ***words, unsigned *n_words, struct err *err);

// Splits at blanks, tabs and newlines only, as an unquoted $variable does.
int plain_words(const char *text, char ***words, unsigned *n_words, struct err *err);
