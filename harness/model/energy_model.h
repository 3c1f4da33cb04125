/* harness/model/energy_model.h - time and energy of local against global rollback, as a model: the
 * power-log-n-roll paper, Sect. 8.2.2, Eq. 1 to 3.
 *
 * Pure functions. Times are seconds. Energies are seconds at the power of computing (P_solve = 1):
 * times watts they are joules, divided by the solve time they are relative to P_solve * T_solve.
 * Dump and restart are left out, since the paper takes them as equal on both sides. */
#ifndef HARNESS_MODEL_ENERGY_MODEL_H
#define HARNESS_MODEL_ENERGY_MODEL_H

/* Without dimension. */
struct energy_model {
	double lambda; /* share of full speed under message logging, 0 < lambda <= 1 */
	double mu;     /* local recovery is this many times as fast as global recovery, > 0 */
	double c;      /* power in local recovery / power in computing, 0 < c <= 1 */
};

/* What a run under global rollback spends, >= 0. */
struct energy_load {
	double solve_s;
	double rework_s;
};

/* Eq. 1, without dump and restart. */
double energy_time_global(const struct energy_load *l);
double energy_time_local(const struct energy_model *m, const struct energy_load *l);

/* Power times time, phase by phase. Global recovery computes, so its power is that of computing. */
double energy_global(const struct energy_load *l);
double energy_local(const struct energy_model *m, const struct energy_load *l);

/* E_local - E_global; negative: local rollback saves energy. */
double energy_difference(const struct energy_model *m, const struct energy_load *l); /* Eq. 2 */
/* Eq. 3 as it is printed: 1 - lambda for (1 - lambda) / lambda, and mu dividing all of the rework, so
 * the same as Eq. 2 only for mu = 1 (docs/energy.md). */
double energy_difference_printed(const struct energy_model *m, const struct energy_load *l);

/* Break-even: rework as a share of solve time beyond which local rollback saves energy. INFINITY:
 * never, because a second of rework costs no less under local rollback. */
double energy_break_even(const struct energy_model *m);         /* of Eq. 2 */
double energy_break_even_printed(const struct energy_model *m); /* of Eq. 3 as printed */
/* What yields both figures in the paper's text, 8 % for mu = 1 and 4 % for mu = 2: the break-even for
 * mu = 1, divided by mu. No equation of the paper has it. */
double energy_break_even_quoted(const struct energy_model *m);

#endif
