#include "CSwiftRuntime.h"

static _Thread_local void *collector;

void *duramen_collector(void) { return collector; }

void duramen_set_collector(void *new_collector) { collector = new_collector; }
