import { describe, expect, it } from 'vitest'
import { parseTraceParent } from './tracing-parent.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

describe('traceparent', () => {
  it('tells the caller, and whether the trace is sampled', () => {
    expect(parseTraceParent(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, isSampled: true })
    expect(parseTraceParent(`00-${traceId}-${spanId}-02`)).toEqual({ traceId, spanId, isSampled: false })
    expect(parseTraceParent(`cc-${traceId}-${spanId}-03-more`)).toEqual({ traceId, spanId, isSampled: true })
  })

  it.each([
    undefined,
    '',
    ['x'],
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
    `cc-${traceId}-${spanId}-01.more`,
  ])('that is not valid is ignored: %o', (header) => {
    expect(parseTraceParent(header)).toBeUndefined()
  })
})
