// SQLite as Debian builds it, with what Swift's importer cannot see: macros that are
// expressions or casts, and variadic functions.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#define SQLITE_ENABLE_COLUMN_METADATA 1
#include <sqlite3.h>
#include <string.h>

static inline int csqlite_bind_text_copy(sqlite3_stmt *s, int i, const char *text, long long bytes) {
    return sqlite3_bind_text64(s, i, text, (sqlite3_uint64)bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob_copy(sqlite3_stmt *s, int i, const void *data, long long bytes) {
    return sqlite3_bind_blob64(s, i, data, (sqlite3_uint64)bytes, SQLITE_TRANSIENT);
}

static inline int csqlite_db_config_int(sqlite3 *db, int option, int value, int *result) {
    return sqlite3_db_config(db, option, value, result);
}

static inline void csqlite_result_text_copy(sqlite3_context *c, const char *text, int bytes) {
    sqlite3_result_text(c, text, bytes, SQLITE_TRANSIENT);
}

static inline void csqlite_result_blob_copy(sqlite3_context *c, const void *data, long long bytes) {
    if (bytes == 0) sqlite3_result_zeroblob(c, 0);
    else sqlite3_result_blob64(c, data, (sqlite3_uint64)bytes, SQLITE_TRANSIENT);
}

#endif
