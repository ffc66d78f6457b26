// What the project's modules use of the interface that servers offer to modules: a few functions, asked for by name
// through the first word of the context that RedisModule_OnLoad is handed.
#ifndef ATOLL_REDIS_API_H
#define ATOLL_REDIS_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct server_context server_context;
typedef struct server_string server_string;
typedef struct server_key server_key;
typedef struct server_io server_io;
typedef struct server_digest server_digest;
typedef struct server_dict server_dict;
typedef struct server_dict_cursor server_dict_cursor;
typedef struct server_type server_type;
typedef int (*server_command)(server_context *context, server_string **arguments, int count);

enum { server_ok = 0, server_failed = 1 };
enum { api_version = 1 };
enum { open_to_read = 1, open_to_write = 2 };
enum { key_is_empty = 0 };

// Version 1 of the methods of a data type.
enum { type_methods_version = 1 };
typedef struct {
    uint64_t version;
    void *(*load)(server_io *io, int encoding);
    void (*save)(server_io *io, void *value);
    void (*rewrite)(server_io *io, server_string *key, void *value);
    size_t (*memory)(const void *value);
    void (*digest)(server_digest *digest, void *value);
    void (*free)(void *value);
} type_methods;

// result, our name, the server's name, parameters
#define SERVER_FUNCTIONS(F) \
    F(void, set_attributes, "SetModuleAttribs", (server_context *, const char *name, int version, int api)) \
    F(int, create_command, "CreateCommand", \
      (server_context *, const char *name, server_command, const char *flags, int first, int last, int step)) \
    F(server_type *, create_type, "CreateDataType", \
      (server_context *, const char *name, int encoding, type_methods *)) \
    F(void, log_line, "Log", (server_context *, const char *level, const char *format, ...)) \
    F(int, server_version, "GetServerVersion", (void)) \
    F(const char *, string_bytes, "StringPtrLen", (const server_string *, size_t *length)) \
    F(int, string_number, "StringToLongLong", (const server_string *, long long *)) \
    F(void *, open_key, "OpenKey", (server_context *, server_string *, int mode)) \
    F(void, close_key, "CloseKey", (server_key *)) \
    F(int, key_kind, "KeyType", (server_key *)) \
    F(server_type *, key_type, "ModuleTypeGetType", (server_key *)) \
    F(void *, key_value, "ModuleTypeGetValue", (server_key *)) \
    F(int, set_key_value, "ModuleTypeSetValue", (server_key *, server_type *, void *)) \
    F(int, reply_number, "ReplyWithLongLong", (server_context *, long long)) \
    F(int, reply_null, "ReplyWithNull", (server_context *)) \
    F(int, reply_error, "ReplyWithError", (server_context *, const char *)) \
    F(int, reply_simple, "ReplyWithSimpleString", (server_context *, const char *)) \
    F(int, wrong_arity, "WrongArity", (server_context *)) \
    F(int, replicate_as_is, "ReplicateVerbatim", (server_context *)) \
    F(void, save_unsigned, "SaveUnsigned", (server_io *, uint64_t)) \
    F(uint64_t, load_unsigned, "LoadUnsigned", (server_io *)) \
    F(void, save_signed, "SaveSigned", (server_io *, int64_t)) \
    F(int64_t, load_signed, "LoadSigned", (server_io *)) \
    F(void, save_bytes, "SaveStringBuffer", (server_io *, const char *, size_t)) \
    F(char *, load_bytes, "LoadStringBuffer", (server_io *, size_t *length)) \
    F(void, emit_command, "EmitAOF", (server_io *, const char *command, const char *format, ...)) \
    F(void, digest_bytes, "DigestAddStringBuffer", (server_digest *, const char *, size_t)) \
    F(void, digest_number, "DigestAddLongLong", (server_digest *, long long)) \
    F(void, digest_end, "DigestEndSequence", (server_digest *)) \
    F(void, free_memory, "Free", (void *)) \
    F(server_dict *, dict_create, "CreateDict", (server_context *)) \
    F(void, dict_free, "FreeDict", (server_context *, server_dict *)) \
    F(uint64_t, dict_size, "DictSize", (server_dict *)) \
    F(int, dict_replace, "DictReplaceC", (server_dict *, void *key, size_t length, void *value)) \
    F(void *, dict_get, "DictGetC", (server_dict *, void *key, size_t length, int *is_missing)) \
    F(server_dict_cursor *, dict_start, "DictIteratorStartC", \
      (server_dict *, const char *operator, void *key, size_t length)) \
    F(void *, dict_next, "DictNextC", (server_dict_cursor *, size_t *length, void **value)) \
    F(void, dict_stop, "DictIteratorStop", (server_dict_cursor *))

#define DECLARE_FUNCTION(result, ours, theirs, parameters) \
    __attribute__((unused)) static result(*ours) parameters;
SERVER_FUNCTIONS(DECLARE_FUNCTION)

// Fails where the server lacks one of them.
static int bind_server(server_context *context) {
    int (*get)(const char *name, void *function) = *(int (**)(const char *, void *))context;
#define BIND_FUNCTION(result, ours, theirs, parameters) \
    if (get("RedisModule_" theirs, (void *)&ours) != server_ok) return server_failed;
    SERVER_FUNCTIONS(BIND_FUNCTION)
    return server_ok;
}

#endif
