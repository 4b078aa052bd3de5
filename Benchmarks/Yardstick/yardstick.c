/* The yardstick for `coredata import` and `coredata query`: what plain C does to the same table through SQLite.
 *
 *     cc -O2 -Wall -o yardstick yardstick.c -lsqlite3
 *
 *     yardstick insert DB N [JOURNAL [SYNCHRONOUS]]   create DB (it must not exist), insert N people in one transaction
 *     yardstick read DB                               read every person into memory, all ten attributes
 *     yardstick update DB N                           add one to the score of the first N people, in one transaction
 *     yardstick point DB N                            read the first N people, one prepared SELECT each, in autocommit
 *     yardstick keys DB                               read every person's key into an array, in the table's order
 *     yardstick sorted DB                             the same in the order of the names
 *     yardstick count DB                              count the people
 *     yardstick join DB                               read every team with its members, all columns, by one join
 *     yardstick tsv FILE N                            write the same N people as the tool's input
 *
 * JOURNAL is a value of pragma journal_mode (delete), SYNCHRONOUS one of pragma synchronous (full).
 * insert times BEGIN to COMMIT; read times opening the file to the last row; keys, sorted, count and join time the query
 * alone. Each prints one line of JSON:
 * {"impl":"c","op":...,"s":seconds,"check":...}, where check is the sum over all rows of
 * score + (note is not null) + identifier + age, plus the bytes of all strings in UTF-8.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

typedef struct {
    int64_t identifier, age, score;
    double height, weight, created;         /* created: seconds since 2001-01-01 00:00 UTC, as Core Data stores dates */
    char *name, *email, *city, *note;       /* note is NULL in every other row */
} Person;

static const int64_t reference_date = 978307200;    /* 2001-01-01 00:00 UTC in Unix time */

static const char *create_table =
    "CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZIDENTIFIER INTEGER, "
    "ZSCORE INTEGER, ZCREATED TIMESTAMP, ZHEIGHT FLOAT, ZWEIGHT FLOAT, ZCITY VARCHAR, ZEMAIL VARCHAR, ZNAME VARCHAR, "
    "ZNOTE VARCHAR )";

static void *need(void *memory) {
    if (!memory) fail("memory", "exhausted");
    return memory;
}

static void execute(sqlite3 *db, const char *sql) {
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail(sql, sqlite3_errmsg(db));
}

static int64_t check_of(const Person *people, int64_t count) {
    int64_t check = 0;
    for (int64_t i = 0; i < count; i++) {
        const Person *p = &people[i];
        check += p->score + (p->note != NULL) + p->identifier + p->age;
        check += (int64_t)(strlen(p->name) + strlen(p->email) + strlen(p->city) + (p->note ? strlen(p->note) : 0));
    }
    return check;
}

/* ---- the people */

static char *text(const char *format, long long number) {
    char buffer[64];
    snprintf(buffer, sizeof buffer, format, number);
    return need(strdup(buffer));
}

static Person *generate(int64_t count) {
    Person *people = need(calloc(count ? (size_t)count : 1, sizeof(Person)));
    for (int64_t i = 0; i < count; i++) {
        Person *p = &people[i];
        p->identifier = i + 1;
        p->name = text("Person Number %lld", i + 1);
        p->email = text("person%lld@example.com", i + 1);
        p->city = text("City %lld", i % 1000);
        p->age = i % 90;
        p->score = i * 7919 % 100003;
        p->height = 1.5 + (i % 50) / 100.0;
        p->weight = 50 + (i % 500) / 10.0;
        p->created = 7e8 + i;
        p->note = i % 2 ? text("note %lld", i) : NULL;
    }
    return people;
}

/* ---- insert */

static void insert(const char *path, int64_t count, const char *journal, const char *synchronous) {
    if (access(path, F_OK) == 0) fail(path, "is there already");
    Person *people = generate(count);
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK) fail(path, sqlite3_errmsg(db));
    char pragma[128];
    execute(db, "PRAGMA page_size=4096");
    execute(db, "PRAGMA auto_vacuum=2");
    snprintf(pragma, sizeof pragma, "PRAGMA journal_mode=%s", journal);
    execute(db, pragma);
    snprintf(pragma, sizeof pragma, "PRAGMA synchronous=%s", synchronous);
    execute(db, pragma);
    execute(db, create_table);

    double start = now();
    execute(db, "BEGIN IMMEDIATE");
    sqlite3_stmt *s = prepare(db, "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZAGE, ZIDENTIFIER, ZSCORE, ZCREATED, ZHEIGHT, "
                                  "ZWEIGHT, ZCITY, ZEMAIL, ZNAME, ZNOTE) VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (int64_t i = 0; i < count; i++) {
        const Person *p = &people[i];
        sqlite3_bind_int64(s, 1, i + 1);
        sqlite3_bind_int64(s, 2, p->age);
        sqlite3_bind_int64(s, 3, p->identifier);
        sqlite3_bind_int64(s, 4, p->score);
        sqlite3_bind_double(s, 5, p->created);
        sqlite3_bind_double(s, 6, p->height);
        sqlite3_bind_double(s, 7, p->weight);
        sqlite3_bind_text(s, 8, p->city, -1, SQLITE_TRANSIENT);
        sqlite3_bind_text(s, 9, p->email, -1, SQLITE_TRANSIENT);
        sqlite3_bind_text(s, 10, p->name, -1, SQLITE_TRANSIENT);
        sqlite3_bind_text(s, 11, p->note, -1, SQLITE_TRANSIENT);     /* a NULL pointer binds NULL */
        if (sqlite3_step(s) != SQLITE_DONE) fail(path, sqlite3_errmsg(db));
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    execute(db, "COMMIT");
    double seconds = now() - start;
    if (sqlite3_close(db) != SQLITE_OK) fail(path, sqlite3_errmsg(db));
    emit("insert", seconds, check_of(people, count));
}

