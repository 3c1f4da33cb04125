#include "ft/recovery/closure.h"

static bool must_roll_back(int np, int s, const int64_t *front, const int64_t *hole)
{
	for (int d = 0; d < np; d++)
		if (d != s && front[d] < front[s] && hole[(int64_t)s * np + d] >= front[d])
			return true;
	return false;
}

/* The roles found in one round go back together at its end, so that rounds are the links of the
 * chain. */
int closure(int np, int64_t c, int64_t *front, const int64_t *hole, bool *rolled)
{
	int depth = 0, found;

	for (int r = 0; r < np; r++)
		if (rolled[r])
			front[r] = c;
	do {
		found = 0;
		for (int s = 0; s < np; s++) {
			if (!rolled[s] && must_roll_back(np, s, front, hole)) {
				rolled[s] = true;
				found++;
			}
		}
		for (int s = 0; found > 0 && s < np; s++)
			if (rolled[s])
				front[s] = c;
		depth += found > 0;
	} while (found > 0);
	return depth;
}
