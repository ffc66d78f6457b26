// Requests to the assistants interface as raw HTTP: with the header it asks for, answers checked for their status.
import { expect } from 'vitest'
import { type ErrorBody, errorOf } from './requests.ts'
import type { TestPlatform } from './test-platform.ts'

type Method = 'GET' | 'POST' | 'DELETE'

export const assistantsV2 = { 'openai-beta': 'assistants=v2' }

function send(platform: TestPlatform, method: Method, path: string, body?: object) {
  const headers = { ...assistantsV2, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  return platform.request(method, path, { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
}

/** The answer of a request that works. */
export async function ask<Answer>(
  platform: TestPlatform,
  method: Method,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await send(platform, method, path, body)
  const answer: unknown = await response.json()
  expect([response.status, answer]).toEqual([200, answer])
  return answer as Answer
}

/** What is said to a request that does not. */
export async function refusal(
  platform: TestPlatform,
  method: Method,
  path: string,
  body?: object,
): Promise<ErrorBody & { status: number }> {
  const response = await send(platform, method, path, body)
  return { status: response.status, ...(await errorOf(response)) }
}

export const pairs = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'value']))