/* ---- read */

static char *column(sqlite3_stmt *s, int index) {
    const char *value = (const char *)sqlite3_column_text(s, index);
    return value ? need(strdup(value)) : NULL;
}

/* The row that a statement is at, all ten attributes copied. */
static void take(sqlite3_stmt *s, Person *p) {
    p->identifier = sqlite3_column_int64(s, 0);
    p->name = column(s, 1);
    p->email = column(s, 2);
    p->city = column(s, 3);
    p->age = sqlite3_column_int64(s, 4);
    p->score = sqlite3_column_int64(s, 5);
    p->height = sqlite3_column_double(s, 6);
    p->weight = sqlite3_column_double(s, 7);
    p->created = sqlite3_column_double(s, 8);
    p->note = column(s, 9);
}

static void read_all(const char *path) {
    double start = now();
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) fail(path, sqlite3_errmsg(db));
    sqlite3_stmt *s = prepare(db, "SELECT ZIDENTIFIER, ZNAME, ZEMAIL, ZCITY, ZAGE, ZSCORE, ZHEIGHT, ZWEIGHT, ZCREATED, ZNOTE "
                                  "FROM ZPERSON");
    Person *people = NULL;
    int64_t count = 0, room = 0;
    int status;
    while ((status = sqlite3_step(s)) == SQLITE_ROW) {
        if (count == room) {
            room = room ? room * 2 : 1024;
            people = need(realloc(people, (size_t)room * sizeof(Person)));
        }
        take(s, &people[count++]);
    }
    if (status != SQLITE_DONE) fail(path, sqlite3_errmsg(db));
    sqlite3_finalize(s);
    double seconds = now() - start;
    sqlite3_close(db);
    for (int64_t i = 0; i < count; i++)
        if (!people[i].name || !people[i].email || !people[i].city) fail(path, "a mandatory string is NULL");
    emit("read", seconds, check_of(people, count));
}

/* ---- update */

static void update(const char *path, int64_t count) {
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) fail(path, sqlite3_errmsg(db));
    execute(db, "PRAGMA journal_mode=wal");
    double start = now();
    execute(db, "BEGIN IMMEDIATE");
    sqlite3_stmt *s = prepare(db, "UPDATE ZPERSON SET ZSCORE = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?");
    int64_t changed = 0;
    for (int64_t i = 0; i < count; i++) {
        sqlite3_bind_int64(s, 1, i * 7919 % 100003 + 1);
        sqlite3_bind_int64(s, 2, 2);
        sqlite3_bind_int64(s, 3, i + 1);
        sqlite3_bind_int64(s, 4, 1);
        if (sqlite3_step(s) != SQLITE_DONE) fail(path, sqlite3_errmsg(db));
        changed += sqlite3_changes(db);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    execute(db, "COMMIT");
    double seconds = now() - start;
    sqlite3_close(db);
    emit("update", seconds, changed);
}

/* ---- point */

static void point(const char *path, int64_t count) {
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) fail(path, sqlite3_errmsg(db));
    execute(db, "PRAGMA journal_mode=wal");
    sqlite3_stmt *s = prepare(db, "SELECT ZIDENTIFIER, ZNAME, ZEMAIL, ZCITY, ZAGE, ZSCORE, ZHEIGHT, ZWEIGHT, ZCREATED, ZNOTE "
                                  "FROM ZPERSON WHERE Z_PK = ?");
    Person *people = need(calloc((size_t)(count ? count : 1), sizeof(Person)));
    double start = now();
    for (int64_t i = 0; i < count; i++) {
        sqlite3_bind_int64(s, 1, i + 1);
        if (sqlite3_step(s) != SQLITE_ROW) fail(path, "a person is missing");
        take(s, &people[i]);
        sqlite3_reset(s);
    }
    double seconds = now() - start;
    sqlite3_finalize(s);
    sqlite3_close(db);
    int64_t check = 0;
    for (int64_t i = 0; i < count; i++) check += people[i].identifier;
    emit("point", seconds, check);
}

/* ---- keys, count, join */

static sqlite3 *opened(const char *path) {
    sqlite3 *db;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) fail(path, sqlite3_errmsg(db));
    execute(db, "SELECT COUNT(*) FROM sqlite_master");
    return db;
}

