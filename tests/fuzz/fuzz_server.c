/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reads what is asked of the server. */
#include "targets_server.h"

#include "main.h"
