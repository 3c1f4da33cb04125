/* base/status.h - what functions return: 0 success, negative terminal, positive "roll back". */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

enum rb_status {
	RB_OK = 0,
	RB_LOST = 1, /* the communicator is lost: give up the iteration and repair */
	/* a duplicate has done its part (ft/msg/duplicate_port.h): give up the iteration */
	RB_STOPPED = 2,
	RB_EINVAL = -1,   /* bad input; the message says which option or line */
	RB_ENOMEM = -2,   /* allocation refused */
	RB_EIO = -3,      /* a file could not be read or written */
	RB_ECORRUPT = -4, /* a checkpoint is truncated, damaged or of another run */
	RB_ESPARES = -5,  /* more roles are lost than there are spares */
	RB_EMPI = -6,     /* MPI fails although no process died */
	RB_ENUMERIC = -7, /* the numerics broke down; the kernel's breakdown() says where */
	RB_ELENGTH = -8,  /* a message is longer than MPI can count */
};

/* Propagate anything but success to the caller. */
#define RB_TRY(call)                   \
	do {                           \
		int rb_rc_ = (call);   \
		if (rb_rc_ != RB_OK)   \
			return rb_rc_; \
	} while (0)

/* Go to the one clean-up label of the function. */
#define RB_CHECK(rc, call)         \
	do {                       \
		(rc) = (call);     \
		if ((rc) != RB_OK) \
			goto out;  \
	} while (0)

#endif
