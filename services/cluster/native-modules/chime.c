// For tests: a second module, without data of its own. It tells which version of it answers.
#include "redis-api.h"

#ifndef CHIME_MAJOR
#define CHIME_MAJOR 1
#endif

static int ring(server_context *context, server_string **arguments, int count) {
    (void)arguments;
    return count == 1 ? reply_simple(context, CHIME_MAJOR == 1 ? "ONE" : "TWO") : wrong_arity(context);
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(server_context *context, server_string **arguments,
                                                              int count) {
    (void)arguments;
    (void)count;
    if (bind_server(context) != server_ok) return server_failed;
    set_attributes(context, "chime", CHIME_MAJOR * 10000, api_version);
    return create_command(context, "chime.ring", ring, "readonly fast", 0, 0, 0);
}
