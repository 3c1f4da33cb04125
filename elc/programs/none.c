/* What libelc is to a program that is not linked with it: nothing. The programs of elc/programs are
 * built with this as their source mode. */
#include "elc/elc.h"

void elc_protect(int id, void *state, size_t bytes)
{
	(void)id, (void)state, (void)bytes;
}

void elc_fit(int (*fit)(void *context, const int *id, const size_t *bytes, size_t n), void *context)
{
	(void)fit, (void)context;
}

long elc_restarted(void)
{
	return 0;
}

int elc_safe_point(void)
{
	return 0;
}

int elc_checkpoint(void)
{
	return 0;
}
