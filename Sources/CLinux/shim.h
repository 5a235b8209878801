// What Swift's Glibc module leaves out of the Linux kernel's interface: epoll and eventfd.

#ifndef POSTRIDER_CLINUX_SHIM_H
#define POSTRIDER_CLINUX_SHIM_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

#endif
