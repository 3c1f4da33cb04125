#include "forecast/simulate/quantity.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const struct unit {
	enum dimension of;
	const char *name;
	double factor; /* negative: a divisor, so that 50us is exactly what 5e-5 is */
} units[] = {
	{ IN_SECONDS, "ns", -1e9 },
	{ IN_SECONDS, "us", -1e6 },
	{ IN_SECONDS, "ms", -1e3 },
	{ IN_SECONDS, "s", 1 },
	{ IN_SECONDS, "min", 60 },
	{ IN_SECONDS, "m", 60 },
	{ IN_SECONDS, "h", 3600 },
	{ IN_SECONDS, "d", 86400 },
	{ IN_SECONDS, "y", 365.25 * 86400 },
	{ IN_BYTES, "B", 1 },
	{ IN_BYTES, "kB", 1e3 },
	{ IN_BYTES, "MB", 1e6 },
	{ IN_BYTES, "GB", 1e9 },
	{ IN_BYTES, "KiB", 1024 },
	{ IN_BYTES, "MiB", 1048576 },
	{ IN_BYTES, "GiB", 1073741824 },
	{ IN_BYTES_PER_S, "B/s", 1 },
	{ IN_BYTES_PER_S, "kB/s", 1e3 },
	{ IN_BYTES_PER_S, "MB/s", 1e6 },
	{ IN_BYTES_PER_S, "GB/s", 1e9 },
	{ IN_BYTES_PER_S, "MiB/s", 1048576 },
	{ IN_BYTES_PER_S, "GiB/s", 1073741824 },
	{ IN_BYTES_PER_S, "Mbit/s", 1e6 / 8 },
	{ IN_BYTES_PER_S, "Gbit/s", 1e9 / 8 },
	{ IN_WATTS, "mW", -1e3 },
	{ IN_WATTS, "W", 1 },
	{ IN_WATTS, "kW", 1e3 },
};

const char *dimension_help(enum dimension d)
{
	static const char *const help[] = {
		"a time (ns, us, ms, s, m, h, d, y), for instance 50us",
		"a number of bytes (B, kB, MB, GB, KiB, MiB, GiB), for instance 800kB",
		"a bandwidth (B/s, kB/s, MB/s, GB/s, MiB/s, GiB/s, Mbit/s, Gbit/s), for instance "
		"1Gbit/s",
		"a power (mW, W, kW), for instance 125W",
	};

	return help[d];
}

bool quantity_parse(const char *text, enum dimension d, bool strict, double *out)
{
	const char *unit = text;
	double value;

	if (!text_real(&unit, &value))
		return false;
	unit += strspn(unit, " ");
	if (!*unit && !strict) {
		*out = value;
		return true;
	}
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (units[i].of == d && strcmp(unit, units[i].name) == 0) {
			*out = units[i].factor > 0 ? value * units[i].factor
						   : value / -units[i].factor;
			return true;
		}
	return false;
}
