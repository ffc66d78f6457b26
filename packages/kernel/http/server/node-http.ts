// Node's HTTP modules, and no more of them than is used: an ESM import of `node:http` runs the getters that load its
// WebSocket client, and `node:https` brings TLS along (together about 3 MB of an idle server).
export const http = process.getBuiltinModule('node:http')
export const loadHttps = () => process.getBuiltinModule('node:https')
