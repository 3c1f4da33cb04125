/* Hard disks of diameter 1 in a periodic box, and strips of it in which they are moved. Nothing
 * here communicates. */
#ifndef ELC_PROGRAMS_STRIPS_H
#define ELC_PROGRAMS_STRIPS_H

#include "elc/programs/common.h"

struct disk {
	double x, y;
};

struct box {
	double width, height;
	long disks, strips; /* strips: an even number, each at least 4 wide */
};

/* The numbers before the disks of a task: half sweep, strip, origin of the strips, disks that move,
 * disks that rest beside them, passes. In an answer, the number of accepted moves stands in place
 * of the disks that rest, and there are only the disks that move. */
enum { HEADER = 6 };

/* A triangular lattice with this many disks along an edge, which cover half of the box. */
struct box make_box(long edge);
void place_on_lattice(long edge, struct disk *disks);

bool disks_overlap(const struct box *b, struct disk p, struct disk q);

/* Is a disk in this strip, or so near to it that disks in it can touch it, or neither? */
enum place { ELSEWHERE, BESIDE, INSIDE };
enum place strip_place(const struct box *b, double origin, long strip, struct disk d);

/* Make an answer of a task. Each pass tries to move as many disks as the strip has, one after the
 * other; a disk does not leave its strip. */
void strip_move(const struct box *b, double *task);

#endif
