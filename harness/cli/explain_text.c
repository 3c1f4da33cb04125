/* Forecasts as text for people. */
#include "base/json.h"
#include "harness/cli/explain.h"

#include <stdlib.h>
#include <string.h>

enum {
	NAMED = 32, /* roles of a set, or ranges of them, that are named; --json has them all */
	DRAWN = 16, /* rows and columns of the largest grid of roles that is drawn */
};

static long long count_of(const json_t *object, const char *key)
{
	return integer_of(object, key, 0);
}

static long long integer_at(const json_t *list, size_t i)
{
	return json_integer_value(json_array_get(list, i));
}

/* How many from i on are each one more than the one before. */
static size_t length_of_range(const json_t *roles, size_t i)
{
	size_t length = 1;

	while (i + length < json_array_size(roles) &&
	       integer_at(roles, i + length) == integer_at(roles, i) + (long long)length)
		length++;
	return length;
}

/* Roles in ascending order: 0-3 5 7 8 */
static void say_set(const char *name, const json_t *roles)
{
	const size_t count = json_array_size(roles);
	size_t i = 0;

	printf("  %-18s %3zu:", name, count);
	for (int named = 0; i < count && named < NAMED; named++) {
		const size_t length = length_of_range(roles, i);

		printf(" %lld", integer_at(roles, i));
		if (length > 2)
			printf("-%lld", integer_at(roles, i + length - 1));
		i += length > 2 ? length : 1;
	}
	if (i < count)
		printf(" ... (%zu more)", count - i);
	printf("\n");
}

static void say_log(const json_t *forecast)
{
	const json_t *peaks = json_object_get(forecast, "log_bytes_peak");
	long long most = 0;

	for (size_t role = 0; role < json_array_size(peaks); role++)
		if (integer_at(peaks, role) > most)
			most = integer_at(peaks, role);
	printf("  largest log        %lld bytes of payload in one role\n", most);
}

static void say_rollback(const json_t *forecast)
{
	static const struct {
		const char *key, *name;
		bool if_any;
	} sets[] = {
		{ "restarted", "restarted", false },
		{ "perhaps_restarted", "perhaps restarted", true },
		{ "active", "active", false },
		{ "perhaps_active", "perhaps active", true },
		{ "blocked", "blocked", false },
	};
	const json_t *chain = json_object_get(forecast, "chain");
	const long long least = integer_at(chain, 0), most = integer_at(chain, 1);

	printf("back to iteration %lld\n", count_of(forecast, "checkpoint"));
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		const json_t *roles = json_object_get(forecast, sets[i].key);

		if (json_array_size(roles) > 0 || !sets[i].if_any)
			say_set(sets[i].name, roles);
	}
	printf("  rollback chain     %3lld", least);
	if (most > least)
		printf(" to %lld", most);
	printf("\n");
	say_log(forecast);
}

static void say_count(long long count, const char *noun)
{
	printf("%lld %s%s", count, noun, count == 1 ? "" : "s");
}

/* The roles at one distance that compute iterations on duplicates. */
struct ring {
	long long roles, least, most; /* iterations of one role */
};

static void enter(struct ring *ring, long long iterations)
{
	ring->least = ring->roles == 0 || iterations < ring->least ? iterations : ring->least;
	ring->most = iterations > ring->most ? iterations : ring->most;
	ring->roles++;
}

static void say_ring(long long distance, const struct ring *ring)
{
	printf("    distance %lld: ", distance);
	say_count(ring->roles, "role");
	printf(", ");
	if (ring->least == ring->most)
		say_count(ring->most, "iteration");
	else
		printf("%lld to %lld iterations", ring->least, ring->most);
	printf(" each\n");
}

static void say_distances(const json_t *cone)
{
	const json_t *distances = json_object_get(cone, "distance"),
		     *each = json_object_get(cone, "supported_each"), *role;
	const size_t roles = json_array_size(distances); /* all are nearer */
	struct ring *ring = calloc(roles + 1, sizeof *ring);
	size_t i;

	if (!ring) {
		printf("    distances: out of memory\n");
		return;
	}
	json_array_foreach(json_object_get(cone, "supporting"), i, role) {
		const size_t number = (size_t)json_integer_value(role);

		enter(&ring[integer_at(distances, number)], integer_at(each, number));
	}
	for (size_t distance = 0; distance < roles; distance++)
		if (ring[distance].roles > 0)
			say_ring((long long)distance, &ring[distance]);
	free(ring);
}

static void say_iterations(const json_t *cone, bool flat)
{
	const json_t *sums = json_object_get(cone, "iterations");
	const long long restarted = count_of(sums, "restarted"),
			supported = count_of(sums, "supported");

	printf("  iterations computed again\n"
	       "    with data-flow rollback  %8lld (%lld by restarted roles, %lld"
	       " on duplicates)\n",
	       restarted + supported, restarted, supported);
	if (flat)
		printf("    of these, in the cone    %8lld"
		       " (with --recompute dataflow that would be all)\n",
		       count_of(sums, "cone"));
	printf("    with rollback            %8lld (with the same policy)\n"
	       "    with full logging        %8lld (policy all)\n"
	       "    with global rollback     %8lld (policy none)\n",
	       count_of(sums, "rollback"), count_of(sums, "full_logging"),
	       count_of(sums, "global"));
}

