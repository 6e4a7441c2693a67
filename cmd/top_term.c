// SPDX-License-Identifier: BSD-2-Clause
#include "top_term.h"

#include "command.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

// Alternate screen, cursor and wrapping off; and back.
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
static const char leave[] = "\033[?7h\033[?25h\033[?1049l";

static struct {
	bool open, raw, keys;
	int signals;
	sigset_t old_mask;
	struct termios old;
} term = {.signals = -1};

static void screen(bool on)
{
	struct termios t = term.old;

	if (on) {
		t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		t.c_cc[VMIN] = 0;
		t.c_cc[VTIME] = 0;
	}
	if (term.keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &t);
	fputs(on ? enter : leave, stdout);
	fflush(stdout);
}

int term_open(bool raw, struct err *err)
{
	sigset_t set;

	ending_signals(&set);
	sigaddset(&set, SIGQUIT);
	if (raw) {
		sigaddset(&set, SIGWINCH);
		sigaddset(&set, SIGTSTP);
	}
	if (sigprocmask(SIG_BLOCK, &set, &term.old_mask) != 0)
		return err_set(err, errno, "signals: %s", strerror(errno));
	term.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (term.signals < 0) {
		sigprocmask(SIG_SETMASK, &term.old_mask, NULL);
		return err_set(err, errno, "signals: %s", strerror(errno));
	}
	term.open = true;
	term.raw = raw;
	// In the background the keys are the shell's, and changing the terminal would stop us.
	term.keys = raw && tcgetattr(STDIN_FILENO, &term.old) == 0 &&
		    tcgetpgrp(STDIN_FILENO) == getpgrp();
	if (raw)
		screen(true);
	return 0;
}

void term_close(void)
{
	if (!term.open)
		return;
	if (term.raw)
		screen(false);
	close(term.signals);
	sigprocmask(SIG_SETMASK, &term.old_mask, NULL);
	term.open = false;
}

void term_size(unsigned *rows, unsigned *columns)
{
	struct winsize w = {0};

	*rows = *columns = 0;
	if (!term.raw)
		return;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_row == 0 || w.ws_col == 0)
		w = (struct winsize){.ws_row = 24, .ws_col = 80};
	*rows = w.ws_row;
	*columns = w.ws_col;
}

void term_draw(const char *text)
{
	unsigned rows, columns;

	term_size(&rows, &columns);
	fputs("\033[H", stdout);
	for (unsigned i = 0; i < rows && *text != '\0'; i++) {
		int len = (int)strcspn(text, "\n");

		// No newline behind the last row: it would scroll the first one away.
		printf("%s%.*s\033[K", i > 0 ? "\r\n" : "", len < (int)columns ? len : (int)columns,
			text);
		text += len;
		text += *text == '\n';
	}
	fputs("\033[J", stdout);
	fflush(stdout);
}

static enum term_event of_signal(void)
{
	struct signalfd_siginfo info;

	if (read(term.signals, &info, sizeof(info)) != sizeof(info))
		return TERM_REDRAW;
	if (info.ssi_signo == SIGTSTP) {
		screen(false);
		raise(SIGSTOP);
		screen(true);
		return TERM_REDRAW;
	}
	return info.ssi_signo == SIGWINCH ? TERM_REDRAW : TERM_QUIT;
}

static enum term_event of_key(void)
{
	char key;
	ssize_t n = read(STDIN_FILENO, &key, 1);

	if (n == 0) // the terminal has gone
		return TERM_QUIT;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? TERM_REDRAW : TERM_QUIT;
	if (key == 'q' || key == 'Q' || key == 3 || key == 4)
		return TERM_QUIT;
	return key == ' ' ? TERM_NOW : TERM_REDRAW;
}

enum term_event term_wait(int timeout_ms)
{
	struct pollfd p[] = {{.fd = term.signals, .events = POLLIN},
		{.fd = term.keys ? STDIN_FILENO : -1, .events = POLLIN}};

	if (poll(p, 2, timeout_ms) <= 0)
		return TERM_TIME;
	return p[0].revents != 0 ? of_signal() : of_key();
}
