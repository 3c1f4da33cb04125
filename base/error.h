/* base/error.h - one way to explain a failure to the person at the terminal.
 *
 * Functions that can fail for a reason that a user should know take a `struct rb_error *` (never
 * NULL), fill it with rb_fail() and return a negative status. The text names the option, file:line
 * or role concerned and, if there is one, the remedy. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

enum { RB_ERROR_MAX = 512 };

struct rb_error {
	char text[RB_ERROR_MAX];
};

/* Format the message and return `status`, so that `return rb_fail(...)` does both in one
 * statement. */
int rb_fail(struct rb_error *err, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
