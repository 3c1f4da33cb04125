#include "forecast/time/platform.h"

#include "base/status.h"
#include "base/text.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* "4x8": numbers into list. Returns how many, or 0. */
static int read_lengths(const char *text, int least, int list[NETWORK_LEVELS])
{
	char copy[NETWORK_TEXT], *next = copy, *word;
	int count = 0;

	snprintf(copy, sizeof copy, "%s", text);
	while ((word = strsep(&next, "x"))) {
		int64_t length;

		if (count == NETWORK_LEVELS || !text_integer(word, least, 1 << 20, &length))
			return 0;
		list[count++] = (int)length;
	}
	return count;
}

static bool read_tree(struct network *n, const char *text)
{
	char copy[NETWORK_TEXT], *next = copy;
	const char *part[3];

	snprintf(copy, sizeof copy, "%s", text);
	for (int i = 0; i < 3; i++)
		part[i] = strsep(&next, "/");
	for (int i = 0; i < NETWORK_LEVELS; i++)
		n->cables[i] = 1;
	return !next && part[1] && (n->levels = read_lengths(part[0], 1, n->down)) > 0 &&
	       read_lengths(part[1], 1, n->up) == n->levels &&
	       (!part[2] || read_lengths(part[2], 1, n->cables) == n->levels);
}

int network_parse(struct network *n, const char *text, struct rb_error *err)
{
	struct network new = { .hop_s = n->hop_s };
	bool ok = snprintf(new.text, sizeof new.text, "%s", text) < (int)sizeof new.text;

	if (strcmp(text, "unshared") == 0) {
		new.kind = NETWORK_UNSHARED;
	} else if (strcmp(text, "star") == 0) {
		new.kind = NETWORK_STAR;
	} else if (strncmp(text, "torus:", 6) == 0) {
		new.kind = NETWORK_TORUS;
		ok = ok && (new.levels = read_lengths(text + 6, 2, new.down)) > 0;
	} else {
		new.kind = NETWORK_FATTREE;
		ok = ok && strncmp(text, "fattree:", 8) == 0 && read_tree(&new, text + 8);
	}
	if (!ok)
		return rb_fail(
			err, RB_EINVAL,
			"network %.60s: expected unshared, star, torus:AxB with the lengths of 1 "
			"to %d axes, at least 2 each, or fattree:DOWN/UP[/CABLES] with a number "
			"for each of 1 to %d levels, for instance fattree:4x8/1x2",
			text, NETWORK_LEVELS, NETWORK_LEVELS);
	*n = new;
	return RB_OK;
}

int platform_roles(const struct platform *p)
{
	return p->roles_per_host > 0 ? p->roles_per_host : 1;
}

int platform_cores(const struct platform *p)
{
	return p->cores_per_host > 0 ? p->cores_per_host : platform_roles(p);
}

int platform_hosts(const struct platform *p, int np)
{
	const int roles = platform_roles(p);

	return np / roles + (np % roles > 0);
}

bool platform_is_given(const struct platform *p)
{
	return p->roles_per_host > 0 || p->cores_per_host > 0 || p->network.text[0] ||
	       p->network.hop_s > 0;
}

bool platform_shares(const struct platform *p)
{
	return platform_cores(p) < platform_roles(p) || p->network.kind != NETWORK_UNSHARED;
}

int platform_check(const struct platform *p, int np, struct rb_error *err)
{
	const int hosts = platform_hosts(p, np);
	int64_t places = 1;

	if (p->network.hop_s > 0 && p->network.kind == NETWORK_UNSHARED)
		return rb_fail(
			err, RB_EINVAL,
			"hop-latency: a message has no cables on its way; give a network, or only "
			"the latency");
	if (p->network.kind != NETWORK_TORUS && p->network.kind != NETWORK_FATTREE)
		return RB_OK;
	for (int i = 0; i < p->network.levels && places <= INT_MAX; i++)
		places *= p->network.down[i];
	if (places != hosts)
		return rb_fail(
			err, RB_EINVAL,
			"network %s: it has %s%lld hosts, but %d roles with %d on a host have %d",
			p->network.text, places > INT_MAX ? "more than " : "",
			places > INT_MAX ? (long long)INT_MAX : (long long)places, np,
			platform_roles(p), hosts);
	return RB_OK;
}
