#include "kernels/amr/block.h"

#include "kernels/amr/layout.h"

int64_t flow_east(int64_t mass, int coarser)
{
	return mass >> (AMR_SHIFT_X + coarser);
}

int64_t flow_north(int64_t mass, int coarser)
{
	return mass >> (AMR_SHIFT_Y + coarser);
}

void block_east(const int64_t *mass, int width, int coarser, int64_t *out)
{
	for (int j = 0; j < width; j++)
		out[j] = flow_east(mass[(size_t)j * (size_t)width + (size_t)width - 1], coarser);
}

void block_north(const int64_t *mass, int width, int coarser, int64_t *out)
{
	const int64_t *last = mass + (size_t)(width - 1) * (size_t)width;

	for (int i = 0; i < width; i++)
		out[i] = flow_north(last[i], coarser);
}

void block_step(const int64_t *mass, int width, int coarser, const int64_t *west, int64_t *south,
		int64_t *next)
{
	for (int j = 0; j < width; j++) {
		const int64_t *row = mass + (size_t)j * (size_t)width;
		int64_t *out = next + (size_t)j * (size_t)width;

		out[0] = row[0] + west[j];
		for (int i = 1; i < width; i++)
			out[i] = row[i] + flow_east(row[i - 1], coarser);
		for (int i = 0; i < width; i++) {
			const int64_t north = flow_north(row[i], coarser);

			out[i] += south[i] - north - flow_east(row[i], coarser);
			south[i] = north;
		}
	}
}

void side_coarsen(const int64_t *in, int width, int64_t *out)
{
	for (int i = 0; i < width / 2; i++)
		out[i] = in[2 * i] + in[2 * i + 1];
}

void side_refine(const int64_t *in, int width, int64_t *out)
{
	for (int i = 0; i < width; i++) {
		out[2 * i] = in[i] / 2;
		out[2 * i + 1] = in[i] - in[i] / 2;
	}
}

void block_coarsen(const int64_t *in, int width, int64_t *out)
{
	const size_t w = (size_t)width;

	for (size_t j = 0; j < w / 2; j++)
		for (size_t i = 0; i < w / 2; i++)
			out[j * w / 2 + i] = in[2 * j * w + 2 * i] + in[2 * j * w + 2 * i + 1] +
					     in[(2 * j + 1) * w + 2 * i] +
					     in[(2 * j + 1) * w + 2 * i + 1];
}

/* Whole numbers again: the rest goes to the first cells. */
void block_refine(const int64_t *in, int width, int64_t *out)
{
	const size_t w = (size_t)width;

	for (size_t j = 0; j < w; j++)
		for (size_t i = 0; i < w; i++) {
			const int64_t part = in[j * w + i] / 4, rest = in[j * w + i] % 4;
			int64_t *at = out + 2 * j * 2 * w + 2 * i;

			at[0] = part + (rest > 0);
			at[1] = part + (rest > 1);
			at[2 * w] = part + (rest > 2);
			at[2 * w + 1] = part;
		}
}
