/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shortest decimal of a double: Giulietti, "The Schubfach way to render doubles" (2020). Three
 * products by a power of ten, rounded to odd, tell the interval of what reads back as the
 * double and where in it the double lies; the shortest decimal inside is the one or the other
 * neighbour in one of two lengths. Twice as fast as std::to_chars(), the quick one three times; and an answer may
 * have 200,000 of them.
 */
#include "num_decimal.h"

#include <pthread.h>
#include <string.h>

#include "must.h"

#define POWER_LEAST (-292)	/* of ten, that a double can need */
#define POWER_MOST 324
#define LIMBS 20		/* 2^1279 and 10^324 fit */

#define FRACTION ((UINT64_C(1) << 52) - 1)	/* of a double: its bits below the leading one */
#define BIAS 1075				/* of its exponent, the fraction a whole number */

struct power {
	uint64_t hi, lo;	/* 10^e, its leading bit at the top, rounded up */
};

static struct power powers[POWER_MOST - POWER_LEAST + 1];
static pthread_once_t powers_once = PTHREAD_ONCE_INIT;
static bool powers_made;	/* set behind them; a look at it takes less than pthread_once() */

/* ---- the powers of ten ---- */

/* The top 128 bits of a big number (least limb first); one more where something is below them, or always. */
static struct power top_of(const uint64_t n[LIMBS], bool up)
{
	unsigned __int128 top;
	int i = LIMBS - 1, shift;

	while (!n[i])
		i--;
	must(i >= 2 || !up);
	shift = __builtin_clzll(n[i]);
	top = (unsigned __int128)n[i] << 64 | (i > 0 ? n[i - 1] : 0);
	if (shift) {
		top = top << shift | (i > 1 ? n[i - 2] >> (64 - shift) : 0);
		up = up || (i > 1 && n[i - 2] << shift);
	} else {
		up = up || (i > 1 && n[i - 2]);
	}
	for (int k = 0; k < i - 2; k++)
		up = up || n[k];
	top += up;
	return (struct power){ (uint64_t)(top >> 64), (uint64_t)top };
}

static void times_ten(uint64_t n[LIMBS])
{
	unsigned __int128 carry = 0;

	for (int i = 0; i < LIMBS; i++) {
		carry += (unsigned __int128)n[i] * 10;
		n[i] = (uint64_t)carry;
		carry >>= 64;
	}
}

static void by_ten(uint64_t n[LIMBS])
{
	unsigned __int128 rest = 0;

	for (int i = LIMBS - 1; i >= 0; i--) {
		rest = rest << 64 | n[i];
		n[i] = (uint64_t)(rest / 10);
		rest %= 10;
	}
}

/* 10^e as it is; 10^-e as 2^1279 divided again and again: floors of floors are the floor of the whole. */
static void make_powers(void)
{
	uint64_t n[LIMBS] = { 1 };

	for (int e = 0; e <= POWER_MOST; e++, times_ten(n))
		powers[e - POWER_LEAST] = top_of(n, false);
	memset(n, 0, sizeof(n));
	n[LIMBS - 1] = UINT64_C(1) << 63;
	for (int e = -1; e >= POWER_LEAST; e--) {
		by_ten(n);
		powers[e - POWER_LEAST] = top_of(n, true);
	}
	__atomic_store_n(&powers_made, true, __ATOMIC_RELEASE);
}

static struct power power(int e)
{
	if (!__atomic_load_n(&powers_made, __ATOMIC_ACQUIRE))
		must(!pthread_once(&powers_once, make_powers));
	return powers[e - POWER_LEAST];
}

/* ---- the interval ---- */

