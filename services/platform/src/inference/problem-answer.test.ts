import { HttpError } from '@atoll/kernel/http/error'
import { ModelProblem, type ModelProblemDetail } from '@atoll/models/problem'
import { describe, expect, it } from 'vitest'
import { answerModelProblem } from './problem-answer.ts'

function answerOf(message: string, detail: ModelProblemDetail): HttpError {
  try {
    return answerModelProblem(new ModelProblem(message, detail))
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
}

const answer = (detail: ModelProblemDetail) => {
  const { status, body, headers } = answerOf('The reason.', detail)
  return { status, headers, ...(body as { error: object }).error }
}

const upstream = (status: number, fields: Partial<Extract<ModelProblemDetail, { kind: 'upstream' }>> = {}) =>
  answer({ kind: 'upstream', status, error: undefined, retryAfterSeconds: undefined, ...fields })

describe('a problem of a model', () => {
  it('of ours is told with what to do', () => {
    expect(answer({ kind: 'overloaded', retryAfterSeconds: 2.1 })).toMatchObject({
      status: 503,
      type: 'server_error',
      headers: { 'retry-after': '3' },
    })
    expect(answer({ kind: 'not_installed' })).toMatchObject({
      ...{ status: 503, code: 'model_not_installed', message: 'The reason.', headers: { 'x-should-retry': 'false' } },
    })
    expect(answer({ kind: 'context_length', maxTokens: 4, requestedTokens: 9, param: 'messages' })).toMatchObject({
      ...{ status: 400, code: 'context_length_exceeded', param: 'messages', type: 'invalid_request_error' },
      message: expect.stringMatching(/maximum context length is 4 tokens.*requested 9 tokens.*of the messages/),
    })
    expect(answer({ kind: 'unsupported', param: 'suffix' })).toMatchObject({ status: 400, param: 'suffix' })
    expect(answer({ kind: 'invalid', param: 'tools[0]' })).toMatchObject({ status: 400, code: 'invalid_value' })
    expect(answer({ kind: 'failed' })).toMatchObject({ status: 500, type: 'server_error' })
  })

  it('that a server behind us refused as the caller’s fault is passed on', () => {
    const error = { message: 'No such tool.', type: 'invalid_request_error', param: 'tools', code: 7 }
    expect(upstream(400, { error })).toEqual({ status: 400, headers: {}, ...error, code: '7' })
    expect(upstream(429, { retryAfterSeconds: 12 })).toMatchObject({ status: 429, headers: { 'retry-after': '12' } })
    for (const status of [404, 409, 413, 422])
      expect(upstream(status)).toMatchObject({ status, param: null, code: null })
  })

  it('that a server behind us has with our key tells that, and nothing of the key', () => {
    const error = { message: 'Incorrect API key provided: sk-abc.' }
    for (const status of [401, 403]) {
      const told = upstream(status, { error })
      expect(told).toMatchObject({ status: 502, headers: { 'x-should-retry': 'false' } })
      expect(JSON.stringify(told)).not.toContain('sk-abc')
      expect(JSON.stringify(told)).toContain('credentials')
    }
    expect(upstream(503, { retryAfterSeconds: 5 })).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    expect(upstream(500, { error: { message: 'at 10.0.0.7' } })).toMatchObject({ status: 502, type: 'server_error' })
  })

  it('keeps its cause for the log when it is ours', () => {
    expect(answerOf('It broke.', { kind: 'failed' }).cause).toMatchObject({ message: 'It broke.' })
    expect(answerOf('It broke.', { kind: 'invalid', param: 'x' }).cause).toBeUndefined()
  })

  it('is told from everything else, which is thrown as it came', () => {
    for (const error of [
      new DOMException('gone', 'AbortError'),
      new HttpError(418, '', {}),
      new Error('x'),
      undefined,
    ]) {
      let thrown: unknown = 'nothing'
      try {
        answerModelProblem(error)
      } catch (caught) {
        thrown = caught
      }
      expect(thrown).toBe(error)
    }
  })
})
