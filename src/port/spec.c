// SPDX-License-Identifier: BSD-2-Clause
// spec.c - the grammar of port names.  What goes into a driver's argument list later ("iface=...,
// queue_count=...") may hold none of the characters that list is made of, so those are refused
// here.  Paths of captures never get there and may hold anything but a comma.
#include "port/spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IF_NAME_MAX = 15, PAIR_NAME_MAX = 24, SOCKET_PATH_MAX = 107 };

static const char special[] = ",=[]{}()\"'\\";

static int bad(struct err *err, const char *text, const char *what)
{
	return err_set(err, EINVAL, "%.200s: %s", text, what);
}

// Linux's own rules for the name of an interface, and ours.
static int check_if_name(const char *text, const char *name, struct err *err)
{
	if (*name == '\0')
		return bad(err, text, "the name of the interface is missing");
	if (strlen(name) > IF_NAME_MAX)
		return bad(err, text, "the name of an interface has at most 15 characters");
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return bad(err, text, "that is no name of an interface");
	for (const char *p = name; *p != '\0'; p++)
		if (!isgraph((unsigned char)*p) || strchr(special, *p) || strchr("/:%", *p))
			return err_set(err, EINVAL,
				"%.200s: character 0x%02x may not stand in the name of an interface",
				text, (unsigned char)*p);
	return 0;
}

static int parse_if(const char *text, const char *name, struct port_spec *s, struct err *err)
{
	int e = check_if_name(text, name, err);

	if (e == 0)
		snprintf(s->name, sizeof(s->name), "%s", name);
	return e;
}

static int parse_mem(const char *text, const char *name, struct port_spec *s, struct err *err)
{
	size_t n = strlen(name);

	s->kind = PORT_MEM;
	if (n == 0)
		return bad(err, text, "the name of the pair is missing (mem:NAME)");
	if (n > PAIR_NAME_MAX)
		return bad(err, text, "the name of a pair has at most 24 characters");
	for (const char *p = name; *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && !strchr("-_.+", *p))
			return bad(err, text,
				"the name of a pair is made of letters, digits and - _ . +");
	memcpy(s->name, name, n + 1);
	return 0;
}

static int parse_pcap(const char *text, const char *rest, struct port_spec *s, struct err *err)
{
	const char *comma = strchr(rest, ',');
	size_t n = comma != NULL ? (size_t)(comma - rest) : strlen(rest);

	s->kind = PORT_PCAP;
	if (comma != NULL && strchr(comma + 1, ',') != NULL)
		return bad(err, text, "more than one comma (pcap:IN,OUT; paths cannot hold one)");
	if (n >= SPEC_PATH_MAX || (comma != NULL && strlen(comma + 1) >= SPEC_PATH_MAX))
		return bad(err, text, "the path is too long");
	memcpy(s->in, rest, n);
	s->in[n] = '\0';
	if (comma != NULL)
		snprintf(s->out, sizeof(s->out), "%s", comma + 1);
	if (comma != NULL && s->out[0] == '\0')
		return bad(err, text, "the file to write is missing behind the comma");
	if (s->in[0] == '\0' && s->out[0] == '\0')
		return bad(
			err, text, "the name of the capture is missing (pcap:IN or pcap:IN,OUT)");
	return 0;
}

static int parse_memif(const char *text, const char *rest, struct port_spec *s, struct err *err)
{
	static const char server[] = ",server";
	size_t n = strlen(rest), tail = sizeof(server) - 1;

	s->kind = PORT_MEMIF;
	if (n >= tail && strcmp(rest + n - tail, server) == 0) {
		s->server = true;
		n -= tail;
	}
	if (n == 0)
		return bad(err, text, "the path of the socket is missing (memif:SOCKET[,server])");
	if (n > SOCKET_PATH_MAX)
		return bad(err, text, "the path of a socket has at most 107 characters");
	memcpy(s->in, rest, n);
	s->in[n] = '\0';
	for (const char *p = s->in; *p != '\0'; p++)
		if (!isgraph((unsigned char)*p) || strchr(special, *p))
			return err_set(err, EINVAL,
				"%.200s: character 0x%02x may not stand in the path of the socket",
				text, (unsigned char)*p);
	return 0;
}

