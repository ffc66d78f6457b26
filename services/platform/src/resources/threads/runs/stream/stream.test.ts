import { ModelProblem } from '@atoll/models/problem'
import { expect, it } from 'vitest'
import { ask, assistantsV2, refusal } from '../../../../testing/assistant-requests.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../../../testing/describe-platform.ts'
import {
  getRun,
  messagesOf,
  namesOf,
  newAssistant,
  newThread,
  readEvents,
  runsPath,
  type StreamedEvent,
  settled,
  stepsOf,
  streamed,
  weather,
} from '../../../../testing/run-requests.ts'
import { type Piece, ScriptedChatModel } from '../../../../testing/scripted-chat-model.ts'
import { waitUntil } from '../../../../testing/wait-until.ts'
import type { RunEvent } from './events.ts'

const call: Piece = { call: 'get_weather', arguments: ['{"city":', '"Paris"}'] }

const messageStep = [
  'thread.run.step.created',
  'thread.run.step.in_progress',
  'thread.message.created',
  'thread.message.in_progress',
  'thread.message.delta',
  'thread.message.completed',
  'thread.run.step.completed',
]

async function streamRun(platform: TestPlatform, fields: object = {}, assistant: object = {}) {
  const { id: assistant_id } = await newAssistant(platform, assistant)
  const thread = await newThread(platform, 'Hi')
  return { thread, events: await streamed(platform, runsPath(thread.id), { assistant_id, ...fields }) }
}

const deltasOf = (events: readonly StreamedEvent[]): object[] =>
  events.filter(({ event }) => event.endsWith('.delta')).map(({ data }) => data)

