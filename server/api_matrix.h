/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The matrix as a resource. */
#ifndef SERVER_API_MATRIX_H
#define SERVER_API_MATRIX_H

#include "web.h"

int api_matrix(struct req *rq, struct err *err);

#endif
