// With the chat model that Atoll brings along: nothing is scripted.
import { expect, it } from 'vitest'
import { ask } from '../../../testing/assistant-requests.ts'
import { describePlatformOnSqlite } from '../../../testing/describe-platform.ts'
import {
  getRun,
  messagesOf,
  namesOf,
  newAssistant,
  newThread,
  runsPath,
  streamed,
  textOf,
  weather,
} from '../../../testing/run-requests.ts'
import type { RunObject } from './schema.ts'

const saveNote = {
  type: 'function',
  function: {
    name: 'save_note',
    description: 'Save a note.',
    parameters: {
      type: 'object',
      properties: { title: { type: 'string' }, text: { type: 'string' } },
      required: ['title', 'text'],
    },
  },
}

describePlatformOnSqlite('runs with the built-in chat model', (start) => {
  it('AST-085 AST-087 AST-098 AST-099 calls the function, and answers with its output', {
    timeout: 60_000,
  }, async () => {
    const platform = await start()
    const { id: assistant_id } = await newAssistant(platform, { model: 'gpt-4o-mini', tools: [weather] })
    const thread = await newThread(platform, 'What is the weather in Paris?')
    const options = { assistant_id, tool_choice: 'required', temperature: 0 }
    const first = await streamed(platform, runsPath(thread.id), options)
    expect(namesOf(first).slice(-3)).toEqual(['thread.run.step.delta', 'thread.run.requires_action', 'done'])
    const waiting = first.at(-2)?.data as RunObject
    const [called] = waiting.required_action?.submit_tool_outputs.tool_calls ?? []
    expect(called?.function.name).toBe('get_weather')
    expect(JSON.parse(called?.function.arguments ?? '')).toEqual({ city: 'Paris' })
    const outputs = { tool_outputs: [{ tool_call_id: called?.id, output: '{"sky": "sunny", "degrees": 21}' }] }
    const rest = await streamed(platform, runsPath(thread.id, waiting.id, '/submit_tool_outputs'), outputs)
    const run = await getRun(platform, waiting)
    expect(run).toMatchObject({ status: 'completed', last_error: null })
    expect(run.usage?.prompt_tokens).toBeGreaterThan(20)
    const [, answer] = await messagesOf(platform, thread.id)
    const text = answer === undefined ? '' : textOf(answer)
    expect(text).toMatch(/21|sunny/)
    const told = rest.filter(({ event }) => event === 'thread.message.delta')
    expect(told.map(({ data }) => data.delta.content[0].text.value).join('')).toBe(text)
    expect(told.length).toBeGreaterThan(1)
    await ask(platform, 'DELETE', `/v1/threads/${thread.id}`)
  })

  it('AST-085 closes an argument that goes round in circles, and hands the call over whole', {
    timeout: 120_000,
  }, async () => {
    const platform = await start()
    const { id: assistant_id } = await newAssistant(platform, { model: 'gpt-4o-mini', tools: [saveNote] })
    const thread = await newThread(platform, `Save this: ${'ho '.repeat(31)}ho.`)
    const options = { assistant_id, tool_choice: 'required', temperature: 0, max_completion_tokens: 600 }
    const told = await streamed(platform, runsPath(thread.id), { ...options, parallel_tool_calls: false })
    expect(told.at(-2)?.event).toBe('thread.run.requires_action')
    const waiting = told.at(-2)?.data as RunObject
    const [called] = waiting.required_action?.submit_tool_outputs.tool_calls ?? []
    expect(JSON.parse(called?.function.arguments ?? '')).toEqual({
      title: expect.any(String),
      text: expect.any(String),
    })
    await ask(platform, 'POST', `${runsPath(thread.id, waiting.id)}/cancel`)
  })
})
