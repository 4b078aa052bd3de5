/* What the C programs share. */
#ifndef COMMON_H
#define COMMON_H

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "C: %s: %s\n", what, why);
    exit(1);
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) fail(sql, sqlite3_errmsg(db));
    return s;
}

static void emit(const char *op, double seconds, int64_t check) {
    printf("{\"impl\":\"c\",\"op\":\"%s\",\"s\":%.7f,\"check\":%lld}\n", op, seconds, (long long)check);
}

#endif
