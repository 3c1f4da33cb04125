/* Collective functions at a line, by hand: a root that is ahead, results that are kept, served,
 * left over, and not repeated. */
#include "elc/core/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NP = 3, COMM = 7 };

static struct elc_process process[NP];
static struct elc_collectives *with[NP];

static void begin(int rank, int64_t line)
{
	assert_int_equal(elc_process_init(&process[rank], NP, rank, &elc_events, ELC_COUNTED, line),
			 0);
	with[rank] = elc_process_communicator(&process[rank], COMM, (const int[]){ 0, 1, 2 }, NP);
	assert_non_null(with[rank]);
}

/* A broadcast by rank 0 of the number of the call. */
static struct elc_part bcast(int rank, int64_t id)
{
	return (struct elc_part){ "bcast", 0, rank == 0 ? (uint32_t)id : 0, rank == 0 ? 8 : 0,
				  rank == 0 ? 0 : 8 };
}

static void call(int rank, int64_t id)
{
	const struct elc_part part = bcast(rank, id);
	int64_t number, *data = malloc(sizeof *data);

	assert_int_equal(elc_collective_begin(&process[rank], with[rank], &part, &number),
			 ELC_CALL);
	assert_non_null(data);
	*data = id;
	elc_collective_end(with[rank], number, data);
}

static void served(int rank, int64_t id)
{
	const struct elc_part part = bcast(rank, id);
	int64_t number;

	assert_true(elc_collective_compares(&process[rank], with[rank]));
	assert_int_equal(elc_collective_begin(&process[rank], with[rank], &part, &number),
			 ELC_SERVE);
	assert_int_equal(*(int64_t *)elc_collective_next(with[rank])->data, id);
	elc_collective_taken(&process[rank], with[rank]);
}

static void request(int from, int to)
{
	const struct elc_set *set = elc_process_request(&process[from], to);
	struct elc_set copy;

	elc_set_init(&copy, ELC_COUNTED);
	for (size_t i = 0; i < set->n; i++)
		assert_int_equal(elc_set_add(&copy, set->entry[i].key, set->entry[i].num), 0);
	assert_int_equal(
		elc_process_on_request(&process[to], from, process[from].line.committed + 1, &copy),
		0);
}

/* The process dies, and begins again with its part of this line. */
static void restart(int rank, int64_t line)
{
	size_t bytes;
	void *part = elc_process_pack(&process[rank], &bytes);

	assert_non_null(part);
	elc_process_free(&process[rank]);
	begin(rank, line);
	for (size_t cut = 0; cut < bytes; cut += 7) { /* what is cut short is no part */
		assert_int_equal(elc_process_unpack(&process[rank], part, cut), -2);
		elc_process_free(&process[rank]);
		begin(rank, line);
	}
	assert_int_equal(elc_process_unpack(&process[rank], part, bytes), 0);
	free(part);
}

/* Rank 0 cuts behind three broadcasts, rank 1 behind one, rank 2 behind none. */
static void cut_apart(void)
{
	for (int r = 0; r < NP; r++)
		begin(r, 0);
	for (int i = 0; i < 3; i++)
		call(0, i);
	call(1, 0);
	for (int r = 0; r < NP; r++)
		assert_int_equal(elc_process_cut(&process[r]), 0);
}

static void end(void)
{
	for (int r = 0; r < NP; r++)
		elc_process_free(&process[r]);
}

static void complete(int rank, bool now)
{
	assert_int_equal(elc_process_ready(&process[rank], NULL, 0), now);
}

static void a_root_is_ahead(void **state)
{
	(void)state;
	cut_apart();
	call(1, 1); /* kept, although nobody has asked for it yet */
	request(0, 1);
	request(2, 1);
	complete(1, false);
	call(1, 2);
	complete(1, true);
	assert_false(elc_collective_compares(&process[1], with[1]));
	call(1, 3); /* all have it behind their cuts */
	assert_int_equal(with[1]->n, 2);
	for (int i = 0; i < 3; i++)
		call(2, i);
	call(2, 3); /* kept until the requests are here */
	assert_int_equal(with[2]->n, 4);
	request(0, 2);
	request(1, 2);
	complete(2, true);
	assert_int_equal(with[2]->n, 3);
	request(1, 0);
	assert_true(elc_collective_compares(&process[0], with[0]));
	request(2, 0);
	complete(0, true);
	assert_int_equal(with[0]->n, 0);
	for (int r = 0; r < NP; r++)
		restart(r, 1);
	for (int i = 0; i < 3; i++) {
		served(2, i);
		if (i > 0)
			served(1, i);
	}
	for (int r = 0; r < NP; r++) {
		assert_int_equal(with[r]->count, 3);
		assert_true(elc_collective_plain(&process[r], with[r]));
		call(r, 3);
	}
	assert_int_equal(process[2].served, 3);
	end();
}

