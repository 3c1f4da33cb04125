#include "ft/line/constants.h"

#include "ft/line/image.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAGIC = 0x534e4f43, VERSION = 1 };

/* The beginning of the memory; each region begins with a cache line behind it. */
struct header {
	uint32_t magic, version;
	struct image_id id;
	uint64_t regions;
	struct {
		char name[32];
		uint64_t at, bytes;
	} region[KERNEL_MAX_REGIONS];
};

/* Half of the descriptors that a process may have: the MPI needs some in a recovery. */
static int most_descriptors(void)
{
	struct rlimit most;

	return getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur / 2 < INT_MAX
		       ? (int)(most.rlim_cur / 2)
		       : INT_MAX;
}

/* Can a process that lives on hand them to another one? */
static bool are_kept(const struct ft_config *cfg)
{
	return cfg->kernel->constants && cfg->constants == FT_KEEP && cfg->strategy == FT_GO_ON &&
	       cfg->policy.ops != &policy_off;
}

int constants_init(struct constants *c, const struct ft_config *cfg)
{
	*c = (struct constants){ .cfg = cfg, .most = most_descriptors() };
	if (!are_kept(cfg))
		return RB_OK;
	c->held = calloc((size_t)cfg->np, sizeof *c->held);
	if (!c->held)
		return RB_ENOMEM;
	for (int r = 0; r < cfg->np; r++)
		c->held[r].memory.fd = -1;
	return RB_OK;
}

void constants_free(struct constants *c)
{
	for (int r = 0; c->held && r < c->cfg->np; r++) {
		sealed_close(&c->held[r].memory);
		ledger_unmap(c->held[r].ledger);
	}
	if (c->data)
		munmap(c->data, c->bytes);
	free(c->held);
	memset(c, 0, sizeof *c);
}

static const struct ledger *ledger_of(struct constants *c, int role)
{
	if (!c->held[role].ledger)
		c->held[role].ledger = ledger_map(c->cfg->dir, role);
	return c->held[role].ledger;
}

