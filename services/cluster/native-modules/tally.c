// A data type for tests: named counters in one key. Compiled with TALLY_MAJOR 1 or 2; version 2 writes another encoding,
// still reads that of version 1, and knows TALLY.MUL.
#include "redis-api.h"

#include <string.h>
#include <strings.h>

#ifndef TALLY_MAJOR
#define TALLY_MAJOR 1
#endif

static server_type *tally_type;
// 0: as many as there may be.
static long long max_members = 0;

static void *as_pointer(int64_t value) { return (void *)(intptr_t)value; }
static int64_t as_number(void *pointer) { return (int64_t)(intptr_t)pointer; }

// ---- what is kept

static void *load(server_io *io, int encoding) {
    if (encoding > TALLY_MAJOR) return NULL;
    server_dict *tally = dict_create(NULL);
    uint64_t members = load_unsigned(io);
    int64_t sum = 0;
    for (uint64_t index = 0; index < members; index++) {
        size_t length;
        int64_t value = 0;
        if (encoding == 2) value = load_signed(io);
        char *member = load_bytes(io, &length);
        if (encoding == 1) value = load_signed(io);
        dict_replace(tally, member, length, as_pointer(value));
        free_memory(member);
        sum += value;
    }
    if (encoding == 2 && load_signed(io) != sum) {
        dict_free(NULL, tally);
        return NULL;
    }
    return tally;
}

static void save(server_io *io, void *tally) {
    save_unsigned(io, dict_size(tally));
    server_dict_cursor *cursor = dict_start(tally, "^", NULL, 0);
    size_t length;
    void *value;
    char *member;
    int64_t sum = 0;
    while ((member = dict_next(cursor, &length, &value)) != NULL) {
        if (TALLY_MAJOR == 2) save_signed(io, as_number(value));
        save_bytes(io, member, length);
        if (TALLY_MAJOR == 1) save_signed(io, as_number(value));
        sum += as_number(value);
    }
    if (TALLY_MAJOR == 2) save_signed(io, sum);
    dict_stop(cursor);
}

static void rewrite(server_io *io, server_string *key, void *tally) {
    server_dict_cursor *cursor = dict_start(tally, "^", NULL, 0);
    size_t length;
    void *value;
    char *member;
    while ((member = dict_next(cursor, &length, &value)) != NULL)
        emit_command(io, "TALLY.ADD", "sbl", key, member, length, (long long)as_number(value));
    dict_stop(cursor);
}

static void digest(server_digest *into, void *tally) {
    server_dict_cursor *cursor = dict_start(tally, "^", NULL, 0);
    size_t length;
    void *value;
    char *member;
    while ((member = dict_next(cursor, &length, &value)) != NULL) {
        digest_bytes(into, member, length);
        digest_number(into, as_number(value));
        digest_end(into);
    }
    dict_stop(cursor);
}

static size_t memory(const void *tally) { return 64 + 32 * dict_size((server_dict *)tally); }
static void release(void *tally) { dict_free(NULL, tally); }

// ---- commands

// The tally of a key; NULL with a reply given where it is something else.
static server_dict *tally_of(server_context *context, server_key *key, int make) {
    if (key_kind(key) == key_is_empty) {
        server_dict *tally = dict_create(NULL);
        if (make) set_key_value(key, tally_type, tally);
        return tally;
    }
    if (key_type(key) == tally_type) return key_value(key);
    reply_error(context, "WRONGTYPE Operation against a key holding the wrong kind of value");
    return NULL;
}

static int change(server_context *context, server_string **arguments, int count, int multiply) {
    long long by;
    if (count != 4) return wrong_arity(context);
    if (string_number(arguments[3], &by) != server_ok) return reply_error(context, "ERR value is not an integer");
    server_key *key = open_key(context, arguments[1], open_to_read | open_to_write);
    server_dict *tally = tally_of(context, key, 1);
    if (tally != NULL) {
        size_t length;
        int is_missing;
        char *member = (char *)string_bytes(arguments[2], &length);
        int64_t now = as_number(dict_get(tally, member, length, &is_missing));
        if (is_missing && max_members > 0 && (long long)dict_size(tally) >= max_members) {
            reply_error(context, "ERR the tally has as many members as it may have");
        } else {
            if (is_missing) now = 0;
            now = multiply ? now * by : now + by;
            dict_replace(tally, member, length, as_pointer(now));
            replicate_as_is(context);
            reply_number(context, now);
        }
    }
    close_key(key);
    return server_ok;
}

static int add(server_context *context, server_string **arguments, int count) {
    return change(context, arguments, count, 0);
}

#if TALLY_MAJOR >= 2
static int multiply(server_context *context, server_string **arguments, int count) {
    return change(context, arguments, count, 1);
}
#endif

static int get(server_context *context, server_string **arguments, int count) {
    if (count != 3) return wrong_arity(context);
    server_key *key = open_key(context, arguments[1], open_to_read);
    if (key == NULL) return reply_null(context);
    if (key_kind(key) == key_is_empty) {
        reply_null(context);
    } else {
        server_dict *tally = tally_of(context, key, 0);
        if (tally != NULL) {
            size_t length;
            int is_missing;
            char *member = (char *)string_bytes(arguments[2], &length);
            int64_t value = as_number(dict_get(tally, member, length, &is_missing));
            if (is_missing) reply_null(context);
            else reply_number(context, value);
        }
    }
    close_key(key);
    return server_ok;
}

// ---- loading

// LIMIT n: members of one tally at most.
static int read_arguments(server_context *context, server_string **arguments, int count) {
    for (int index = 0; index < count; index += 2) {
        size_t length;
        const char *name = string_bytes(arguments[index], &length);
        if (length != 5 || strncasecmp(name, "limit", length) != 0) {
            log_line(context, "warning", "unknown argument '%.*s'", (int)length, name);
            return server_failed;
        }
        if (index + 1 >= count || string_number(arguments[index + 1], &max_members) != server_ok || max_members < 1) {
            log_line(context, "warning", "LIMIT needs a number above 0");
            return server_failed;
        }
    }
    return server_ok;
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(server_context *context, server_string **arguments,
                                                              int count) {
    static type_methods methods = {type_methods_version, load, save, rewrite, memory, digest, release};
    if (bind_server(context) != server_ok) return server_failed;
    set_attributes(context, "tally", TALLY_MAJOR * 10000, api_version);
    if (read_arguments(context, arguments, count) != server_ok) return server_failed;
    tally_type = create_type(context, "tallymap1", TALLY_MAJOR, &methods);
    if (tally_type == NULL) return server_failed;
    if (create_command(context, "tally.add", add, "write deny-oom", 1, 1, 1) != server_ok) return server_failed;
    if (create_command(context, "tally.get", get, "readonly fast", 1, 1, 1) != server_ok) return server_failed;
#if TALLY_MAJOR >= 2
    if (create_command(context, "tally.mul", multiply, "write deny-oom", 1, 1, 1) != server_ok) return server_failed;
#endif
    return server_ok;
}
