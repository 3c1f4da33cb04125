#include "harness/cli/commands.h"
#include "harness/machine/power/power.h"

enum { LEFTOVERS = 32 };

void say_leftovers(const char *command)
{
	char text[LEFTOVERS][POWER_TEXT];
	int n = power_leftovers(text, LEFTOVERS), left;

	if (n == 0)
		return;
	power_restore_leftovers();
	for (int i = 0; i < n; i++)
		fprintf(stderr, "rollbench %s: warning: %s\n", command, text[i]);
	left = power_leftovers(text, LEFTOVERS);
	if (left == 0) {
		fprintf(stderr, "rollbench %s: all of these are set again now\n", command);
		return;
	}
	fprintf(stderr,
		"rollbench %s: warning: %d of these could not be set again: what runs on those "
		"cores is slowed down. Remedy: the commands above, as root\n",
		command, left);
}
