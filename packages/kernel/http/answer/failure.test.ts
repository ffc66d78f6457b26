import { describe, expect, it } from 'vitest'
import { HttpError } from '../error.ts'
import type { LiveExchange } from '../exchange.ts'
import { LogRecorder } from '../testing/sample-service.ts'
import { toHttpError } from './failure.ts'

describe('an error of the catalogue', () => {
  it('is given as it is; what lies behind it is for the log alone', () => {
    const log = new LogRecorder()
    const exchange = { log } as unknown as LiveExchange
    const plain = new HttpError(404, 'No such thing.', {})
    expect(toHttpError(plain, exchange)).toBe(plain)
    expect(log.lines).toEqual([])
    const caused = new HttpError(502, 'The server behind this one failed.', {})
    caused.cause = new Error('connection refused')
    expect(toHttpError(caused, exchange)).toBe(caused)
    expect(log.lines).toMatchObject([{ level: 'error', fields: { error: caused.cause, status: 502 } }])
  })
})
