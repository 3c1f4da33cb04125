#include "harness/power/power_use.h"

#include "base/clock.h"

#include <stdio.h>

int saving_adopt(struct saving *s, struct ledger *ledger, struct rb_error *err)
{
	s->ledger = ledger;
	return power_open(s->technique, &s->power, err);
}

void saving_trouble(struct saving *s, const char *text)
{
	if (text[0])
		snprintf(s->ledger->power_trouble, sizeof s->ledger->power_trouble, "%s", text);
}

void saving_reduce(void *saving, bool on)
{
	struct saving *s = saving;

	bool written;

	if (!s->power)
		return;
	written = power_reduce(s->power, on);
	saving_trouble(s, power_trouble(s->power));
	if (on && written) {
		s->ledger->reductions++;
		s->since = clock_monotonic();
	} else if (!on && s->since > 0) { /* even if it stays reduced: the record tells of the trouble */
		s->ledger->reduced_s += clock_monotonic() - s->since;
		s->since = 0;
	}
}

void saving_close(struct saving *s)
{
	power_close(s->power);
	s->power = NULL;
}
