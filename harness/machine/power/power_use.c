#include "harness/machine/power/power_use.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int power_use_adopt(struct power_use *s, struct ledger *ledger, struct rb_error *err)
{
	s->ledger = ledger;
	return power_open(s->technique, &s->power, err);
}

void power_use_trouble(struct power_use *s, const char *text)
{
	if (text[0])
		snprintf(s->ledger->power_trouble, sizeof s->ledger->power_trouble, "%s", text);
}

/* From a reduction to its end. */
static void account(struct power_use *s, bool on)
{
	if (on) {
		s->ledger->reductions++;
		s->since = clock_monotonic();
	} else if (s->since >
		   0) { /* also if it stays reduced: the record then states the trouble */
		s->ledger->reduced_s += clock_monotonic() - s->since;
		s->since = 0;
	}
}

void power_use_reduce(void *saving, bool on)
{
	struct power_use *s = saving;

	bool written;

	if (!s->power)
		return;
	written = power_reduce(s->power, on);
	power_use_trouble(s, power_trouble(s->power));
	if (written || !on)
		account(s, on);
}

void power_use_slow(void *saving, bool on)
{
	struct power_use *s = saving;
	char text[64];

	if (s->slow.on == on)
		return;
	if (slow_set(&s->slow, on)) {
		account(s, on);
		return;
	}
	snprintf(text, sizeof text, "no timer: %s", strerror(errno));
	power_use_trouble(s, text);
}

void power_use_close(struct power_use *s)
{
	slow_set(&s->slow, false);
	power_close(s->power);
	s->power = NULL;
}