static void asks_all(int of)
{
	for (int r = 0; r < NP; r++)
		if (r != of)
			request(r, of);
}

/* A nonblocking one is begun before its line is known to need it, and completed afterwards, behind
 * a later one. */
static void a_result_comes_later(void **state)
{
	const struct elc_part part = bcast(2, 0);
	int64_t number, later;

	(void)state;
	cut_apart();
	assert_int_equal(elc_collective_begin(&process[2], with[2], &part, &number), ELC_CALL);
	call(2, 1);
	call(2, 2);
	assert_int_equal(elc_collective_begin(&process[2], with[2], &part, &later), ELC_CALL);
	asks_all(2);
	complete(2, false);
	elc_collective_end(with[2], later, calloc(1, 8)); /* not of the line */
	complete(2, false);
	elc_collective_end(with[2], number, calloc(1, 8));
	complete(2, true);
	restart(2, 1);
	for (int i = 0; i < 3; i++)
		served(2, i);
	end();
}

/* The next line is cut before all were served, and again before any. */
static void results_are_left_over(void **state)
{
	(void)state;
	cut_apart();
	for (int i = 0; i < 3; i++)
		call(2, i);
	call(1, 1);
	call(1, 2);
	for (int line = 1; line < 4; line++) {
		for (int r = 0; r < NP; r++) {
			asks_all(r);
			complete(r, true);
		}
		for (int r = 0; r < NP; r++)
			restart(r, line);
		assert_int_equal(with[2]->n, line == 1 ? 3 : 2);
		if (line == 1)
			served(2, 0);
		for (int r = 0; r < NP; r++)
			assert_int_equal(elc_process_cut(&process[r]), 0);
	}
	served(2, 1); /* behind the cut, so it stays in the line */
	asks_all(2);
	complete(2, true);
	assert_int_equal(elc_process_completed(&process[2]), 0);
	assert_int_equal(with[2]->n, 1); /* to be served */
	served(2, 2);
	assert_int_equal(with[2]->n, 0);
	end();
}

static void a_program_does_not_repeat_itself(void **state)
{
	struct elc_part part[5];
	int64_t number;

	(void)state;
	cut_apart();
	for (int i = 0; i < 3; i++)
		call(2, i);
	asks_all(2);
	complete(2, true);
	restart(2, 1);
	for (int i = 0; i < 5; i++)
		part[i] = bcast(2, 0);
	strcpy(part[0].function, "reduce");
	part[1].root = 1;
	part[2].crc = 1;
	part[3].given = 8;
	part[4].got = 16;
	for (int i = 0; i < 5; i++)
		assert_int_equal(elc_collective_begin(&process[2], with[2], &part[i], &number),
				 ELC_OTHER);
	served(2, 0);
	end();
}

/* A line of a program with other communicators. */
static void other_communicators_are_refused(void **state)
{
	size_t bytes;
	void *part;

	(void)state;
	cut_apart();
	part = elc_process_pack(&process[0], &bytes);
	for (int more = 0; more < 2; more++) {
		elc_process_free(&process[0]);
		assert_int_equal(elc_process_init(&process[0], NP, 0, &elc_events, ELC_COUNTED, 1),
				 0);
		assert_non_null(
			elc_process_communicator(&process[0], COMM + 1, (const int[]){ 0 }, 1));
		if (more)
			assert_non_null(
				elc_process_communicator(&process[0], COMM, (const int[]){ 0 }, 1));
		assert_int_equal(elc_process_unpack(&process[0], part, bytes), -2);
	}
	free(part);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_root_is_ahead),
		cmocka_unit_test(a_result_comes_later),
		cmocka_unit_test(results_are_left_over),
		cmocka_unit_test(a_program_does_not_repeat_itself),
		cmocka_unit_test(other_communicators_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
