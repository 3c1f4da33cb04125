#include "elc/files/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How many bytes a character of UTF-8 has (RFC 3629); 0: the bytes are none. */
static int character(const unsigned char *c)
{
	const int more = *c < 0x80 ? 0 : *c < 0xc2 ? -1 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : 3;
	const bool overlong = (*c == 0xe0 && c[1] < 0xa0) || (*c == 0xf0 && c[1] < 0x90);
	const bool beyond = *c > 0xf4 || (*c == 0xf4 && c[1] > 0x8f);
	const bool surrogate = *c == 0xed && c[1] > 0x9f;

	if (more < 0 || overlong || beyond || surrogate)
		return 0;
	for (int i = 1; i <= more; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return more + 1;
}

/* A text or null. A byte that JSON cannot have becomes '?'. */
static void print_text(FILE *to, const char *key, const char *text)
{
	fprintf(to, "\"%s\": %s", key, text ? "\"" : "null");
	for (const char *c = text; c && *c;) {
		const int bytes = character((const unsigned char *)c);

		if (bytes == 0 || (unsigned char)*c < ' ')
			fputc('?', to);
		else
			fprintf(to, "%s%.*s", *c == '"' || *c == '\\' ? "\\" : "", bytes, c);
		c += bytes > 0 ? bytes : 1;
	}
	fprintf(to, "%s, ", text ? "\"" : "");
}

static void print_line(FILE *to, const char *key, int64_t line)
{
	if (line < 0)
		fprintf(to, "\"%s\": null, ", key);
	else
		fprintf(to, "\"%s\": %" PRId64 ", ", key, line);
}

static void print(FILE *to, const struct elc_report *r)
{
	fprintf(to, "{\"rank\": %d, \"np\": %d, \"protocol\": \"%s\", \"log\": \"%s\", ", r->rank,
		r->np, r->protocol, r->log);
	print_text(to, "killed", r->killed);
	print_text(to, "refused", r->refused);
	print_line(to, "restored", r->restored);
	print_line(to, "line", r->line);
	fprintf(to,
		"\"safe_points\": %" PRId64 ", \"events\": %" PRId64 ", \"committed\": %" PRId64
		", \"transit\": %" PRId64 ", \"transit_bytes\": %" PRId64 ", \"orphans\": %" PRId64
		", \"results\": %" PRId64 ", \"served\": %" PRId64 ", ",
		r->safe_points, r->events, r->committed, r->transit, r->transit_bytes, r->orphans,
		r->results, r->served);
	fprintf(to,
		"\"identify_s\": %.9f, \"stopped_s\": %.9f, \"write_s\": %.9f, \"line_s\": %.9f, "
		"\"seconds\": %.9f, \"cpu_s\": %.9f}\n",
		r->identify_s, r->stopped_s, r->write_s, r->line_s, r->seconds, r->cpu_s);
}

static int refuse(const char *prefix, char why[ELC_TEXT])
{
	snprintf(why, ELC_TEXT, "ELC_REPORT=%.200s: the report cannot be written: %s", prefix,
		 strerror(errno));
	return -1;
}

int elc_report_begin(const char *prefix, char why[ELC_TEXT])
{
	char path[ELC_PATH];
	FILE *to = NULL;

	errno = ENAMETOOLONG;
	if (snprintf(path, sizeof path, "%sbegun", prefix) < (int)sizeof path)
		to = fopen(path, "we");
	return to && fclose(to) == 0 ? 0 : refuse(prefix, why);
}

int elc_report_write(const char *prefix, const struct elc_report *r, char why[ELC_TEXT])
{
	char path[ELC_PATH], temporary[ELC_PATH];
	FILE *to = NULL;

	errno = ENAMETOOLONG;
	if (snprintf(path, sizeof path, "%s%d.json", prefix, r->rank) < (int)sizeof path - 8) {
		snprintf(temporary, sizeof temporary, "%.*s.new", ELC_PATH - 8, path);
		to = fopen(temporary, "we");
	}
	if (to) {
		print(to, r);
		if (fclose(to) == 0 && rename(temporary, path) == 0)
			return 0;
	}
	return refuse(prefix, why);
}