// netmap's names: IF, IF-N for one queue.  Everything else they can say has no meaning here.
static int parse_netmap(const char *text, const char *rest, struct port_spec *s, struct err *err)
{
	char name[IF_NAME_MAX + 1];
	const char *end = rest + strcspn(rest, "^*{}@/"), *dash = end;
	unsigned long q = 0;

	s->kind = PORT_XDP;
	s->chosen = true;
	switch (*end) {
	case '^':
	case '*':
		return bad(err, text, "host rings belong to netmap; the kernel keeps its own here");
	case '{':
	case '}':
		return bad(
			err, text, "netmap pipes are not to be had; mem:NAME is a pair in memory");
	case '@':
		return bad(err, text, "memory regions and options behind an @ belong to netmap");
	case '/':
		return bad(err, text, "flags behind a slash belong to netmap");
	default:
		break;
	}
	while (dash > rest && isdigit((unsigned char)dash[-1]))
		dash--;
	if (dash > rest && *dash != '\0' && dash[-1] == '-') {
		q = strlen(dash) > 4 ? 65536 : strtoul(dash, NULL, 10);
		if (q > 1023)
			return bad(err, text, "a queue number is at most 1023");
		s->queue = (int)q;
		end = dash - 1;
	}
	if (end - rest > IF_NAME_MAX)
		return bad(err, text, "the name of an interface has at most 15 characters");
	memcpy(name, rest, (size_t)(end - rest));
	name[end - rest] = '\0';
	return parse_if(text, name, s, err);
}

bool port_spec_pci(const char *text, char *out)
{
	unsigned domain = 0, bus, dev, fn;
	char tail;

	if (strspn(text, "0123456789abcdefABCDEF:.") != strlen(text) || strlen(text) > 15)
		return false;
	if (sscanf(text, "%4x:%2x:%2x.%1x%c", &domain, &bus, &dev, &fn, &tail) != 4) {
		domain = 0;
		if (sscanf(text, "%2x:%2x.%1x%c", &bus, &dev, &fn, &tail) != 3)
			return false;
	}
	if (dev > 31 || fn > 7)
		return false;
	snprintf(out, SPEC_NAME_MAX, "%04x:%02x:%02x.%x", domain, bus, dev, fn);
	return true;
}

// The text behind "kind:", or NULL if text does not begin so.
static const char *behind(const char *text, const char *kind)
{
	size_t n = strlen(kind);

	return strncmp(text, kind, n) == 0 && text[n] == ':' ? text + n + 1 : NULL;
}

int port_spec_parse(const char *text, struct port_spec *s, struct err *err)
{
	const char *rest;

	s->chosen = s->server = false;
	s->queue = -1;
	s->name[0] = s->in[0] = s->out[0] = '\0';
	if (*text == '\0')
		return err_set(err, EINVAL, "the name of a port is empty");
	if (strcmp(text, "null") == 0) {
		s->kind = PORT_NULL;
		return 0;
	}
	if ((rest = behind(text, "mem")) != NULL)
		return parse_mem(text, rest, s, err);
	if ((rest = behind(text, "pcap")) != NULL)
		return parse_pcap(text, rest, s, err);
	if ((rest = behind(text, "memif")) != NULL)
		return parse_memif(text, rest, s, err);
	if ((rest = behind(text, "netmap")) != NULL)
		return parse_netmap(text, rest, s, err);
	if (strncmp(text, "vale", 4) == 0 && strchr(text, ':') != NULL)
		return bad(
			err, text, "VALE switches belong to netmap; mem:NAME is a pair in memory");
	s->kind = PORT_XDP;
	if ((rest = behind(text, "xdp")) != NULL)
		return parse_if(text, rest, s, err);
	s->kind = PORT_LIVE;
	if ((rest = behind(text, "live")) != NULL)
		return parse_if(text, rest, s, err);
	s->kind = PORT_AFPACKET;
	if ((rest = behind(text, "afpacket")) != NULL)
		return parse_if(text, rest, s, err);
	s->kind = PORT_TAP;
	if ((rest = behind(text, "tap")) != NULL)
		return parse_if(text, rest, s, err);
	s->kind = PORT_PCI;
	if (port_spec_pci(text, s->name))
		return 0;
	if (strchr(text, ':') != NULL)
		return bad(err, text,
			"no such kind of port (mem: pcap: null xdp: live: afpacket: "
			"tap: memif: netmap:, a PCI address, or an interface)");
	s->kind = PORT_XDP;
	s->chosen = true;
	return parse_if(text, text, s, err);
}