describePlatformOnSqlite('streams of runs', (start) => {
  it('AST-098 AST-100 AST-101 AST-102 AST-103 tells a plain run from its creation to its end', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['Hel', 'lo ', 'there']]).runtimes })
    const { thread, events } = await streamRun(platform)
    expect(namesOf(events)).toEqual([
      'thread.run.created',
      'thread.run.queued',
      'thread.run.in_progress',
      ...messageStep,
      'thread.run.completed',
      'done',
    ])
    expect(events.at(-1)?.data).toBe('[DONE]')
    const data = (name: string) => events.find(({ event }) => event === name)?.data
    const messageId = data('thread.message.created').id
    const piece = (value: string) => ({
      id: messageId,
      object: 'thread.message.delta',
      delta: { content: [{ index: 0, type: 'text', text: { value, annotations: [] } }] },
    })
    expect(deltasOf(events)).toEqual([piece('Hel'), piece('lo '), piece('there')])
    expect(data('thread.run.created')).toMatchObject({ status: 'queued', started_at: null })
    expect(data('thread.run.in_progress')).toMatchObject({ status: 'in_progress', started_at: expect.any(Number) })
    expect(data('thread.message.created')).toMatchObject({ status: 'in_progress', content: [] })
    expect(data('thread.run.step.in_progress')).toMatchObject({
      status: 'in_progress',
      usage: null,
      step_details: { message_creation: { message_id: messageId } },
    })
    // What the stream has told is what there is.
    const [, message] = await messagesOf(platform, thread.id)
    expect(data('thread.message.completed')).toEqual(message)
    expect(data('thread.run.completed')).toEqual(await getRun(platform, data('thread.run.completed')))
    expect([data('thread.run.step.completed')]).toEqual(await stepsOf(platform, data('thread.run.completed')))
  })

  it('AST-101 begins with the thread when that is new', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['Hi']]).runtimes })
    const { id: assistant_id } = await newAssistant(platform)
    const thread = { messages: [{ role: 'user', content: 'Hello' }], metadata: { a: 'b' } }
    const events = await streamed(platform, '/v1/threads/runs', { assistant_id, thread })
    expect(namesOf(events).slice(0, 3)).toEqual(['thread.created', 'thread.run.created', 'thread.run.queued'])
    expect(events[0]?.data).toMatchObject({ object: 'thread', metadata: { a: 'b' } })
    expect(events[1]?.data.thread_id).toBe(events[0]?.data.id)
    expect(namesOf(events).slice(-2)).toEqual(['thread.run.completed', 'done'])
  })

  it('AST-099 AST-104 tells function calls piece by piece, and goes on from their outputs', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([[call], ['Sunny']]).runtimes })
    const { thread, events } = await streamRun(platform, { tools: [weather] })
    expect(namesOf(events)).toEqual([
      'thread.run.created',
      'thread.run.queued',
      'thread.run.in_progress',
      'thread.run.step.created',
      'thread.run.step.in_progress',
      'thread.run.step.delta',
      'thread.run.requires_action',
      'done',
    ])
    const run = events.at(-2)?.data
    const [asked] = run.required_action.submit_tool_outputs.tool_calls
    const stepId = events.find(({ event }) => event === 'thread.run.step.created')?.data.id
    const piece = (fields: object) => ({
      id: stepId,
      object: 'thread.run.step.delta',
      delta: { step_details: { type: 'tool_calls', tool_calls: [{ index: 0, type: 'function', ...fields }] } },
    })
    expect(deltasOf(events)).toEqual([
      piece({ id: asked.id, function: { name: 'get_weather', arguments: '', output: null } }),
      piece({ function: { arguments: '{"city":' } }),
      piece({ function: { arguments: '"Paris"}' } }),
    ])
    const path = runsPath(thread.id, run.id, '/submit_tool_outputs')
    const rest = await streamed(platform, path, { tool_outputs: [{ tool_call_id: asked.id, output: 'sun' }] })
    expect(namesOf(rest)).toEqual([
      'thread.run.step.completed',
      'thread.run.queued',
      'thread.run.in_progress',
      ...messageStep,
      'thread.run.completed',
      'done',
    ])
    expect(rest[0]?.data).toMatchObject({ id: stepId, step_details: { tool_calls: [{ function: { output: 'sun' } }] } })
  })

  it('AST-101 tells how a run failed, was cut off, or was cancelled', async () => {
    const hold = Promise.withResolvers<void>()
    const model = new ScriptedChatModel([
      ['Half', { fail: new ModelProblem('It broke.', { kind: 'failed' }) }],
      { pieces: ['Half'], finish: 'length' },
      ['Half', { wait: hold.promise }],
    ])
    const platform = await start({ runtimes: model.runtimes })
    const failed = await streamRun(platform)
    const tail = (events: StreamedEvent[]) => namesOf(events).slice(-4)
    const messageEnd = 'thread.message.incomplete'
    expect(tail(failed.events)).toEqual([messageEnd, 'thread.run.step.failed', 'thread.run.failed', 'done'])
    const cut = await streamRun(platform)
    expect(tail(cut.events)).toEqual([messageEnd, 'thread.run.step.completed', 'thread.run.incomplete', 'done'])
    const { id: assistant_id } = await newAssistant(platform)
    const thread = await newThread(platform, 'Hi')
    const stream = streamed(platform, runsPath(thread.id), { assistant_id })
    await waitUntil(async () => (await messagesOf(platform, thread.id)).length === 2)
    const { data } = await ask<{ data: { id: string }[] }>(platform, 'GET', runsPath(thread.id))
    await ask(platform, 'POST', runsPath(thread.id, data[0]?.id, '/cancel'))
    expect(namesOf(await stream).slice(-5)).toEqual([
      'thread.run.cancelling',
      messageEnd,
      'thread.run.step.cancelled',
      'thread.run.cancelled',
      'done',
    ])
  })

  it('tells a refusal of the model as its own kind of content', async () => {
    const platform = await start({
      runtimes: new ScriptedChatModel([[{ refusal: 'I ' }, { refusal: 'will not.' }]]).runtimes,
    })
    const { thread, events } = await streamRun(platform)
    expect(deltasOf(events)).toMatchObject([
      { delta: { content: [{ index: 0, type: 'refusal', refusal: 'I ' }] } },
      { delta: { content: [{ index: 0, type: 'refusal', refusal: 'will not.' }] } },
    ])
    const [, message] = await messagesOf(platform, thread.id)
    expect(message?.content).toEqual([{ type: 'refusal', refusal: 'I will not.' }])
  })

  it('goes on when its reader leaves', async () => {
    const hold = Promise.withResolvers<void>()
    const platform = await start({
      runtimes: new ScriptedChatModel([['One ', { wait: hold.promise }, 'two']]).runtimes,
    })
    const { id: assistant_id } = await newAssistant(platform)
    const thread = await newThread(platform, 'Hi')
    const left = new AbortController()
    const response = await fetch(`${platform.url}${runsPath(thread.id)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.apiKey}`, 'content-type': 'application/json', ...assistantsV2 },
      body: JSON.stringify({ assistant_id, stream: true }),
      signal: left.signal,
    })
    await response.body?.getReader().read()
    await waitUntil(async () => (await messagesOf(platform, thread.id)).length === 2)
    left.abort()
    hold.resolve()
    const { data } = await ask<{ data: { id: string; thread_id: string }[] }>(platform, 'GET', runsPath(thread.id))
    const run = await settled(platform, data[0] as never)
    expect(run.status).toBe('completed')
    const [, message] = await messagesOf(platform, thread.id)
    expect(message?.content).toMatchObject([{ text: { value: 'One two' } }])
  })

  it('tells several readers the same', async () => {
    const hold = Promise.withResolvers<void>()
    const platform = await start({
      runtimes: new ScriptedChatModel([[{ wait: hold.promise }, 'a', 'b', 'c']]).runtimes,
    })
    const { hub } = platform.platform.runs
    const { id: assistant_id } = await newAssistant(platform)
    const thread = await newThread(platform, 'Hi')
    const run = await ask<{ id: string }>(platform, 'POST', runsPath(thread.id), { assistant_id })
    const readers = [hub.read(run.id, {}), hub.read(run.id, {}), hub.read(run.id, {})]
    for (const reader of readers) reader.open([])
    hold.resolve()
    const told = await Promise.all(
      readers.map(async (reader) => {
        const events: RunEvent[] = []
        for await (const event of reader.events()) events.push(event)
        return events
      }),
    )
    expect(told[0]?.filter(({ event }) => event === 'thread.message.delta')).toHaveLength(3)
    expect(told[1]).toEqual(told[0])
    expect(told[2]).toEqual(told[0])
  })

  it('refuses before it streams', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['ok']]).runtimes })
    const { thread } = await streamRun(platform)
    const body = { assistant_id: 'asst_x', stream: true }
    expect(await refusal(platform, 'POST', runsPath(thread.id), body)).toMatchObject({ status: 404 })
    const { data } = await ask<{ data: { id: string }[] }>(platform, 'GET', runsPath(thread.id))
    const path = runsPath(thread.id, data[0]?.id, '/submit_tool_outputs')
    expect(await refusal(platform, 'POST', path, { tool_outputs: [], stream: true })).toMatchObject({ status: 400 })
  })

  it('ends its streams with an error when the server shuts down', async () => {
    const never = new Promise(() => undefined)
    const platform = await start({ runtimes: new ScriptedChatModel([['One', { wait: never }]]).runtimes })
    const { id: assistant_id } = await newAssistant(platform)
    const thread = await newThread(platform, 'Hi')
    const answer = platform.post(runsPath(thread.id), { assistant_id, stream: true }, assistantsV2)
    await waitUntil(async () => (await messagesOf(platform, thread.id)).length === 2)
    platform.platform.runs.hub.close()
    const events = readEvents(await (await answer).text())
    expect(namesOf(events).slice(-2)).toEqual(['error', 'done'])
    expect(events.at(-2)?.data).toMatchObject({
      type: 'server_error',
      message: expect.stringContaining('shutting down'),
    })
  })
})
