import { expect, it } from 'vitest'
import { ask } from '../../../../testing/assistant-requests.ts'
import { describeNodes } from '../../../../testing/describe-platform.ts'
import {
  getRun,
  messagesOf,
  namesOf,
  newAssistant,
  newRun,
  newThread,
  runsPath,
  type StreamedEvent,
  settled,
  streamed,
  textOf,
  weather,
} from '../../../../testing/run-requests.ts'
import { ScriptedChatModel } from '../../../../testing/scripted-chat-model.ts'
import { waitUntil } from '../../../../testing/wait-until.ts'
import type { RunObject } from '../schema.ts'

const script = () =>
  new ScriptedChatModel([
    ['Let me ', 'see.', { call: 'get_weather', arguments: ['{"city":', '"Paris"}'] }],
    ['Sunny', ' there'],
  ])

const textsOf = (events: readonly StreamedEvent[]): string =>
  events
    .filter(({ event }) => event === 'thread.message.delta')
    .map(({ data }) => data.delta.content[0].text.value)
    .join('')

describeNodes('runs that another node works on', (start) => {
  it('AST-101 AST-102 are told to readers in the same order, from the database', async () => {
    const reading = await start({ withoutJobs: true, runtimes: script().runtimes })
    await start({ after: reading, runtimes: script().runtimes })
    const { id: assistant_id } = await newAssistant(reading, { tools: [weather] })
    const thread = await newThread(reading, 'Hi')
    const events = await streamed(reading, runsPath(thread.id), { assistant_id })
    expect(namesOf(events)).toEqual([
      ...['thread.run.created', 'thread.run.queued', 'thread.run.in_progress'],
      ...['thread.run.step.created', 'thread.run.step.in_progress'],
      ...['thread.message.created', 'thread.message.in_progress', 'thread.message.delta', 'thread.message.completed'],
      'thread.run.step.completed',
      ...['thread.run.step.created', 'thread.run.step.in_progress', 'thread.run.step.delta'],
      ...['thread.run.requires_action', 'done'],
    ])
    expect(textsOf(events)).toBe('Let me see.')
    const run = events.at(-2)?.data as RunObject
    const [asked] = run.required_action?.submit_tool_outputs.tool_calls ?? []
    const outputs = { tool_outputs: [{ tool_call_id: asked?.id, output: 'sun' }] }
    const rest = await streamed(reading, runsPath(thread.id, run.id, '/submit_tool_outputs'), outputs)
    expect(namesOf(rest)).toEqual([
      ...['thread.run.step.completed', 'thread.run.queued', 'thread.run.in_progress'],
      ...['thread.run.step.created', 'thread.run.step.in_progress'],
      ...['thread.message.created', 'thread.message.in_progress', 'thread.message.delta', 'thread.message.completed'],
      ...['thread.run.step.completed', 'thread.run.completed', 'done'],
    ])
    expect(textsOf(rest)).toBe('Sunny there')
    expect(rest.at(-2)?.data).toEqual(await getRun(reading, run))
    expect((await messagesOf(reading, thread.id)).map(textOf)).toEqual(['Hi', 'Let me see.', 'Sunny there'])
  })

  it('are cancelled from any node', async () => {
    const hold = new ScriptedChatModel([['Half', { wait: new Promise(() => undefined) }]])
    const reading = await start({ withoutJobs: true, runtimes: hold.runtimes })
    await start({ after: reading, runtimes: hold.runtimes })
    const { id: assistant_id } = await newAssistant(reading)
    const thread = await newThread(reading, 'Hi')
    const run = await newRun(reading, thread.id, { assistant_id })
    await waitUntil(async () => (await messagesOf(reading, thread.id)).length === 2)
    await ask(reading, 'POST', runsPath(thread.id, run.id, '/cancel'))
    expect(await settled(reading, run)).toMatchObject({ status: 'cancelled' })
    expect((await messagesOf(reading, thread.id)).map(textOf)).toEqual(['Hi', 'Half'])
  })
})