/* A role in the drawing: the iterations that it computes again, and a mark behind them. */
struct cell {
	char text[24], mark;
};

static struct cell cell_of(const json_t *cone, long long lost, size_t role)
{
	const json_t *distance = json_array_get(json_object_get(cone, "distance"), role),
		     *each = json_array_get(json_object_get(cone, "supported_each"), role);
	struct cell cell = { ".", ' ' };

	if (json_is_integer(distance) && json_integer_value(distance) == 0) {
		snprintf(cell.text, sizeof cell.text, "%lld", lost);
		cell.mark = '*';
	} else if (json_is_integer(each)) {
		snprintf(cell.text, sizeof cell.text, "%lld", (long long)json_integer_value(each));
	}
	return cell;
}

static void draw_cells(const struct cell cell[DRAWN * DRAWN], size_t rows, size_t columns)
{
	int width = 0;

	for (size_t role = 0; role < rows * columns; role++)
		if ((int)strlen(cell[role].text) > width)
			width = (int)strlen(cell[role].text);
	for (size_t role = 0; role < rows * columns; role++) {
		const bool last = role % columns == columns - 1;

		if (role % columns == 0)
			printf("   ");
		printf(" %*s", width, cell[role].text);
		if (!last || cell[role].mark != ' ')
			putchar(cell[role].mark);
		if (last)
			putchar('\n');
	}
}

/* The cone as a table, in the manner of the data-flow-rollback paper, Fig. 7. Only a kernel whose
 * roles form a grid has such a layout. */
static void draw(const json_t *cone, long long lost, const char *layout)
{
	struct cell cell[DRAWN * DRAWN];
	int rows, columns, length = 0;

	if (sscanf(layout, "%9dx%9d roles%n", &rows, &columns, &length) != 2 || length == 0 ||
	    layout[length] || rows < 1 || rows > DRAWN || columns < 1 || columns > DRAWN)
		return;
	for (int role = 0; role < rows * columns; role++)
		cell[role] = cell_of(cone, lost, (size_t)role);
	printf("  iterations of each role (*: restarted, 0: only sends, .: no duplicate)\n");
	draw_cells(cell, (size_t)rows, (size_t)columns);
}

static bool is_flat(const json_t *forecast)
{
	return strcmp(text_of(forecast, "recompute"), spec_recompute(FT_FLAT)) == 0;
}

bool explain_is_dataflow(const json_t *forecast)
{
	return is_flat(forecast) ||
	       strcmp(text_of(forecast, "recompute"), spec_recompute(FT_DATAFLOW)) == 0;
}

/* Data-flow rollback for one assumption about where the survivors are. */
static void say_cone(const json_t *forecast, const json_t *cone)
{
	const long long lost = count_of(cone, "front") - count_of(forecast, "checkpoint");
	const json_t *global_after = json_object_get(cone, "global_after");

	say_set("supporting", json_object_get(cone, "supporting"));
	say_distances(cone);
	say_set("sending only", json_object_get(cone, "sending"));
	say_set("idle", json_object_get(cone, "idle"));
	if (json_is_integer(global_after)) {
		printf("  the cone is global: with ");
		say_count(json_integer_value(global_after), "lost iteration");
		printf(" or more, all roles take part\n");
	}
	say_iterations(cone, is_flat(forecast));
	draw(cone, lost, text_of(forecast, "layout"));
}

static void say_assumed(const json_t *forecast, const json_t *cone, const char *state)
{
	printf("assumed that all survivors are in iteration %lld%s:\n", count_of(cone, "front"),
	       state);
	say_cone(forecast, cone);
}

static void say_dataflow(const json_t *forecast)
{
	const json_t *later = json_object_get(forecast, "perhaps"),
		     *perhaps_active = json_object_get(forecast, "perhaps_active");
	/* two answers for one iteration: its messages are sent, or they are not */
	const bool logs = later && count_of(later, "front") == count_of(forecast, "front");

	printf("back to iteration %lld, with duplicates%s\n", count_of(forecast, "checkpoint"),
	       is_flat(forecast) ? " that repeat everything" : "");
	say_set("restarted", json_object_get(forecast, "restarted"));
	say_set("active", json_object_get(forecast, "active"));
	if (json_array_size(perhaps_active) > 0)
		say_set("perhaps active", perhaps_active);
	say_log(forecast);
	say_assumed(forecast, forecast, logs ? " and have sent nothing in it" : "");
	if (later)
		say_assumed(forecast, later, logs ? " and have sent all messages of it" : "");
}

void explain_say(const json_t *forecast)
{
	if (explain_is_dataflow(forecast))
		say_dataflow(forecast);
	else
		say_rollback(forecast);
}
