/* What `rollbench barrier` prints: medians, what is absent, and the delay relative to `none`. Three
 * ranks, the last of which is late; the first two read the meter of a package each. */
#include "harness/barrier/barrier_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LATE = 2 };

static json_t *technique(const char *name, const char *absent, const char *trouble)
{
	return json_pack("{s:s, s:s?, s:s?}", "name", name, "absent", absent, "trouble", trouble);
}

static json_t *record_of(json_t *techniques)
{
	return json_pack("{s:i, s:o, s:[], s:[{s:i, s:b}, {s:i, s:b}, {s:i, s:b}], s:[]}",
			 "late_rank", LATE, "techniques", techniques, "meters", "ranks", "rank", 0,
			 "reads_energy", 1, "rank", 1, "reads_energy", 1, "rank", LATE,
			 "reads_energy", 0, "phases");
}

/* A phase that the late rank computed with its whole core, and the others with half of theirs.
 * name: NULL for the product. first_us, middle_us: how much later the last and the median rank
 * left. */
static json_t *add_phase(json_t *record, const char *name, int repetition, double last_us,
			 double middle_us)
{
	json_t *samples = json_array();

	for (int r = 0; r <= LATE; r++)
		json_array_append_new(samples, json_pack("{s:i, s:f, s:f, s:f, s:n, s:f}", "rank",
							 r, "wall_s", 2.0, "cpu_s",
							 r == LATE ? 2.0 : 1.0, "cycles", 2e9,
							 "instructions", "watts", 40.0 + 10 * r));
	json_array_append_new(json_object_get(record, "phases"),
			      json_pack("{s:s?, s:i, s:f, s:f, s:o}", "technique", name,
					"repetition", repetition, "latency_max_s", 1e-6 * last_us,
					"latency_median_s", 1e-6 * middle_us, "samples", samples));
	return samples;
}

/* The record is freed, the text is not. */
static char *printed(json_t *record)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	barrier_table(record, to);
	fclose(to);
	json_decref(record);
	return text;
}

/* Is it once in the text? */
static void assert_once(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	if (!at || strstr(at + 1, line))
		fail_msg("\"%s\" is not there once:\n%s", line, text);
}

/* Are these words once in what is printed? Frees the record. */
static void assert_printed_once(json_t *record, const char *words)
{
	char *text = printed(record);

	assert_once(text, words);
	free(text);
}

static void cells_are_medians_or_absent(void **state)
{
	json_t *record = record_of(json_pack("[o, o, o]", technique("none", NULL, NULL),
					     technique("dvfs", "rank 1: no such file", NULL),
					     technique("cm", NULL, "rank 2: vanished")));
	char *text;

	(void)state;
	add_phase(record, NULL, 0, 0, 0);
	add_phase(record, "none", 0, 30, 20);
	text = printed(record);
	/* all ranks compute the product, and two of them wait in the barrier */
	assert_once(text, "matrix product    0.5000 [0.5000, 1.0000]   2.0000 [2.0000, 2.0000]   "
			  "absent                    40.0 [40.0, 40.0] + 50.0 [50.0, 50.0]\n");
	assert_once(text, "barrier, none     0.5000 [0.5000, 0.5000]   ");
	assert_once(text, "barrier, none     30 [30, 30]                                         "
			  "20 [20, 20]               \n");
	assert_once(text, "barrier, dvfs     absent: rank 1: no such file\n");
	assert_once(text, "barrier, cm       absent: rank 2: vanished\n");
	free(text);
}

static void the_delay_is_that_of_the_same_repetition(void **state)
{
	json_t *record = record_of(
		json_pack("[o, o]", technique("none", NULL, NULL), technique("sleep", NULL, NULL)));

	(void)state;
	add_phase(record, "none", 0, 30, 20);
	add_phase(record, "none", 1, 130, 20);
	add_phase(record, "sleep", 0, 60, 40);
	add_phase(record, "sleep", 1, 60, 40);
	assert_printed_once(record,
			    "barrier, sleep    60 [60, 60]               -20 [-70, +30]            "
			    "40 [40, 40]               +20 [+20, +20]\n");
}

static void without_none_there_is_no_delay(void **state)
{
	json_t *record = record_of(json_pack("[o]", technique("sleep", NULL, NULL)));

	(void)state;
	add_phase(record, "sleep", 0, 60, 40);
	assert_printed_once(record,
			    "barrier, sleep    60 [60, 60]               absent                    "
			    "40 [40, 40]               absent\n");
}

static void a_lost_reading_gives_no_figure(void **state)
{
	json_t *record = record_of(json_pack("[o]", technique("none", NULL, NULL)));

	(void)state;
	add_phase(record, "none", 0, 30, 20);
	json_object_set_new(json_array_get(add_phase(record, "none", 1, 30, 20), 0), "watts",
			    json_null());
	assert_printed_once(record, "absent + 50.0 [50.0, 50.0]\n");
}

static void the_last_meter_has_the_remedy(void **state)
{
	json_t *record = record_of(json_array());
	char *text;

	(void)state;
	json_object_set_new(record, "meters",
			    json_pack("[{s:s, s:b, s:s}, {s:s, s:b, s:s}, {s:s, s:b, s:s}]", "what",
				      "energy", "ok", 0, "text", "no file", "what", "energy", "ok",
				      0, "text", "load the module", "what", "cycles", "ok", 1,
				      "text", "counted"));
	text = printed(record);
	assert_once(text, "\nW absent: load the module\n\n");
	assert_null(strstr(text, "cycles absent"));
	assert_once(text, "matrix product    absent                    absent                    "
			  "absent                    absent + absent\n");
	free(text);
}

/* measured.json comes from another process: what it lacks is absent, whatever it is. */
static void an_empty_record_has_empty_tables(void **state)
{
	char *text = printed(json_object());

	(void)state;
	assert_once(text, "\nmatrix product    absent ");
	assert_null(strstr(text, "barrier,"));
	free(text);
	free(printed(json_pack("{s:[n, i, {s:s, s:i}], s:[n, {s:i}], s:i}", "phases", 5,
			       "technique", "none", "repetition", -1, "techniques", "name", 3,
			       "meters", 7)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_medians_or_absent),
		cmocka_unit_test(the_delay_is_that_of_the_same_repetition),
		cmocka_unit_test(without_none_there_is_no_delay),
		cmocka_unit_test(a_lost_reading_gives_no_figure),
		cmocka_unit_test(the_last_meter_has_the_remedy),
		cmocka_unit_test(an_empty_record_has_empty_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