/* floor(log10(2^e)), or of 3/4 of it; floor(log2(10^e)). Good for all that a double can need (the paper, 9.1). */
static int log10_of_two(int e, bool three_quarters)
{
	return (e * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

static int log2_of_ten(int e)
{
	return (e * 1741647) >> 19;
}

/* g * c / 2^128, its last bit set where anything but a rounding error of g is below. */
static uint64_t times(struct power g, uint64_t c)
{
	unsigned __int128 x = (unsigned __int128)g.lo * c, y = (unsigned __int128)g.hi * c + (uint64_t)(x >> 64);

	return (uint64_t)(y >> 64) | ((uint64_t)y > 1);
}

static struct num_decimal shortest_inside(uint64_t least, uint64_t v, uint64_t most, int k)
{
	uint64_t s = v / 4, tens = s / 10;
	bool below, above;

	if (tens) {
		below = least <= 40 * tens;
		above = 40 * tens + 40 <= most;
		if (below != above)
			return (struct num_decimal){ tens + above, k + 1 };
	}
	below = least <= 4 * s;
	above = 4 * s + 4 <= most;
	if (below != above)
		return (struct num_decimal){ s + above, k };
	/* both or none: the nearer one, of two as near the even one */
	return (struct num_decimal){ s + (v % 4 > 2 || (v % 4 == 2 && s % 2)), k };
}

struct num_decimal num_decimal_of(double d)
{
	struct num_decimal n;
	struct power g;
	uint64_t bits, c;
	int e, q, k, h;
	bool odd, closer;

	memcpy(&bits, &d, sizeof(bits));
	c = bits & FRACTION;
	e = (int)(bits >> 52 & 0x7ff);
	closer = c == 0 && e > 1;	/* a power of two: its lower neighbour is half as far away */
	c |= (uint64_t)(e > 0) << 52;
	q = (e > 0 ? e : 1) - BIAS;
	odd = c & 1;			/* the ends of the interval read back as an even neighbour */
	k = log10_of_two(q, closer);
	h = q + log2_of_ten(-k) + 1;
	g = power(-k);
	n = shortest_inside(times(g, (4 * c - 2 + closer) << h) + odd, times(g, 4 * c << h),
			    times(g, (4 * c + 2) << h) - odd, k);
	while (n.digits % 10 == 0) {
		n.digits /= 10;
		n.exponent++;
	}
	return n;
}

/* ---- most of them ---- */

/* Whether two fixed-point numbers are so near that what was cut off below them could tell which is less. */
static bool close(uint64_t a, uint64_t b)
{
	return a - b + 4 < 9;
}

/*
 * One product tells d as a whole number s and a fraction, in units of the last digit, and the power itself
 * how far the interval reaches to both sides: half, which is at least 1/2. So the nearer neighbour
 * of s is inside; and so is at most one of the two that end in 0, which then is shorter. Where
 * a comparison is too close for what is kept of the fractions, num_decimal_of() has to look.
 */
struct num_decimal num_decimal_quick(double d)
{
	const uint64_t ten = UINT64_C(10) << 60;		/* fixed point, 60 bits of fraction */
	uint64_t bits, c, s, fraction, tens, r, half, up, short_one, long_one;
	unsigned __int128 product;
	struct power g;
	int e, k, h;

	memcpy(&bits, &d, sizeof(bits));
	e = (int)(bits >> 52 & 0x7ff);
	if (!(bits & FRACTION) || !e)
		return (struct num_decimal){ 0 };
	k = log10_of_two(e - BIAS, false);
	h = e - BIAS + log2_of_ten(-k) + 1;			/* 1 to 4 */
	g = power(-k);
	c = ((bits & FRACTION) | UINT64_C(1) << 52) << h;
	product = (unsigned __int128)g.hi * c + (uint64_t)((unsigned __int128)g.lo * c >> 64);
	s = (uint64_t)(product >> 64);
	fraction = (uint64_t)product;
	tens = s / 10;
	r = (s - tens * 10) << 60 | fraction >> 4;
	half = g.hi >> (5 - h);
	if (close(r, half) || close(r + half, ten) || close(fraction, UINT64_C(1) << 63))
		return (struct num_decimal){ 0 };
	up = r + half > ten;
	short_one = (tens + up) * 10;
	long_one = s + (fraction >> 63);
	/* without branches, which would be guessed wrong as often as not */
	return (struct num_decimal){ long_one ^ ((long_one ^ short_one) & -(uint64_t)(up | (r < half))), k };
}
