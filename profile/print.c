#include "profile/profile.h"

#include <inttypes.h>

/* A value stays on its line. */
static void print_value(const char *value, FILE *to)
{
	for (; *value; value++)
		putc(*value == '\n' || *value == '\r' ? ' ' : *value, to);
	putc('\n', to);
}

static void print_key(const char *name, const char *value, FILE *to)
{
	fprintf(to, "# %s: ", name);
	print_value(value, to);
}

static void print_header(const struct profile *p, FILE *to)
{
	fprintf(to, "# rollbench-profile-1\n# np: %d\n", p->np);
	for (size_t i = 0; i < p->keys; i++)
		print_key(p->key[i].name, p->key[i].value, to);
	if (p->incomplete) {
		fprintf(to, "# complete: no, ");
		print_value(p->incomplete, to);
	} else {
		fprintf(to, "# complete: yes\n");
	}
	fprintf(to, "phase,kind,source,destination,count,bytes,size\n");
}

void profile_print(const struct profile *p, FILE *to)
{
	size_t c = 0, k = 0;

	print_header(p, to);
	/* in each phase, messages come before collectives */
	while (c < p->channels || k < p->collectives) {
		const struct profile_channel *m = &p->channel[c];
		const struct profile_collective *o = &p->collective[k];

		if (c < p->channels && (k == p->collectives || m->phase <= o->phase)) {
			fprintf(to,
				"%" PRId32 ",p2p,%" PRId32 ",%" PRId32 ",%" PRId64 ",%" PRId64
				",\n",
				m->phase, m->source, m->destination, m->count, m->bytes);
			c++;
		} else {
			fprintf(to,
				"%" PRId32 ",%s,%" PRId32 ",,%" PRId64 ",%" PRId64 ",%" PRId32 "\n",
				o->phase, o->kind, o->source, o->count, o->bytes, o->size);
			k++;
		}
	}
	fprintf(to, "# end of %zu rows\n", p->channels + p->collectives);
}
