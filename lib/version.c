/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "version.h"

#ifndef NSECWATCH_VERSION
#define NSECWATCH_VERSION "unknown"
#endif

const char version_text[] = NSECWATCH_VERSION;
