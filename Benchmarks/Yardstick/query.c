/* The yardstick for fetches by predicates: what hand-written SQL in C takes on a store that `QueryBenchmark make` made.
 *
 *     cc -O2 -Wall -o query query.c -lsqlite3
 *     query STORE TIMES [QUERY]
 *
 * Every row found is copied into a structure with its strings. Statements are prepared anew each time, as a program
 * does that asks now and then; the file stays open. Each run prints one line of JSON:
 * {"impl":"c","op":...,"s":seconds,"check":...}, where check is the number of rows and the sum of their ages.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"

typedef struct {
    int64_t key, version, age, number, company;
    char *city, *email, *name;
} Person;

static const char *columns = "SELECT t0.Z_PK, t0.Z_OPT, t0.ZAGE, t0.ZNUMBER, t0.ZCOMPANY, t0.ZCITY, t0.ZEMAIL, t0.ZNAME FROM ZPERSON t0";

/* The letter without case and accent, for ASCII and the letters of Latin 1; others stay. */
static int next_folded(const unsigned char **text, const unsigned char *end) {
    static const char latin[] = "aaaaaa\0ceeeeiiii\0nooooo\0ouuuuy\0\0aaaaaa\0ceeeeiiii\0nooooo\0ouuuuy\0y";
    if (*text >= end) return -1;
    int c = *(*text)++;
    if (c >= 'A' && c <= 'Z') return c | 0x20;
    if (c == 0xc3 && *text < end) {
        int folded = latin[(*(*text) & 0x3f)];
        if (folded) { (*text)++; return folded; }
    }
    return c;
}

static void begins(sqlite3_context *context, int count, sqlite3_value **values) {
    const unsigned char *text = sqlite3_value_text(values[0]), *prefix = sqlite3_value_text(values[1]);
    if (!text || !prefix) { sqlite3_result_null(context); return; }
    const unsigned char *end = text + sqlite3_value_bytes(values[0]), *stop = prefix + sqlite3_value_bytes(values[1]);
    for (;;) {
        int wanted = next_folded(&prefix, stop);
        if (wanted < 0) { sqlite3_result_int(context, 1); return; }
        if (next_folded(&text, end) != wanted) { sqlite3_result_int(context, 0); return; }
    }
}

static char *column(sqlite3_stmt *s, int index) {
    const char *value = (const char *)sqlite3_column_text(s, index);
    return value ? strdup(value) : NULL;
}

static const char *wanted;

static void run(sqlite3 *db, const char *op, const char *condition, const char *text, const int64_t *numbers, int count) {
    if (wanted && strcmp(wanted, op)) return;
    double start = now();
    char sql[1024];
    snprintf(sql, sizeof sql, "%s %s", columns, condition);
    sqlite3_stmt *s = prepare(db, sql);
    char *json = NULL;
    if (numbers) {
        json = malloc((size_t)count * 21 + 3);
        char *end = json;
        *end++ = '[';
        for (int i = 0; i < count; i++) end += sprintf(end, i ? ",%lld" : "%lld", (long long)numbers[i]);
        strcpy(end, "]");
        text = json;
    }
    sqlite3_bind_text(s, 1, text, -1, SQLITE_STATIC);
    Person *people = NULL;
    int64_t found = 0, room = 0;
    int status;
    while ((status = sqlite3_step(s)) == SQLITE_ROW) {
        if (found == room) people = realloc(people, (size_t)(room = room ? room * 2 : 64) * sizeof(Person));
        Person *p = &people[found++];
        p->key = sqlite3_column_int64(s, 0);
        p->version = sqlite3_column_int64(s, 1);
        p->age = sqlite3_column_int64(s, 2);
        p->number = sqlite3_column_int64(s, 3);
        p->company = sqlite3_column_int64(s, 4);
        p->city = column(s, 5);
        p->email = column(s, 6);
        p->name = column(s, 7);
    }
    if (status != SQLITE_DONE) fail(sql, sqlite3_errmsg(db));
    sqlite3_finalize(s);
    double seconds = now() - start;
    int64_t check = found;
    for (int64_t i = 0; i < found; i++) {
        check += people[i].age;
        free(people[i].city); free(people[i].email); free(people[i].name);
    }
    free(people);
    free(json);
    emit(op, seconds, check);
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) { fputs("usage: query STORE TIMES [QUERY]\n", stderr); return 64; }
    wanted = argc == 4 ? argv[3] : NULL;
    sqlite3 *db;
    if (sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) fail(argv[1], sqlite3_errmsg(db));
    sqlite3_create_function(db, "BEGINS", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, begins, NULL, NULL);
    int times = atoi(argv[2]);
    int64_t numbers[10000];
    for (int i = 0; i < 10000; i++) numbers[i] = i * 17;
    for (int i = 0; i < times; i++) run(db, "equal", "WHERE t0.ZCITY = ?", "City 42", NULL, 0);
    for (int i = 0; i < times; i++) run(db, "begins", "WHERE BEGINS(t0.ZNAME, ?)", "person number 123", NULL, 0);
    for (int i = 0; i < times; i++) run(db, "begins_accent", "WHERE BEGINS(t0.ZNAME, ?)", "eva", NULL, 0);
    for (int i = 0; i < times; i++)
        run(db, "to_one", "JOIN ZCOMPANY t1 ON t0.ZCOMPANY = t1.Z_PK WHERE t1.ZNAME = ?", "Company 7", NULL, 0);
    for (int i = 0; i < times; i++)
        run(db, "any", "WHERE t0.Z_PK IN (SELECT t1.ZPERSON FROM ZVISIT t1 WHERE t1.ZPLACE = ?)", "Place 7", NULL, 0);
    for (int i = 0; i < times; i++)
        run(db, "in", "WHERE t0.ZNUMBER IN (SELECT value FROM json_each(?))", NULL, numbers, 10000);
    sqlite3_close(db);
    return 0;
}
