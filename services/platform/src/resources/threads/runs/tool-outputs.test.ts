import { expect, it } from 'vitest'
import { ask, refusal } from '../../../testing/assistant-requests.ts'
import { describePlatformOnSqliteOrBoth } from '../../../testing/describe-platform.ts'
import {
  getRun,
  messagesOf,
  newAssistant,
  newRun,
  newThread,
  runOnce,
  runsPath,
  settled,
  stepsOf,
  textOf,
  weather,
} from '../../../testing/run-requests.ts'
import { type Piece, ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'
import type { RunObject } from './schema.ts'

const call = (city: string): Piece => ({ call: 'get_weather', arguments: ['{"city":', `"${city}"}`] })

const idsOf = (run: RunObject): string[] =>
  run.required_action?.submit_tool_outputs.tool_calls.map(({ id }) => id) ?? []

const submit = (run: RunObject, outputs: Record<string, string>) => ({
  path: runsPath(run.thread_id, run.id, '/submit_tool_outputs'),
  body: { tool_outputs: Object.entries(outputs).map(([tool_call_id, output]) => ({ tool_call_id, output })) },
})

describePlatformOnSqliteOrBoth('outputs of functions', (start) => {
  it('AST-087 AST-079 AST-080 AST-083 AST-096 waits for the outputs, and goes on with them', async () => {
    const model = new ScriptedChatModel([[call('Paris'), call('Rome')], ['Sunny in both']])
    const platform = await start({ runtimes: model.runtimes })
    const waiting = await runOnce(platform, { assistant: { tools: [weather] }, messages: ['Weather?'] })
    expect(waiting).toMatchObject({ status: 'requires_action', usage: null, completed_at: null })
    const [paris = '', rome = ''] = idsOf(waiting)
    expect(waiting.required_action).toEqual({
      type: 'submit_tool_outputs',
      submit_tool_outputs: {
        tool_calls: [
          { id: paris, type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
          { id: rome, type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
        ],
      },
    })
    const [open] = await stepsOf(platform, waiting)
    expect(open).toMatchObject({
      type: 'tool_calls',
      status: 'in_progress',
      step_details: { tool_calls: [{ id: paris, function: { output: null } }, { id: rome }] },
    })
    // The order is the caller's; a thread that waits takes no messages.
    const { path, body } = submit(waiting, { [rome]: '20 degrees', [paris]: '15 degrees' })
    const queued = await ask<RunObject>(platform, 'POST', path, body)
    expect(queued).toMatchObject({ id: waiting.id, status: 'queued', required_action: null })
    const run = await settled(platform, queued)
    expect(run).toMatchObject({
      status: 'completed',
      usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
    })
    expect((await messagesOf(platform, run.thread_id)).map(textOf)).toEqual(['Weather?', 'Sunny in both'])
    const [calls, message] = await stepsOf(platform, run)
    expect(calls).toMatchObject({
      status: 'completed',
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      step_details: {
        tool_calls: [
          { id: paris, type: 'function', function: { name: 'get_weather', output: '15 degrees' } },
          { id: rome, type: 'function', function: { name: 'get_weather', output: '20 degrees' } },
        ],
      },
    })
    expect(message).toMatchObject({ type: 'message_creation', status: 'completed' })
    expect(model.requests[1]?.messages).toEqual([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: null, tool_calls: [expect.objectContaining({ id: paris }), expect.anything()] },
      { role: 'tool', tool_call_id: paris, content: '15 degrees' },
      { role: 'tool', tool_call_id: rome, content: '20 degrees' },
    ])
  })

  it('AST-081 AST-082 refuses a part of the outputs, unknown ones, and outputs nobody waits for', async () => {
    const model = new ScriptedChatModel([[call('Paris'), call('Rome')], ['Done']])
    const platform = await start({ runtimes: model.runtimes })
    const run = await runOnce(platform, { assistant: { tools: [weather] } })
    const [paris = '', rome = ''] = idsOf(run)
    const refused = { status: 400, type: 'invalid_request_error', param: null, code: null }
    const attempt = (outputs: Record<string, string>) => {
      const { path, body } = submit(run, outputs)
      return refusal(platform, 'POST', path, body)
    }
    const expected = `Expected tool outputs for call_ids ['${paris}', '${rome}'], got`
    expect(await attempt({ [paris]: '1' })).toEqual({ ...refused, message: `${expected} ['${paris}']` })
    expect(await attempt({})).toEqual({ ...refused, message: `${expected} []` })
    const foreign = await attempt({ [paris]: '1', call_x: '2' })
    expect(foreign).toEqual({ ...refused, message: `${expected} ['${paris}', 'call_x']` })
    expect(await getRun(platform, run)).toEqual(run)
    const { path, body } = submit(run, { [paris]: '1', [rome]: '2' })
    await settled(platform, await ask<RunObject>(platform, 'POST', path, body))
    const again = await refusal(platform, 'POST', path, body)
    expect(again).toEqual({ ...refused, message: 'Runs in status "completed" do not accept tool outputs.' })
  })

  it('AST-082 accepts the outputs once when they are sent twice at the same moment', async () => {
    const model = new ScriptedChatModel([[call('Paris')], ['Done']])
    const platform = await start({ runtimes: model.runtimes })
    const run = await runOnce(platform, { assistant: { tools: [weather] } })
    const { path, body } = submit(run, { [idsOf(run)[0] ?? '']: 'rain' })
    const send = () => platform.post(path, body, { 'openai-beta': 'assistants=v2' })
    const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 400, 400])
    expect(await settled(platform, run)).toMatchObject({ status: 'completed' })
    expect(model.requests).toHaveLength(2)
  })

  it('lets the model speak before it calls, and call again after', async () => {
    const model = new ScriptedChatModel([['Let me see.', call('Oslo')], [call('Bergen')], ['Rain ', 'everywhere']])
    const platform = await start({ runtimes: model.runtimes })
    let run = await runOnce(platform, { assistant: { tools: [weather] } })
    for (const output of ['rain', 'more rain']) {
      const { path, body } = submit(run, { [idsOf(run)[0] ?? '']: output })
      run = await settled(platform, await ask<RunObject>(platform, 'POST', path, body))
    }
    expect(run.status).toBe('completed')
    expect((await stepsOf(platform, run)).map(({ type, status }) => `${type} ${status}`)).toEqual([
      'message_creation completed',
      'tool_calls completed',
      'tool_calls completed',
      'message_creation completed',
    ])
    expect((await messagesOf(platform, run.thread_id)).map(textOf)).toEqual(['Hello', 'Let me see.', 'Rain everywhere'])
    expect(model.requests[2]?.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Let me see.', tool_calls: [{}] },
      { role: 'tool', content: 'rain' },
      { role: 'assistant', content: null, tool_calls: [{}] },
      { role: 'tool', content: 'more rain' },
    ])
  })

  it('holds the model to a tool choice once, then lets it answer', async () => {
    const model = new ScriptedChatModel([[call('Paris')], ['Done']])
    const platform = await start({ runtimes: model.runtimes })
    const run = await runOnce(platform, { assistant: { tools: [weather] }, run: { tool_choice: 'required' } })
    const { path, body } = submit(run, { [idsOf(run)[0] ?? '']: 'rain' })
    await settled(platform, await ask<RunObject>(platform, 'POST', path, body))
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['required', 'auto'])
  })

  it('tells a model that calls what is not there, and stops one that never ends', async () => {
    const model = new ScriptedChatModel([[{ call: 'no_such_tool', arguments: ['{}'] }]])
    const platform = await start({ runtimes: model.runtimes })
    const run = await runOnce(platform, { assistant: { tools: [weather] } })
    expect(run).toMatchObject({
      status: 'failed',
      failed_at: expect.any(Number),
      last_error: { code: 'server_error', message: expect.stringContaining('32 times') },
    })
    expect(model.requests).toHaveLength(32)
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ content: "There is no tool named 'no_such_tool'." })
  })

  it('does not let a run wait on another thread', async () => {
    const model = new ScriptedChatModel([[call('Paris')], ['Done']])
    const platform = await start({ runtimes: model.runtimes })
    const run = await runOnce(platform, { assistant: { tools: [weather] } })
    const { id: assistant_id } = await newAssistant(platform)
    const other = await newThread(platform, 'Hi')
    expect(await settled(platform, await newRun(platform, other.id, { assistant_id }))).toMatchObject({
      status: 'completed',
    })
    const path = runsPath(other.id, run.id, '/submit_tool_outputs')
    const body = submit(run, { [idsOf(run)[0] ?? '']: 'rain' }).body
    expect(await refusal(platform, 'POST', path, body)).toMatchObject({ status: 404 })
  })
})
