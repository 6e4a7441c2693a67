// SPDX-License-Identifier: BSD-2-Clause
// settings.h - the line formats of sysctl.conf and loader.conf.
#pragma once

#include "conf/vars.h"

// NAME=VALUE a line, as sysctl -f reads it: # begins a comment (\# does not), blanks around the
// line and before the value do not count, one pair of quotes around the value is taken away.
int sysctl_read(struct vars *v, const char *file, const char *text, struct err *err);

// NAME="VALUE" or NAME=VALUE a line, as the boot loader reads it: # begins a comment outside of
// quotes, \" and \\ in quotes stand for the character, blanks around = do not count.
int loader_read(struct vars *v, const char *file, const char *text, struct err *err);
