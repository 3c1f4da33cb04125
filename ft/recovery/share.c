#include "ft/recovery/share.h"

#include <stdlib.h>

static int sender(const struct recovery *rec, int np)
{
	for (int r = 0; r < np; r++)
		if (rec->front[r] == rec->cone.newest)
			return r;
	return -1;
}

/* What was packed for one role. The length goes ahead. */
struct packet {
	void *data;
	size_t bytes;
};

static int post(struct role *r, const struct recovery *rec, struct packet *packet)
{
	for (int d = 0; d < r->cfg->np; d++) {
		if (rec->front[d] == rec->cone.newest)
			continue;
		packet[d].data = results_pack(&r->ports.results->results, rec->front[d],
					      rec->cone.newest, &packet[d].bytes);
		if (!packet[d].data)
			return link_no_memory(&r->link);
		RB_TRY(link_send(&r->link, &r->link.sends, &packet[d].bytes, sizeof packet[d].bytes,
				 d, TAG_RESULTS));
		RB_TRY(link_send(&r->link, &r->link.sends, packet[d].data, packet[d].bytes, d,
				 TAG_RESULTS + 1));
	}
	return link_wait(&r->link, &r->link.sends);
}

static int send_all(struct role *r, const struct recovery *rec)
{
	struct packet *packet = calloc((size_t)r->cfg->np, sizeof *packet);
	int rc = packet ? post(r, rec, packet) : link_no_memory(&r->link);

	if (rc != RB_OK) /* no send may read memory that is freed below */
		link_abandon(&r->link);
	for (int d = 0; packet && d < r->cfg->np; d++)
		free(packet[d].data);
	free(packet);
	return rc;
}

static int receive_body(struct role *r, int src, void *data, size_t bytes)
{
	RB_TRY(link_receive(&r->link, &r->link.receives, data, bytes, src, TAG_RESULTS + 1));
	RB_TRY(link_wait(&r->link, &r->link.receives));
	switch (results_append(&r->ports.results->results, data, bytes)) {
	case RB_OK:
		return RB_OK;
	case RB_ENOMEM:
		return link_no_memory(&r->link);
	default:
		return link_no_result(&r->link, r->front);
	}
}

static int receive(struct role *r, int src)
{
	size_t bytes = 0;
	void *data;
	int rc = link_receive(&r->link, &r->link.receives, &bytes, sizeof bytes, src, TAG_RESULTS);

	if (rc == RB_OK)
		rc = link_wait(&r->link, &r->link.receives);
	if (rc != RB_OK) {
		link_abandon(&r->link);
		return rc;
	}
	data = malloc(bytes);
	rc = data ? receive_body(r, src, data, bytes) : link_no_memory(&r->link);
	if (rc != RB_OK)
		link_abandon(&r->link);
	free(data);
	return rc;
}

int share_results(struct role *r, const struct recovery *rec)
{
	int from;

	if (!rec->dataflow)
		return RB_OK;
	from = sender(rec, r->cfg->np);
	if (from == r->id)
		return send_all(r, rec);
	return r->front < rec->cone.newest ? receive(r, from) : RB_OK;
}
