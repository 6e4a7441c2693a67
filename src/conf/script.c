// SPDX-License-Identifier: BSD-2-Clause
// One logical line at a time: a physical one with those it is continued on.  shell.c cuts it into
// words; here it is only found where it ends and where a comment begins.
#include "conf/conf.h"

#include "base/text.h"
#include "conf/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// More than a card's 131072 rules need with all that a rule can say.
enum { SCRIPT_MAX = 1 << 27 };

struct reader {
	const char *file;
	unsigned line; // of the logical line's begin
	struct conf_script s;
	struct err *err;
};

static const char instead[] = "run the script with sh against the running router instead";

// The length of the logical line at text, without its end; *code: up to a comment.  Counts its lines.
static size_t extent(const char *text, size_t *code, unsigned *n_lines)
{
	const char *comment = NULL, *p;
	char quote = '\0';
	bool in_word = false;

	*n_lines = 1;
	for (p = text; *p != '\0' && (*p != '\n' || quote != '\0'); p++) {
		bool blank = *p == ' ' || *p == '\t';

		if (comment != NULL)
			continue;
		*n_lines += *p == '\n';
		if (*p == '\\' && quote != '\'' && p[1] != '\0') {
			if (*++p == '\n') { // sh takes both away
				++*n_lines;
				continue;
			}
		} else if (*p == quote)
			quote = '\0';
		else if ((*p == '\'' || *p == '"') && quote == '\0')
			quote = *p;
		else if (*p == '#' && quote == '\0' && !in_word)
			comment = p;
		in_word = !blank || quote != '\0';
	}
	*code = (size_t)((comment != NULL ? comment : p) - text);
	return (size_t)(p - text);
}

// The word of the shell that the line begins with, if that is one that makes it a program.
static const char *keyword(const char *line)
{
	static const char *const words[] = {"if", "then", "elif", "else", "fi", "for", "while",
		"until", "do", "done", "case", "esac", "{", "}", "!"};
	size_t len;

	line += strspn(line, " \t");
	len = strcspn(line, " \t\n;");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && strncmp(line, words[i], len) == 0)
			return words[i];
	return NULL;
}

static bool is_tool(const char *word)
{
	const char *slash = strrchr(word, '/');

	return strcmp(slash != NULL ? slash + 1 : word, "cxgbetool") == 0;
}

// set -euf: what the shell does at an error is what happens here anyway, and no pattern is expanded.
static bool is_set(char *const *words, unsigned n)
{
	if (strcmp(words[0], "set") != 0 || n < 2)
		return false;
	for (unsigned i = 1; i < n; i++)
		if ((words[i][0] != '-' && words[i][0] != '+') || words[i][1] == '\0' ||
			strspn(words[i] + 1, "efuvx") != strlen(words[i] + 1))
			return false;
	return true;
}

// Copies the words but the first.
static int add(struct reader *r, char **words, unsigned n)
{
	struct conf_command *c = r->s.commands;
	char **argv = NULL;
	size_t bytes = 0;
	char *to;

	if ((r->s.n & (r->s.n - 1)) == 0) // room is always a power of two
		c = reallocarray(r->s.commands, r->s.n == 0 ? 1 : 2 * (size_t)r->s.n, sizeof(*c));
	if (c == NULL)
		goto none;
	r->s.commands = c;
	for (unsigned i = 1; i < n; i++)
		bytes += strlen(words[i]) + 1;
	argv = malloc(n * sizeof(*argv) + bytes);
	if (argv == NULL)
		goto none;
	to = (char *)(argv + n);
	for (unsigned i = 1; i < n; i++) {
		argv[i - 1] = to;
		to = stpcpy(to, words[i]) + 1;
	}
	argv[n - 1] = NULL;
	r->s.commands[r->s.n++] = (struct conf_command){
		.line = r->line, .argc = (int)n - 1, .argv = argv};
	return 0;
none:
	return err_set(r->err, ENOMEM, "%s: out of memory", r->file);
}

// cxgbetool NEXUS filter list, filter mode without a mode, the same of hashfilter, clip list.
static bool shows(char *const *words, unsigned n)
{
	bool filter = strcmp(words[2], "filter") == 0 || strcmp(words[2], "hashfilter") == 0;

	// What stands behind `list` is ignored; behind `mode` stands the new one.
	return (n >= 4 && strcmp(words[3], "list") == 0 &&
		       (filter || strcmp(words[2], "clip") == 0)) ||
	       (n == 4 && strcmp(words[3], "mode") == 0 && filter);
}

static int take_words(struct reader *r, char **words, unsigned n)
{
	if (n == 0 || is_set(words, n))
		return 0;
	if (!is_tool(words[0]))
		return err_set(r->err, EINVAL,
			"%s:%u: '%.60s' is not cxgbetool, and nothing else is run; %s", r->file,
			r->line, words[0], instead);
	if (n < 3)
		return err_set(r->err, EINVAL, "%s:%u: cxgbetool needs a nexus and a command",
			r->file, r->line);
	if (shows(words, n))
		return err_set(r->err, EINVAL,
			"%s:%u: '%.20s %.20s' prints, and a start script prints nothing; ask the "
			"running router",
			r->file, r->line, words[2], words[3]);
	return add(r, words, n);
}

static int take_line(struct reader *r, const char *text, size_t len)
{
	char where[CONF_WHERE_MAX], *line = strndup(text, len), **words;
	const char *key;
	struct err own = {0};
	unsigned n;
	int rc;

	if (line == NULL)
		return err_set(r->err, ENOMEM, "%s: out of memory", r->file);
	key = keyword(line);
	if (key != NULL) {
		free(line);
		return err_set(r->err, EINVAL,
			"%s:%u: '%s': no program of the shell is run here; %s", r->file, r->line,
			key, instead);
	}
	where_text(where, r->file, r->line);
	rc = shell_words(line, where, &words, &n, &own);
	free(line);
	if (rc != 0)
		return err_set(r->err, own.code, "%s; %s", own.msg, instead);
	rc = take_words(r, words, n);
	free(words);
	return rc;
}

int conf_script_text(const char *file, const char *text, struct conf_script *out, struct err *err)
{
	struct reader r = {.file = file, .line = 1, .err = err};
	int rc = 0;

	while (rc == 0 && *text != '\0') {
		size_t code, len;
		unsigned n_lines;

		len = extent(text, &code, &n_lines);
		rc = take_line(&r, text, code);
		r.line += n_lines;
		text += len + (text[len] == '\n');
	}
	if (rc == 0)
		*out = r.s;
	else
		conf_script_free(&r.s);
	return rc;
}

int conf_script_read(const char *path, struct conf_script *out, struct err *err)
{
	char *text = text_read_file(path, SCRIPT_MAX, NULL, err);
	int rc;

	if (text == NULL)
		return -err->code;
	rc = conf_script_text(path, text, out, err);
	free(text);
	return rc;
}

void conf_script_free(struct conf_script *s)
{
	for (unsigned i = 0; i < s->n; i++)
		free(s->commands[i].argv);
	free(s->commands);
	*s = (struct conf_script){0};
}
