import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ask } from '../../../testing/assistant-requests.ts'
import { describePlatformOnSqliteOrBoth } from '../../../testing/describe-platform.ts'
import {
  getRun,
  messagesOf,
  newAssistant,
  newRun,
  newThread,
  runsPath,
  settled,
  stepsOf,
  textOf,
  weather,
} from '../../../testing/run-requests.ts'
import { ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'
import { waitUntil } from '../../../testing/wait-until.ts'
import type { RunObject } from './schema.ts'

const forever = { wait: new Promise(() => undefined) }

describePlatformOnSqliteOrBoth('runs over a restart', (start) => {
  it('go on in the message they had begun', async () => {
    const first = await start({ runtimes: new ScriptedChatModel([['Half an ', forever]]).runtimes })
    const { id: assistant_id } = await newAssistant(first)
    const thread = await newThread(first, 'Hi')
    const run = await newRun(first, thread.id, { assistant_id })
    await waitUntil(async () => (await messagesOf(first, thread.id)).length === 2)
    const [, begun] = await messagesOf(first, thread.id)
    await first.close()
    const second = await start({ after: first, runtimes: new ScriptedChatModel([['A whole ', 'answer']]).runtimes })
    expect(await settled(second, run)).toMatchObject({ status: 'completed' })
    const [, message] = await messagesOf(second, thread.id)
    expect(message).toMatchObject({ id: begun?.id, status: 'completed' })
    expect(message && textOf(message)).toBe('A whole answer')
    expect(await stepsOf(second, run)).toHaveLength(1)
  })

  it('are written by one attempt only: one that has lost its hold on the run writes nothing', async () => {
    const gate = Promise.withResolvers<void>()
    const model = new ScriptedChatModel([[{ wait: gate.promise }, 'Late']])
    const platform = await start({ runtimes: model.runtimes })
    const { id: assistant_id } = await newAssistant(platform)
    const thread = await newThread(platform, 'Hi')
    const run = await newRun(platform, thread.id, { assistant_id })
    await waitUntil(() => model.requests.length > 0)
    await waitUntil(async () => (await getRun(platform, run)).status === 'in_progress')
    // As another node does that thinks this one dead.
    const taken = { lease_token: 'taken', due_at: Date.now() + 60_000 }
    await platform.kernel.db.queries.updateTable('jobs').set(taken).where('kind', '=', 'run').execute()
    gate.resolve()
    await setTimeout(500)
    expect((await messagesOf(platform, thread.id)).map(textOf)).toEqual(['Hi'])
    expect(await getRun(platform, run)).toMatchObject({ status: 'in_progress' })
  })

  it('leave a message behind when the model calls a function this time, and close calls that were cut off', async () => {
    const first = await start({ runtimes: new ScriptedChatModel([['Hm', forever]]).runtimes })
    const { id: assistant_id } = await newAssistant(first, { tools: [weather] })
    const thread = await newThread(first, 'Hi')
    const run = await newRun(first, thread.id, { assistant_id })
    await waitUntil(async () => (await stepsOf(first, run)).length === 1)
    await first.close()
    const half = new ScriptedChatModel([[{ call: 'get_weather', arguments: ['{'] }, forever]])
    const second = await start({ after: first, runtimes: half.runtimes })
    await waitUntil(async () => (await stepsOf(second, run)).length === 2)
    await second.close()
    const third = await start({ after: second, runtimes: new ScriptedChatModel([['Done']]).runtimes })
    expect(await settled(third, run)).toMatchObject({ status: 'completed' })
    const steps = await stepsOf(third, run)
    expect(steps.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'message_creation failed',
      'tool_calls failed',
      'message_creation completed',
    ])
    expect((await messagesOf(third, thread.id)).map(textOf)).toEqual(['Hi', '', 'Done'])
  })

  it('still wait for outputs, and go on with those that were accepted before it', async () => {
    const script = () => new ScriptedChatModel([[{ call: 'get_weather', arguments: ['{}'] }], ['One', forever]])
    const first = await start({ runtimes: script().runtimes })
    const { id: assistant_id } = await newAssistant(first, { tools: [weather] })
    const thread = await newThread(first, 'Hi')
    const waiting = await settled(first, await newRun(first, thread.id, { assistant_id }))
    await first.close()
    const second = await start({ after: first, runtimes: new ScriptedChatModel([['One', forever]]).runtimes })
    expect(await getRun(second, waiting)).toEqual(waiting)
    const [call] = waiting.required_action?.submit_tool_outputs.tool_calls ?? []
    const body = { tool_outputs: [{ tool_call_id: call?.id, output: 'rain' }] }
    await ask<RunObject>(second, 'POST', runsPath(thread.id, waiting.id, '/submit_tool_outputs'), body)
    await waitUntil(async () => (await messagesOf(second, thread.id)).length === 2)
    await second.close()
    const model = new ScriptedChatModel([['Wet']])
    const third = await start({ after: second, runtimes: model.runtimes })
    expect(await settled(third, waiting)).toMatchObject({ status: 'completed' })
    expect(model.requests[0]?.messages.at(-1)).toEqual({ role: 'tool', tool_call_id: call?.id, content: 'rain' })
    expect((await messagesOf(third, thread.id)).map(textOf)).toEqual(['Hi', 'Wet'])
  })
})
