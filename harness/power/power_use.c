#include "harness/power/power_use.h"

#include "base/clock.h"

#include <stdio.h>

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

void power_use_reduce(void *saving, bool on)
{
	struct power_use *s = saving;

	bool written;

	if (!s->power)
		return;
	written = power_reduce(s->power, on);
	power_use_trouble(s, power_trouble(s->power));
	if (on && written) {
		s->ledger->reductions++;
		s->since = clock_monotonic();
	} else if (!on && s->since > 0) { /* also if it stays reduced: the record then states the trouble */
		s->ledger->reduced_s += clock_monotonic() - s->since;
		s->since = 0;
	}
}

void power_use_close(struct power_use *s)
{
	power_close(s->power);
	s->power = NULL;
}
