/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fit.h"

#include <math.h>

bool fit_sweep(const double *u, const double *y, size_t n, struct fit *f)
{
	double sw = 0, mean_u = 0, mean_y = 0, suu = 0, suy = 0;

	if (n < 3)
		return false;
	for (size_t i = 0; i < n; i++) {
		double w = 1 / (y[i] * y[i]);

		if (!(y[i] > 0) || !isfinite(w))
			return false;
		sw += w;
		mean_u += w * u[i];
		mean_y += w * y[i];
	}
	mean_u /= sw;
	mean_y /= sw;
	/* around the weighted means: u spans 1 .. 10^7, sums of squares would eat the digits */
	for (size_t i = 0; i < n; i++) {
		double w = 1 / (y[i] * y[i]);

		suu += w * (u[i] - mean_u) * (u[i] - mean_u);
		suy += w * (u[i] - mean_u) * (y[i] - mean_y);
	}
	if (!(suu > 0))
		return false;
	f->per_unit = suy / suu;
	f->fixed = mean_y - f->per_unit * mean_u;
	f->max_residual_percent = 0;
	for (size_t i = 0; i < n; i++)
		f->max_residual_percent = fmax(f->max_residual_percent,
					       100 * fabs(f->fixed + f->per_unit * u[i] - y[i]) / y[i]);
	return isfinite(f->fixed) && isfinite(f->per_unit) && isfinite(f->max_residual_percent);
}

double fit_onset(const double *x, const double *percent, const bool *unchanged, size_t n, double threshold)
{
	double onset = NAN;

	for (size_t i = n; i-- > 0;) {
		if (!(fabs(percent[i]) >= threshold) || percent[i] == 0 || (unchanged && unchanged[i]) ||
		    signbit(percent[i]) != signbit(percent[n - 1]))
			break;
		onset = x[i];
	}
	return onset;
}
