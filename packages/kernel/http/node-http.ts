// Node's HTTP module without its WebSocket client: an ESM import of `node:http` runs the getters that load it (measured
// as 2 MB of an idle server).
export const http = process.getBuiltinModule('node:http')
export const https = process.getBuiltinModule('node:https')
