/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reads what labs send. */
#include "targets.h"

#include "main.h"
