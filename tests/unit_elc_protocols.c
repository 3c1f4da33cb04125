/* What tells the protocols of elc/core apart: the paper's Fig. 3 with each of them, stamps,
 * markers. */
#include "elc/core/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* The paper's Fig. 3: process 1 sends M1, cuts, and sends M2. */
struct figure {
	struct elc_process sender, receiver;
	char recorded[4]; /* what the line has of these messages */
	char orphans[4];
	bool ready;
};

static void figure_sends(struct figure *f, const struct elc_protocol *protocol)
{
	assert_int_equal(elc_process_init(&f->sender, 2, 1, protocol, ELC_COUNTED, 0), 0);
	assert_int_equal(elc_process_init(&f->receiver, 2, 0, protocol, ELC_COUNTED, 0), 0);
	assert_int_equal(elc_process_stamp(&f->sender), 0);
	assert_int_equal(elc_process_send(&f->sender, 0, elc_key_of(0, '1'), 0, 1), ELC_SEND);
	assert_int_equal(elc_process_cut(&f->sender), 0);
	assert_int_equal(elc_process_stamp(&f->sender), 1);
	assert_int_equal(elc_process_send(&f->sender, 0, elc_key_of(0, '2'), 0, 1), ELC_SEND);
}

/* What happens at process 0: C, it cuts; M, the marker or request comes; 1 and 2, it receives this
 * message. */
static void figure_event(struct figure *f, char event)
{
	struct elc_process *p = &f->receiver;
	const elc_key key = elc_key_of(0, event);
	const struct elc_set *sent = elc_process_request(&f->sender, 0);
	struct elc_set request;
	char *copy;

	switch (event) {
	case 'C':
		assert_int_equal(elc_process_cut(p), 0);
		break;
	case 'M':
		elc_set_init(&request, ELC_COUNTED);
		for (size_t i = 0; i < sent->n; i++)
			assert_int_equal(
				elc_set_add(&request, sent->entry[i].key, sent->entry[i].num), 0);
		assert_int_equal(elc_process_on_request(p, 1, 1, &request), 0);
		break;
	default:
		copy = elc_process_wants_copy(p, 1, key, event == '2') ? calloc(1, 1) : NULL;
		assert_int_equal(
			elc_process_receive(p, 1, key, event == '2', elc_process_order(p), copy, 1),
			0);
	}
}

static void figure_play(struct figure *f, const struct elc_protocol *protocol, const char *events)
{
	size_t n = 0;

	figure_sends(f, protocol);
	for (; *events; events++)
		figure_event(f, *events);
	f->ready = elc_process_ready(&f->receiver, NULL, 0);
	elc_process_choose(&f->receiver, ELC_ANY);
	for (size_t i = 0; i < f->receiver.caught.n; i++)
		if (f->receiver.caught.m[i]->chosen || protocol == &elc_markers)
			f->recorded[n++] = (char)elc_key_tag(f->receiver.caught.m[i]->key);
	f->recorded[n] = '\0';
	n = 0;
	for (size_t i = 0; i < f->receiver.with[1].orphan.n; i++)
		f->orphans[n++] = (char)elc_key_tag(f->receiver.with[1].orphan.entry[i].key);
	f->orphans[n] = '\0';
	elc_process_free(&f->sender);
	elc_process_free(&f->receiver);
}

/* M1 is in transit if it is received after the cut; M2 is an orphan if it is received before.
 * Markers lose or duplicate a message where the order is another one than that of sending, and say
 * so. */
static void only_markers_need_the_order_of_fig_3(void **state)
{
	static const struct {
		const char *events, *transit, *orphans; /* of the line */
		/* what markers record; NULL: the same, and the line is good */
		const char *by_markers;
	} cases[] = {
		{ "C1M2", "1", "", NULL },
		{ "CM12", "1", "", "" },   /* {Marker, M1, M2}: M1 is lost */
		{ "C12M", "1", "", "12" }, /* {M1, M2, Marker}: M2 would be received twice */
		{ "C21M", "1", "", "21" },
		{ "C2M1", "1", "", "2" },
		{ "1MC2", "", "", NULL },
		/* a cut is at a safe point, so messages may come between the marker and the cut */
		{ "1M2C", "", "2", NULL },
		{ "12MC", "", "2", "" },
		{ "2MC1", "1", "2", "" }, /* as many as were sent, but others */
	};
	static const struct elc_protocol *const right[] = { &elc_events, &elc_tagging };
	struct figure f;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (size_t p = 0; p < 2; p++) {
			figure_play(&f, right[p], cases[i].events);
			assert_true(f.ready);
			assert_string_equal(f.recorded, cases[i].transit);
			assert_string_equal(f.orphans, cases[i].orphans);
		}
		figure_play(&f, &elc_markers, cases[i].events);
		assert_int_equal(f.ready, !cases[i].by_markers);
		assert_string_equal(f.recorded,
				    cases[i].by_markers ? cases[i].by_markers : cases[i].transit);
		if (!cases[i].by_markers)
			assert_string_equal(f.orphans, cases[i].orphans);
	}
}

/* A marker that travels beside the messages has its turn when those in front of it have come. */
static void a_marker_waits_for_its_turn(void **state)
{
	struct figure f;
	const struct elc_set *marker;

	(void)state;
	figure_sends(&f, &elc_markers);
	marker = elc_process_request(&f.sender, 0);
	assert_int_equal(elc_markers_to_come(&f.receiver, 1, 0, marker), 1);
	assert_int_equal(elc_markers_to_come(&f.receiver, 1, 1, marker), 0);
	assert_false(elc_markers_due(&f.receiver, 1, marker));
	assert_int_equal(elc_process_take(&f.receiver, 1, elc_key_of(0, '1'), 0, calloc(1, 1), 1),
			 0);
	assert_true(elc_markers_due(&f.receiver, 1, marker));
	assert_int_equal(elc_process_deliver(&f.receiver, f.receiver.held.m[0]), 0);
	assert_true(elc_markers_due(&f.receiver, 1, marker));
	elc_process_free(&f.sender);
	elc_process_free(&f.receiver);
}

/* A stamp or a number that the protocol cannot have is no message of it. */
static void impossible_stamps_are_refused(void **state)
{
	struct elc_process p;
	struct elc_set request;
	const elc_key key = elc_key_of(0, 5);

	(void)state;
	assert_int_equal(elc_process_init(&p, 2, 0, &elc_tagging, ELC_COUNTED, 3), 0);
	/* in transit at a line that is committed */
	assert_int_equal(elc_process_receive(&p, 1, key, 2, 1, NULL, 0), -2);
	assert_int_equal(elc_process_receive(&p, 1, key, 5, 1, NULL, 0), -2); /* two lines ahead */
	assert_int_equal(elc_process_receive(&p, 1, key, 3, 1, NULL, 0), 0);
	assert_int_equal(elc_process_cut(&p), 0);
	elc_set_init(&request, ELC_COUNTED); /* nothing was sent */
	assert_int_equal(elc_process_on_request(&p, 1, 4, &request), -2);
	elc_process_free(&p);
}

static void protocols_have_names(void **state)
{
	(void)state;
	assert_ptr_equal(elc_protocol_named("events"), &elc_events);
	assert_ptr_equal(elc_protocol_named("tagging"), &elc_tagging);
	assert_ptr_equal(elc_protocol_named("markers"), &elc_markers);
	assert_null(elc_protocol_named("marker"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_markers_need_the_order_of_fig_3),
		cmocka_unit_test(a_marker_waits_for_its_turn),
		cmocka_unit_test(impossible_stamps_are_refused),
		cmocka_unit_test(protocols_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
