/* Hard disks in strips of a periodic box. */
#include "elc/programs/strips.h"

#include <math.h>

static const double REACH = 0.3; /* of a move, in each direction */

/* The distance of the lattice: n disks of area pi / 4 cover half of n cells of area sqrt(3) / 2
 * times its square. */
static double spacing(void)
{
	return sqrt(acos(-1) / sqrt(3));
}

struct box make_box(long edge)
{
	struct box b = { (double)edge * spacing(), (double)edge * spacing() * sqrt(3) / 2,
			 edge * edge, 2 };
	const long pairs = (long)(b.width / 8);

	if (pairs > 1)
		b.strips = 2 * pairs;
	return b;
}

void place_on_lattice(long edge, struct disk *disks)
{
	for (long i = 0; i < edge * edge; i++) {
		const long row = i / edge;

		disks[i].x = ((double)(i % edge) + 0.5 * (double)(row % 2)) * spacing();
		disks[i].y = (double)row * spacing() * sqrt(3) / 2;
	}
}

/* Not inlined: the compiler must round in the same way wherever it is asked. */
__attribute__((noinline)) bool disks_overlap(const struct box *b, struct disk p, struct disk q)
{
	double x = fabs(p.x - q.x), y = fabs(p.y - q.y);

	if (x > b->width / 2)
		x = b->width - x;
	if (y > b->height / 2)
		y = b->height - y;
	return x * x + y * y < 1;
}

/* A coordinate of a periodic box. */
static double wrapped(double x, double width)
{
	if (x < 0)
		x += width;
	return x >= width ? x - width : x;
}

__attribute__((noinline)) enum place strip_place(const struct box *b, double origin, long strip,
						 struct disk d)
{
	const double wide = b->width / (double)b->strips, at = wrapped(d.x - origin, b->width),
		     near = 1 + 1e-9;
	const double before = wrapped((double)strip * wide - at, b->width),
		     behind = wrapped(at - (double)(strip + 1) * wide, b->width);
	long here = (long)(at / wide);

	if (here == b->strips) /* by rounding */
		here--;
	if (here == strip)
		return INSIDE;
	return before < near || behind < near ? BESIDE : ELSEWHERE;
}

/* May disk i be there? It must stay in its strip and touch no other one. */
static bool fits(const struct box *b, const double *task, const struct disk *disks, long i,
		 struct disk there)
{
	const long n = (long)(task[3] + task[4]);

	if (strip_place(b, task[2], (long)task[1], there) != INSIDE)
		return false;
	for (long j = 0; j < n; j++)
		if (j != i && disks_overlap(b, there, disks[j]))
			return false;
	return true;
}

void strip_move(const struct box *b, double *task)
{
	struct disk *disks = (struct disk *)(task + HEADER);
	const long n = (long)task[3];
	uint64_t state = draw(1, (uint64_t)task[0], (uint64_t)task[1]);
	long accepted = 0;

	for (long trial = 0; trial < n * (long)task[5]; trial++) {
		const long i = (long)(next_uniform(&state) * (double)n);
		struct disk there = disks[i];

		there.x = wrapped(there.x + REACH * (2 * next_uniform(&state) - 1), b->width);
		there.y = wrapped(there.y + REACH * (2 * next_uniform(&state) - 1), b->height);
		if (fits(b, task, disks, i, there)) {
			disks[i] = there;
			accepted++;
		}
	}
	task[4] = (double)accepted;
}
