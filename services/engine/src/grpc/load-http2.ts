// HTTP/2 takes memory that an engine which builds nothing need not carry.
export const loadHttp2 = () => process.getBuiltinModule('node:http2')
