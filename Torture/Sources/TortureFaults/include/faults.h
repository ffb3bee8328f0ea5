#ifndef DURAMEN_TORTURE_FAULTS_H
#define DURAMEN_TORTURE_FAULTS_H

// What the library does is told by its environment; nothing calls into it. See faults.c.

#endif
