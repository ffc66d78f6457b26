// Programs as their users wrote them, with the client of that time.
import { OpenAI4, OpenAI6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../../testing/describe-platform.ts'
import { weather } from '../../../testing/run-requests.ts'
import { type Piece, ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'
import type { Delta } from './stream/events.ts'

const call: Piece = { call: 'get_weather', arguments: ['{"city":', '"Paris"}'] }

const settings = ({ url, apiKey }: TestPlatform) => ({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })

const tools = [weather as { type: 'function'; function: { name: string } }]

/** As one that a later version of the service might tell. */
const streamed = (id: string | null): Delta => ({
  id: id ?? '',
  object: 'thread.message.delta',
  delta: { mood: 'good' },
})

describePlatformOnSqlite('runs with the official client', (start) => {
  it('AST-071 AST-080 AST-091 polls a run to its end, with outputs of a function on the way', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([[call], ['Sunny']]).runtimes })
    const { beta } = new OpenAI4(settings(platform))
    const assistant = await beta.assistants.create({ model: 'gpt-4o', tools })
    const thread = await beta.threads.create({ messages: [{ role: 'user', content: 'Weather in Paris?' }] })
    const polling = { pollIntervalMs: 20 }
    const waiting = await beta.threads.runs.createAndPoll(thread.id, { assistant_id: assistant.id }, polling)
    expect(waiting.status).toBe('requires_action')
    const asked = waiting.required_action?.submit_tool_outputs.tool_calls ?? []
    expect(asked.map((one) => JSON.parse(one.function.arguments))).toEqual([{ city: 'Paris' }])
    const tool_outputs = asked.map(({ id }) => ({ tool_call_id: id, output: 'sun' }))
    const run = await beta.threads.runs.submitToolOutputsAndPoll(thread.id, waiting.id, { tool_outputs }, polling)
    expect(run).toMatchObject({ status: 'completed', usage: { total_tokens: 30 } })
    const messages = await beta.threads.messages.list(thread.id)
    expect(messages.data[0]?.content).toMatchObject([{ text: { value: 'Sunny' } }])
    const steps = await beta.threads.runs.steps.list(thread.id, run.id, { order: 'asc' })
    expect(steps.data.map(({ type }) => type)).toEqual(['tool_calls', 'message_creation'])
    const step = await beta.threads.runs.steps.retrieve(thread.id, run.id, steps.data[0]?.id ?? '', {
      include: ['step_details.tool_calls[*].file_search.results[*].content'],
    })
    expect(step.step_details).toMatchObject({ tool_calls: [{ function: { output: 'sun' } }] })
    const runs = await beta.threads.runs.list(thread.id)
    expect(runs.data.map(({ id }) => id)).toEqual([run.id])
  })

  it('AST-098 AST-099 AST-101 AST-102 AST-103 AST-104 streams with the helpers, function calls and all', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([[call], ['Sun', 'ny']]).runtimes })
    const { beta } = new OpenAI4(settings(platform))
    const assistant = await beta.assistants.create({ model: 'gpt-4o', tools })
    const thread = await beta.threads.create({ messages: [{ role: 'user', content: 'Weather in Paris?' }] })
    const written: string[] = []
    const first = beta.threads.runs.stream(thread.id, { assistant_id: assistant.id })
    first.on('toolCallDelta', (delta) => {
      if (delta.type === 'function') written.push(delta.function?.arguments ?? '')
    })
    const waiting = await first.finalRun()
    expect(written.join('')).toBe('{"city":"Paris"}')
    const asked = waiting.required_action?.submit_tool_outputs.tool_calls ?? []
    const [called] = (await first.finalRunSteps())[0]?.step_details.type === 'tool_calls' ? asked : []
    const tool_outputs = [{ tool_call_id: called?.id ?? '', output: 'sun' }]
    const events: string[] = []
    const texts: string[] = []
    const second = beta.threads.runs.submitToolOutputsStream(thread.id, waiting.id, { tool_outputs })
    second.on('event', ({ event }) => events.push(event))
    second.on('textDelta', ({ value }) => texts.push(value ?? ''))
    expect(await second.finalRun()).toMatchObject({ status: 'completed' })
    expect(texts).toEqual(['Sun', 'ny'])
    expect((await second.finalMessages()).map(({ content }) => content)).toMatchObject([[{ text: { value: 'Sunny' } }]])
    expect(events[0]).toBe('thread.run.step.completed')
  })

  it('AST-101 creates a thread, runs and streams it in one call; a run can be cancelled', async () => {
    const hold: Piece = { wait: new Promise(() => undefined) }
    const platform = await start({ runtimes: new ScriptedChatModel([['Hello'], ['Half', hold]]).runtimes })
    const { beta } = new OpenAI4(settings(platform))
    const assistant = await beta.assistants.create({ model: 'gpt-4o' })
    const thread = { messages: [{ role: 'user' as const, content: 'Hi' }] }
    const stream = beta.threads.createAndRunStream({ assistant_id: assistant.id, thread })
    const events: string[] = []
    for await (const { event } of stream) events.push(event)
    expect(events.slice(0, 2)).toEqual(['thread.created', 'thread.run.created'])
    expect(events.at(-1)).toBe('thread.run.completed')
    const run = await beta.threads.createAndRun({ assistant_id: assistant.id, thread })
    await beta.threads.runs.cancel(run.thread_id, run.id)
    const ended = await beta.threads.runs.poll(run.thread_id, run.id, { pollIntervalMs: 20 })
    expect(ended.status).toBe('cancelled')
    await expect(beta.threads.runs.cancel(run.thread_id, run.id)).rejects.toThrow(
      "Cannot cancel run with status 'cancelled'.",
    )
  })

  it('AST-105 a program that reads the stream passes over events it does not know', async () => {
    const hold = Promise.withResolvers<void>()
    const platform = await start({ runtimes: new ScriptedChatModel([['Hello', { wait: hold.promise }]]).runtimes })
    const { beta } = new OpenAI4(settings(platform))
    const assistant = await beta.assistants.create({ model: 'gpt-4o' })
    const thread = await beta.threads.create({ messages: [{ role: 'user', content: 'Hi' }] })
    const stream = beta.threads.runs.stream(thread.id, { assistant_id: assistant.id })
    const events: string[] = []
    stream.on('event', ({ event }) => events.push(event))
    stream.on('messageCreated', ({ run_id }) => {
      platform.platform.runs.hub.tell(run_id ?? '', { event: 'thread.mood.changed', data: streamed(run_id) })
      hold.resolve()
    })
    expect(await stream.finalRun()).toMatchObject({ status: 'completed' })
    expect(events).toContain('thread.mood.changed')
    expect(await stream.finalMessages()).toMatchObject([{ content: [{ text: { value: 'Hello' } }] }])
  })

  it('AST-071 AST-098 works with the newest client too', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['Hel', 'lo']]).runtimes })
    const { beta } = new OpenAI6(settings(platform))
    const assistant = await beta.assistants.create({ model: 'gpt-4o' })
    const thread = await beta.threads.create({ messages: [{ role: 'user', content: 'Hi' }] })
    const stream = beta.threads.runs.stream(thread.id, { assistant_id: assistant.id })
    const texts: string[] = []
    stream.on('textDelta', ({ value }) => texts.push(value ?? ''))
    const run = await stream.finalRun()
    expect([run.status, texts.join('')]).toEqual(['completed', 'Hello'])
    const again = await beta.threads.runs.createAndPoll(
      thread.id,
      { assistant_id: assistant.id },
      { pollIntervalMs: 20 },
    )
    expect(again.status).toBe('completed')
    const steps = await beta.threads.runs.steps.list(again.id, { thread_id: thread.id })
    expect(steps.data).toHaveLength(1)
  })
})
