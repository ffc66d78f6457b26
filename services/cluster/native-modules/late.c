// For tests: a module that needs an engine of version 7.2 or later, and says so.
#include "redis-api.h"

enum { needed = 0x00070200 };

static int ping(server_context *context, server_string **arguments, int count) {
    (void)arguments;
    return count == 1 ? reply_simple(context, "LATE") : wrong_arity(context);
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(server_context *context, server_string **arguments,
                                                              int count) {
    (void)arguments;
    (void)count;
    if (bind_server(context) != server_ok) return server_failed;
    set_attributes(context, "late", 10000, api_version);
    if (server_version() < needed) {
        log_line(context, "warning", "needs an engine of version 7.2 or later");
        return server_failed;
    }
    return create_command(context, "late.ping", ping, "readonly fast", 0, 0, 0);
}
