#include "profile/gzip.h"

#include <errno.h>
#include <stdlib.h>

#if HAVE_ISAL

#include <isa-l/igzip_lib.h>

enum { CHUNK = 1 << 16 };

struct reader {
	FILE *from;
	struct inflate_state state;
	bool whole; /* so far, all members of the file have ended */
	uint8_t chunk[CHUNK];
};

/* Get the next compressed bytes. false: there are none. */
static bool fill(struct reader *r)
{
	if (r->state.avail_in > 0)
		return true;
	r->state.next_in = r->chunk;
	r->state.avail_in = (uint32_t)fread(r->chunk, 1, sizeof r->chunk, r->from);
	return r->state.avail_in > 0;
}

/* A gzip file may have several members, one behind another. */
static void begin_member(struct reader *r)
{
	uint8_t *next = r->state.next_in;
	uint32_t left = r->state.avail_in;

	isal_inflate_init(&r->state);
	r->state.crc_flag = ISAL_GZIP;
	r->state.next_in = next;
	r->state.avail_in = left;
}

static ssize_t read_inflated(void *cookie, char *buf, size_t size)
{
	struct reader *r = cookie;

	r->state.next_out = (uint8_t *)buf;
	r->state.avail_out = (uint32_t)size;
	while (r->state.avail_out == size) {
		if (!fill(r)) {
			errno = ferror(r->from) ? EIO : EBADMSG;
			return r->whole && !ferror(r->from) ? 0 : -1;
		}
		if (r->whole) {
			uint8_t *out = r->state.next_out;

			begin_member(r);
			r->state.next_out = out;
			r->state.avail_out = (uint32_t)size;
			r->whole = false;
		}
		if (isal_inflate(&r->state) < 0) {
			errno = EBADMSG;
			return -1;
		}
		r->whole = r->state.block_state == ISAL_BLOCK_FINISH;
	}
	return (ssize_t)(size - r->state.avail_out);
}

static int close_reader(void *cookie)
{
	struct reader *r = cookie;
	int rc = fclose(r->from);

	free(r);
	return rc;
}

/* A stream that decompresses what `from`, which it takes, has. NULL with errno. */
static FILE *inflating(FILE *from)
{
	static const cookie_io_functions_t functions = { .read = read_inflated,
							 .close = close_reader };
	struct reader *r = calloc(1, sizeof *r);
	FILE *opened = r ? fopencookie(r, "r", functions) : NULL;

	if (!opened) {
		free(r);
		fclose(from);
		return NULL;
	}
	r->from = from;
	r->whole = true;
	return opened;
}

struct writer {
	FILE *to;
	struct isal_zstream stream;
	uint8_t level[ISAL_DEF_LVL2_DEFAULT], chunk[CHUNK];
};

/* Compress what the stream has as input. false: it cannot be written. */
static bool deflate_input(struct writer *w)
{
	do {
		size_t bytes;

		w->stream.next_out = w->chunk;
		w->stream.avail_out = sizeof w->chunk;
		if (isal_deflate(&w->stream) != COMP_OK)
			return false;
		bytes = sizeof w->chunk - w->stream.avail_out;
		if (fwrite(w->chunk, 1, bytes, w->to) != bytes)
			return false;
	} while (w->stream.avail_out == 0);
	return true;
}

static ssize_t write_deflated(void *cookie, const char *buf, size_t size)
{
	struct writer *w = cookie;

	w->stream.next_in = (uint8_t *)buf;
	w->stream.avail_in = (uint32_t)size;
	return deflate_input(w) ? (ssize_t)size : 0;
}

static int close_writer(void *cookie)
{
	struct writer *w = cookie;
	bool written;

	w->stream.end_of_stream = 1;
	w->stream.next_in = NULL;
	w->stream.avail_in = 0;
	written = deflate_input(w);
	free(w);
	return written ? 0 : EOF;
}

FILE *gzip_writer(FILE *to)
{
	static const cookie_io_functions_t functions = { .write = write_deflated,
							 .close = close_writer };
	struct writer *w = calloc(1, sizeof *w);
	FILE *opened = w ? fopencookie(w, "w", functions) : NULL;

	if (!opened) {
		free(w);
		return NULL;
	}
	w->to = to;
	isal_deflate_init(&w->stream);
	w->stream.level = 2;
	w->stream.level_buf = w->level;
	w->stream.level_buf_size = sizeof w->level;
	w->stream.gzip_flag = IGZIP_GZIP;
	return opened;
}

#else /* callers say what is missing */

static FILE *inflating(FILE *from)
{
	fclose(from);
	errno = ENOPKG;
	return NULL;
}

FILE *gzip_writer(FILE *to)
{
	(void)to;
	errno = ENOPKG;
	return NULL;
}

#endif

FILE *gzip_reader(const char *path)
{
	FILE *from = fopen(path, "re");
	int first, second;

	if (!from)
		return NULL;
	first = getc(from);
	second = getc(from);
	rewind(from);
	return first == 0x1f && second == 0x8b ? inflating(from) : from;
}