/* Others may read it while it is written: the pid goes first and comes last. */
static void tell(struct ledger_holding *place, const struct constants *c, int role)
{
	const struct sealed *memory = &c->held[role].memory;

	if (place->pid == getpid() && place->fd == memory->fd && place->inode == memory->inode)
		return; /* for a reader it would be gone for a moment */
	__atomic_store_n(&place->pid, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (memory->fd < 0)
		return;
	place->inode = memory->inode;
	place->node = c->cfg->here;
	place->role = role;
	place->fd = memory->fd;
	__atomic_store_n(&place->pid, getpid(), __ATOMIC_RELEASE);
}

/* false: nothing is told there, or it is just being written. */
static bool read_told(const struct ledger_holding *place, struct ledger_holding *told)
{
	const int64_t pid = __atomic_load_n(&place->pid, __ATOMIC_ACQUIRE);

	*told = *place;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return pid != 0 && pid == __atomic_load_n(&place->pid, __ATOMIC_RELAXED);
}

/* Open what a process of this node says it has open. */
static bool open_there(struct constants *c, int role, const struct ledger_holding *told)
{
	struct sealed found;

	if (told->role != role || told->node != c->cfg->here ||
	    sealed_open(&found, told->pid, told->fd, told->inode) != 0)
		return false;
	if (found.fd > c->most) {
		sealed_close(&found);
		return false;
	}
	sealed_close(&c->held[role].memory);
	c->held[role].memory = found;
	return true;
}

static bool is_here(const struct constants *c, int role)
{
	return c->cfg->policy.node[role] == c->cfg->here;
}

/* Among all that roles have open which began on this node. */
static bool search(struct constants *c, int role)
{
	for (int r = 0; r < c->cfg->np; r++) {
		const struct ledger *l = is_here(c, r) ? ledger_of(c, r) : NULL;
		struct ledger_holding told;

		for (int i = 0; l && i < LEDGER_HOLDS; i++)
			if (read_told(&l->holds[i], &told) && open_there(c, role, &told))
				return true;
	}
	return false;
}

static bool fits(const struct header *h, size_t bytes, const struct image_id *id)
{
	if (bytes < sizeof *h || h->magic != MAGIC || h->version != VERSION ||
	    memcmp(&h->id, id, sizeof *id) != 0 || h->regions > KERNEL_MAX_REGIONS)
		return false;
	for (uint64_t i = 0; i < h->regions; i++)
		if (h->region[i].at > bytes || h->region[i].bytes > bytes - h->region[i].at)
			return false;
	return true;
}

/* Map what this process has open for the role, and make a state that uses it. RB_OK, RB_ENOMEM, or
 * RB_ECORRUPT: it belongs to another kernel, other parameters or another role. */
static int create_with(struct constants *c, int role, struct kernel_state **out,
		       struct rb_error *err)
{
	const struct ft_config *cfg = c->cfg;
	const struct image_id id = image_identify(cfg, role, -1);
	struct kernel_region region[KERNEL_MAX_REGIONS];
	size_t bytes = 0;
	struct header *h = sealed_map(&c->held[role].memory, &bytes);
	int rc = h ? RB_OK : RB_ENOMEM;

	if (rc == RB_OK && !fits(h, bytes, &id))
		rc = RB_ECORRUPT;
	for (uint64_t i = 0; rc == RB_OK && i < h->regions; i++)
		region[i] = (struct kernel_region){ h->region[i].name, (char *)h + h->region[i].at,
						    h->region[i].bytes };
	if (rc == RB_OK)
		rc = cfg->kernel->create(out, &cfg->args, role, cfg->np, region, err);
	if (rc == RB_OK) {
		c->data = h;
		c->bytes = bytes;
	} else if (h) {
		munmap(h, bytes);
	}
	return rc;
}

static size_t whole_lines(size_t bytes)
{
	return image_lines(bytes) * IMAGE_LINE;
}

/* Lay the regions out behind the header; returns the bytes of all. */
static size_t lay_out(struct header *h, const struct kernel_region *region)
{
	size_t at = whole_lines(sizeof *h);

	for (size_t i = 0; i < h->regions; i++) {
		strncpy(h->region[i].name, region[i].name, sizeof h->region[i].name - 1);
		h->region[i].at = at;
		h->region[i].bytes = region[i].bytes;
		at += whole_lines(region[i].bytes);
	}
	return at;
}

/* Copy the constants of a state into sealed memory. 0 or -1. */
static int seal(struct constants *c, int role, const struct kernel_state *of)
{
	struct sealed *memory = &c->held[role].memory;
	struct kernel_region region[KERNEL_MAX_REGIONS];
	struct header h = { .magic = MAGIC,
			    .version = VERSION,
			    .id = image_identify(c->cfg, role, -1),
			    .regions = c->cfg->kernel->constants(of, region) };

	sealed_close(memory);
	if (sealed_begin(memory, lay_out(&h, region)) != 0 ||
	    sealed_write(memory, 0, &h, sizeof h) != 0)
		return -1;
	for (size_t i = 0; i < h.regions; i++)
		if (sealed_write(memory, h.region[i].at, region[i].data, region[i].bytes) != 0)
			return -1;
	return sealed_end(memory);
}

/* Map the pages in the set-up and not in the first iteration. */
static void touch(const struct constants *c)
{
	enum { PAGE = 4096 };

	for (size_t at = 0; at < c->bytes; at += PAGE)
		(void)*((const volatile char *)c->data + at);
}

/* Compute them, and keep a copy that outlives the process. The first state is destroyed before
 * there is one that uses the copy: so no more than the constants are there twice. */
static int create_anew(struct constants *c, int role, struct kernel_state **out,
		       struct rb_error *err)
{
	const struct ft_config *cfg = c->cfg;

	RB_TRY(cfg->kernel->create(out, &cfg->args, role, cfg->np, NULL, err));
	if (!c->held || seal(c, role, *out) != 0)
		return RB_OK;
	cfg->kernel->destroy(*out);
	*out = NULL;
	if (create_with(c, role, out, err) == RB_OK) {
		touch(c);
		return RB_OK;
	}
	sealed_close(&c->held[role].memory);
	return cfg->kernel->create(out, &cfg->args, role, cfg->np, NULL, err);
}

int constants_create(struct constants *c, struct ledger *own, struct kernel_state **out,
		     enum ledger_constants *from, struct rb_error *err)
{
	const int role = own->role;

	*from = c->cfg->kernel->constants ? CONSTANTS_COMPUTED : CONSTANTS_NONE;
	if (c->held && (c->held[role].memory.fd >= 0 || search(c, role)) &&
	    create_with(c, role, out, err) == RB_OK)
		*from = CONSTANTS_KEPT;
	else
		RB_TRY(create_anew(c, role, out, err));
	if (c->held)
		tell(&own->holds[0], c, role);
	return RB_OK;
}

/* That of a role which has moved to another node is given up. */
static void hold(struct constants *c, int role)
{
	struct constants_held *held = &c->held[role];
	struct ledger_holding told;

	if (!ledger_of(c, role) || !read_told(&held->ledger->holds[0], &told))
		return;
	if (told.node != c->cfg->here)
		sealed_close(&held->memory);
	else if ((held->memory.fd < 0 || held->memory.inode != told.inode) &&
		 held->refused != told.pid && !open_there(c, role, &told))
		held->refused = told.pid; /* a spare would try it again in each of its naps */
}

/* A spare. Roles that are not there yet are looked for again in the next nap, beginning with the
 * first of them, and not each. */
static void hold_all(struct constants *c)
{
	for (int r = 0; r < c->cfg->np; r++) {
		if (!is_here(c, r))
			continue;
		if (!ledger_of(c, r))
			return;
		hold(c, r);
	}
}

/* A role. What it had open as a spare, and has not to hold any more, is given up. */
static void hold_next(struct constants *c, struct ledger *own)
{
	int count = 0;

	for (int i = 1; i < c->cfg->np; i++) {
		const int role = (own->role + i) % c->cfg->np;

		if (count < CONSTANTS_NEXT && is_here(c, role)) {
			hold(c, role);
			tell(&own->holds[++count], c, role);
		} else {
			sealed_close(&c->held[role].memory);
		}
	}
}

void constants_hold(struct constants *c, struct ledger *own)
{
	if (!c->held)
		return;
	if (own)
		hold_next(c, own);
	else
		hold_all(c);
}
