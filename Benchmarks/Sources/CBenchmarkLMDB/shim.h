#ifndef DURAMEN_BENCHMARK_LMDB_SHIM_H
#define DURAMEN_BENCHMARK_LMDB_SHIM_H

#include <lmdb.h>
#include <stdint.h>
#include <string.h>

// Beside the library's own module of the same header, Swift takes the members of `MDB_val` for those of
// that module, which nobody else can import. Keys and values are therefore put together here; inlined,
// this costs no more than in Swift.

/// Makes room for a value of `count` bytes, which must be written at once.
static inline int benchmark_lmdb_reserve(
    MDB_txn *transaction, MDB_dbi table, int64_t key, size_t count, unsigned flags,
    void **place) {
    MDB_val key_value = {sizeof key, &key};
    MDB_val value = {count, NULL};
    int result = mdb_put(transaction, table, &key_value, &value, flags | MDB_RESERVE);
    *place = value.mv_data;
    return result;
}

/// Finds the value of a key.
static inline int benchmark_lmdb_get(
    MDB_txn *transaction, MDB_dbi table, int64_t key, const void **bytes, size_t *count) {
    MDB_val key_value = {sizeof key, &key};
    MDB_val value = {0, NULL};
    int result = mdb_get(transaction, table, &key_value, &value);
    *bytes = value.mv_data;
    *count = value.mv_size;
    return result;
}

/// Goes to the next record, or to the first one.
static inline int benchmark_lmdb_next(MDB_cursor *cursor, int64_t *key, const void **bytes) {
    MDB_val key_value = {0, NULL};
    MDB_val value = {0, NULL};
    int result = mdb_cursor_get(cursor, &key_value, &value, MDB_NEXT);
    if (result == 0) memcpy(key, key_value.mv_data, sizeof *key);
    *bytes = value.mv_data;
    return result;
}

#endif
