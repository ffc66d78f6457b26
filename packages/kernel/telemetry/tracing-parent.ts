// Reads the W3C header `traceparent`. `tracestate` is not read: it may hold anything, and nothing is sent onward.
export interface TraceParent {
  traceId: string
  spanId: string
  isSampled: boolean
}

// version-trace-span-flags. Version ff and ids of zeros are invalid; later versions than 00 may add more fields.
const pattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/
const sampledFlag = 0x01

/** Undefined for what is not valid: the request then starts a trace of its own. */
export function parseTraceParent(header: unknown): TraceParent | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId, spanId, flags, more] = pattern.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 }
}
