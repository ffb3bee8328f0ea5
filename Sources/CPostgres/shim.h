#ifndef DURAMEN_CPOSTGRES_SHIM_H
#define DURAMEN_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

// Fields of a server's error: characters in C, which Swift imports as unsigned numbers.
static const int duramen_pg_diag_sqlstate = PG_DIAG_SQLSTATE;
static const int duramen_pg_diag_primary = PG_DIAG_MESSAGE_PRIMARY;
static const int duramen_pg_diag_severity = PG_DIAG_SEVERITY_NONLOCALIZED;

#endif
