#include "ft/rollback.h"

static bool must_roll_back(int np, int s, const int64_t *front, const int64_t *hole)
{
	for (int d = 0; d < np; d++)
		if (d != s && front[d] < front[s] && hole[(int64_t)s * np + d] >= front[d])
			return true;
	return false;
}

void rollback_close(int np, int64_t c, int64_t *front, const int64_t *hole, bool *rolled)
{
	bool changed = true;

	for (int r = 0; r < np; r++)
		if (rolled[r])
			front[r] = c;
	while (changed) {
		changed = false;
		for (int s = 0; s < np; s++) {
			if (rolled[s] || !must_roll_back(np, s, front, hole))
				continue;
			front[s] = c;
			rolled[s] = true;
			changed = true;
		}
	}
}
