// SPDX-License-Identifier: BSD-2-Clause
// load.h - weir adapter load: all rules of a card in the kernel at once, if wanted on trial.
#pragma once

// argv[0] is "load".  An exit status.
int load_command(int argc, char **argv);
