#include "ft/log/results.h"

#include "base/grow.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

void results_free(struct results *s)
{
	free(s->end);
	free(s->number);
	memset(s, 0, sizeof *s);
}

static size_t begin_of(const struct results *s, int64_t iter)
{
	return iter > s->since ? s->end[iter - s->since - 1] : 0;
}

static bool is_recorded(const struct results *s, int64_t iter)
{
	return iter >= s->since && iter < s->since + s->iterations;
}

/* Where the complete iterations end. */
static size_t complete(const struct results *s)
{
	return begin_of(s, s->since + s->iterations);
}

void results_begin(struct results *s, int64_t iter)
{
	s->iter = iter;
	s->taken = 0;
	s->count = complete(s);
}

static int room_for_numbers(struct results *s, size_t n)
{
	double *list = grow(s->number, s->count + n, &s->room, sizeof *list);

	s->number = list ? list : s->number;
	return list ? RB_OK : RB_ENOMEM;
}

static int room_for_iterations(struct results *s, int64_t n)
{
	size_t *list = grow(s->end, (size_t)(s->iterations + n), &s->end_room, sizeof *list);

	s->end = list ? list : s->end;
	return list ? RB_OK : RB_ENOMEM;
}

int results_add(struct results *s, const double *v, size_t n)
{
	RB_TRY(room_for_numbers(s, n));
	memcpy(s->number + s->count, v, n * sizeof *v);
	s->count += n;
	return RB_OK;
}

bool results_read(const struct results *s, int64_t iter, size_t *taken, double *v, size_t n)
{
	size_t from;

	if (!is_recorded(s, iter))
		return false;
	from = begin_of(s, iter) + *taken;
	if (from + n > s->end[iter - s->since])
		return false;
	memcpy(v, s->number + from, n * sizeof *v);
	*taken += n;
	return true;
}

bool results_take(struct results *s, double *v, size_t n)
{
	return results_read(s, s->iter, &s->taken, v, n);
}

static void note_peak(struct results *s)
{
	if (results_bytes(s) > s->bytes_peak)
		s->bytes_peak = results_bytes(s);
}

int results_commit(struct results *s)
{
	if (is_recorded(s, s->iter))
		return RB_OK;
	RB_TRY(room_for_iterations(s, 1));
	s->end[s->iterations++] = s->count;
	note_peak(s);
	return RB_OK;
}

void results_trim(struct results *s, int64_t from)
{
	int64_t gone = from - s->since;
	size_t numbers;

	if (gone <= 0)
		return;
	if (gone >= s->iterations) {
		results_restart(s, from);
		return;
	}
	numbers = s->end[gone - 1];
	s->iterations -= gone;
	for (int64_t i = 0; i < s->iterations; i++)
		s->end[i] = s->end[i + gone] - numbers;
	s->count = complete(s);
	if (s->count > 0) /* a kernel without such reductions has no numbers */
		memmove(s->number, s->number + numbers, s->count * sizeof *s->number);
	s->since = from;
}

void results_cut(struct results *s, int64_t to)
{
	if (to < s->since + s->iterations)
		s->iterations = to > s->since ? to - s->since : 0;
	s->count = complete(s);
}

void results_restart(struct results *s, int64_t since)
{
	s->since = since;
	s->iterations = 0;
	s->count = 0;
}

size_t results_bytes(const struct results *s)
{
	return s->count * sizeof *s->number + (size_t)s->iterations * sizeof *s->end;
}

/* What is sent: this, the end of each iteration (from 0), the numbers. */
struct packed {
	int64_t from, iterations;
	uint64_t numbers;
};

void *results_pack(const struct results *s, int64_t from, int64_t to, size_t *bytes)
{
	struct packed head = { from, to - from, begin_of(s, to) - begin_of(s, from) };
	char *out;

	*bytes = sizeof head + (size_t)head.iterations * sizeof(uint64_t) +
		 head.numbers * sizeof(double);
	out = malloc(*bytes);
	if (!out)
		return NULL;
	memcpy(out, &head, sizeof head);
	for (int64_t i = 0; i < head.iterations; i++) {
		uint64_t end = s->end[from - s->since + i] - begin_of(s, from);

		memcpy(out + sizeof head + (size_t)i * sizeof end, &end, sizeof end);
	}
	if (head.numbers > 0)
		memcpy(out + sizeof head + (size_t)head.iterations * sizeof(uint64_t),
		       s->number + begin_of(s, from), head.numbers * sizeof(double));
	return out;
}

int results_append(struct results *s, const void *packed, size_t bytes)
{
	const char *in = packed;
	const size_t base = complete(s);
	struct packed head;

	if (bytes < sizeof head)
		return RB_ECORRUPT;
	memcpy(&head, in, sizeof head);
	if (head.from != s->since + s->iterations || head.iterations < 0 ||
	    bytes != sizeof head + (size_t)head.iterations * sizeof(uint64_t) +
			     head.numbers * sizeof(double))
		return RB_ECORRUPT;
	s->count = base;
	RB_TRY(room_for_iterations(s, head.iterations));
	RB_TRY(room_for_numbers(s, head.numbers));
	for (int64_t i = 0; i < head.iterations; i++) {
		uint64_t end;

		memcpy(&end, in + sizeof head + (size_t)i * sizeof end, sizeof end);
		s->end[s->iterations + i] = base + end;
	}
	if (head.numbers > 0)
		memcpy(s->number + base,
		       in + sizeof head + (size_t)head.iterations * sizeof(uint64_t),
		       head.numbers * sizeof(double));
	s->iterations += head.iterations;
	s->count = complete(s);
	note_peak(s);
	return RB_OK;
}