static void keys(const char *path, const char *op, const char *sql) {
    sqlite3 *db = opened(path);
    double start = now();
    sqlite3_stmt *s = prepare(db, sql);
    int64_t *found = NULL, count = 0, room = 0, check = 0;
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (count == room) {
            room = room ? room * 2 : 1024;
            found = need(realloc(found, (size_t)room * sizeof(int64_t)));
        }
        found[count++] = sqlite3_column_int64(s, 0);
    }
    sqlite3_finalize(s);
    double seconds = now() - start;
    sqlite3_close(db);
    for (int64_t i = 0; i < count; i++) check += found[i];
    emit(op, seconds, check);
}

static void count_people(const char *path) {
    sqlite3 *db = opened(path);
    double start = now();
    sqlite3_stmt *s = prepare(db, "SELECT COUNT(*) FROM ZPERSON");
    if (sqlite3_step(s) != SQLITE_ROW) fail(path, sqlite3_errmsg(db));
    int64_t count = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    emit("count", now() - start, count);
    sqlite3_close(db);
}

typedef struct { int64_t team, key, number; char *team_name, *name; } Member;

static void join(const char *path) {
    sqlite3 *db = opened(path);
    double start = now();
    sqlite3_stmt *s = prepare(db, "SELECT t.Z_PK, t.ZNAME, m.Z_PK, m.ZNAME, m.ZNUMBER FROM ZTEAM t JOIN ZMEMBER m ON "
                                  "m.ZTEAM = t.Z_PK");
    Member *members = NULL;
    int64_t count = 0, room = 0, check = 0;
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (count == room) {
            room = room ? room * 2 : 1024;
            members = need(realloc(members, (size_t)room * sizeof(Member)));
        }
        Member *m = &members[count++];
        m->team = sqlite3_column_int64(s, 0);
        m->team_name = column(s, 1);
        m->key = sqlite3_column_int64(s, 2);
        m->name = column(s, 3);
        m->number = sqlite3_column_int64(s, 4);
    }
    sqlite3_finalize(s);
    double seconds = now() - start;
    sqlite3_close(db);
    for (int64_t i = 0; i < count; i++) check += members[i].number + (int64_t)strlen(members[i].name);
    emit("join", seconds, check);
}

/* ---- tsv */

/* The shortest text that reads back as the same double. */
static const char *shortest(double value, char *buffer, size_t size) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, size, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) break;
    }
    return buffer;
}

static void write_tsv(const char *path, int64_t count) {
    Person *people = generate(count);
    double start = now();
    FILE *file = fopen(path, "w");
    if (!file) fail(path, strerror(errno));
    fputs("identifier\tname\temail\tcity\tage\tscore\theight\tweight\tcreated\tnote\n", file);
    for (int64_t i = 0; i < count; i++) {
        const Person *p = &people[i];
        time_t unix_time = (time_t)(reference_date + (int64_t)p->created);
        struct tm utc;
        char created[32], height[32], weight[32];
        gmtime_r(&unix_time, &utc);
        strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
        fprintf(file, "%lld\t%s\t%s\t%s\t%lld\t%lld\t%s\t%s\t%s\t%s\n", (long long)p->identifier, p->name, p->email, p->city,
                (long long)p->age, (long long)p->score, shortest(p->height, height, sizeof height),
                shortest(p->weight, weight, sizeof weight), created, p->note ? p->note : "");
    }
    int failed = ferror(file);
    if (fclose(file) != 0 || failed) fail(path, strerror(errno));
    emit("tsv", now() - start, check_of(people, count));
}

static void usage(void) {
    fputs("usage: yardstick insert DB N [JOURNAL [SYNCHRONOUS]] | read DB | update DB N | point DB N |"
          " keys DB | sorted DB | count DB | join DB | tsv FILE N\n", stderr);
    exit(64);
}

static int64_t number(const char *argument) {
    char *end;
    long long value = strtoll(argument, &end, 10);
    if (*argument == 0 || *end != 0 || value < 0) usage();
    return value;
}

int main(int argc, char **argv) {
    if (argc < 3) usage();
    const char *op = argv[1], *path = argv[2];
    if (!strcmp(op, "insert") && argc >= 4 && argc <= 6)
        insert(path, number(argv[3]), argc > 4 ? argv[4] : "delete", argc > 5 ? argv[5] : "full");
    else if (!strcmp(op, "read") && argc == 3)
        read_all(path);
    else if (!strcmp(op, "update") && argc == 4)
        update(path, number(argv[3]));
    else if (!strcmp(op, "point") && argc == 4)
        point(path, number(argv[3]));
    else if (!strcmp(op, "keys") && argc == 3)
        keys(path, op, "SELECT Z_PK FROM ZPERSON");
    else if (!strcmp(op, "sorted") && argc == 3)
        keys(path, op, "SELECT Z_PK FROM ZPERSON ORDER BY ZNAME");
    else if (!strcmp(op, "count") && argc == 3)
        count_people(path);
    else if (!strcmp(op, "join") && argc == 3)
        join(path);
    else if (!strcmp(op, "tsv") && argc == 4)
        write_tsv(path, number(argv[3]));
    else
        usage();
    return 0;
}
