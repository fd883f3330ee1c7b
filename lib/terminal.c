/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "terminal.h"

#include <fcntl.h>
#include <unistd.h>

bool terminal_is_there(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
