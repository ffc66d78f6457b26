// What a model is shown when a client's tool loop has closed: its own calls, each with its result.
import { expect } from 'vitest'
import type { ScriptedChatModel } from '../../testing/scripted-chat-model.ts'
import type { TestPlatform } from '../../testing/test-platform.ts'
import { weatherIn } from './weather-model.ts'

/** What every client is made with. */
export const settings = ({ url, apiKey }: Pick<TestPlatform, 'url' | 'apiKey'>) => ({
  apiKey,
  baseURL: `${url}/v1`,
  maxRetries: 0,
})

const cities = ['Oslo', 'Bergen', 'Reykjavik']

/** The model was asked as often as a loop of three rounds asks, and its last request had all calls and results. */
export function expectClosedLoop({ requests }: ScriptedChatModel): void {
  expect(requests).toHaveLength(3)
  expectResults(requests[2])
}

export function expectResults(request: ScriptedChatModel['requests'][number] | undefined): void {
  const messages = request?.messages ?? []
  const called = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
  expect(called.map(({ function: { arguments: text } }) => JSON.parse(text))).toEqual(cities.map((city) => ({ city })))
  const results = messages.filter((message) => message.role === 'tool')
  expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(called.map(({ id }) => id))
  for (const [index, city] of cities.entries()) {
    expect(JSON.stringify(results[index]?.content)).toContain(weatherIn(city))
  }
}
