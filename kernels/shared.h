/* kernels/shared.h - constant data that several states of one role use, freed with the last of
 * them. */
#ifndef KERNELS_SHARED_H
#define KERNELS_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>

/* The first member of the data; made with one user. */
struct shared {
	atomic_int users;
	bool given; /* arrays that create() was given: not to be freed */
};

static inline void shared_join(struct shared *s)
{
	atomic_fetch_add(&s->users, 1);
}

/* true: that was the last user, who frees the data. */
static inline bool shared_leave(struct shared *s)
{
	return atomic_fetch_sub(&s->users, 1) == 1;
}

#endif
