import { expect, it } from 'vitest'
import { ask } from '../../testing/assistant-requests.ts'
import { describePlatformOnSqlite } from '../../testing/describe-platform.ts'
import { getRun, newAssistant, newRun, newThread, settled, weather } from '../../testing/run-requests.ts'
import { type Piece, ScriptedChatModel } from '../../testing/scripted-chat-model.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import type { RunObject } from '../threads/runs/schema.ts'
import { searchContent } from '../threads/runs/steps/schema.ts'
import { WordEmbeddings } from '../vector-stores/testing/word-embeddings.ts'
import type { MessageV1 } from './message-schema.ts'
import type { RunStepV1, RunV1 } from './run-schema.ts'
import { askV1, listV1, newAssistantV1, newThreadV1, refusalV1, settledV1 } from './testing/v1-requests.ts'

const call: Piece = { call: 'get_weather', arguments: ['{"city":', '"Paris"}'] }
const hold: Piece = { wait: new Promise(() => undefined) }

describePlatformOnSqlite('runs, first form', (start) => {
  const begin = async (model: ScriptedChatModel) => {
    const platform = await start({ runtimes: { ...model.runtimes, ...new WordEmbeddings().runtimes } })
    const runs = (threadId: string, rest = '') => `/v1/threads/${threadId}/runs${rest}`
    return { platform, runs }
  }

  it('AST-060 AST-066 AST-069 AST-077 creates a run and shows it in the old form', async () => {
    const { platform, runs } = await begin(new ScriptedChatModel([['Hi']]))
    const { id: file } = await platform.addFile('a.txt', 'This is a.')
    const { id: assistant_id } = await newAssistantV1(platform, { tools: [{ type: 'retrieval' }], file_ids: [file] })
    const { id: thread_id } = await newThreadV1(platform)
    const run = await askV1<RunV1>(platform, 'POST', runs(thread_id), { assistant_id })
    expect(run).toMatchObject({
      object: 'thread.run',
      ...{ assistant_id, thread_id, status: 'queued', model: 'gpt-4-turbo', instructions: '', metadata: {} },
      ...{ tools: [{ type: 'retrieval' }], file_ids: [file], tool_choice: 'auto', response_format: 'auto' },
      ...{ required_action: null, last_error: null, incomplete_details: null, usage: null },
      ...{ started_at: null, cancelled_at: null, failed_at: null, completed_at: null },
      truncation_strategy: { type: 'auto', last_messages: null },
    })
    expect(run).not.toHaveProperty('tool_resources')
    expect(run).not.toHaveProperty('parallel_tool_calls')
    const ended = await settledV1(platform, run)
    expect(ended).toMatchObject({ status: 'completed', usage: { total_tokens: 15 }, expires_at: null })
    expect(await askV1(platform, 'GET', runs(thread_id, `/${run.id}`))).toEqual(ended)
  })

  it('AST-022 AST-061 AST-062 AST-063 AST-064 AST-065 takes the settings of a run, and shows them', async () => {
    const model = new ScriptedChatModel([['{}']])
    const { platform, runs } = await begin(model)
    const { id: assistant_id } = await newAssistantV1(platform, { instructions: 'Be brief' })
    const { id } = await newThreadV1(platform)
    const settings = {
      ...{ model: 'gpt-4', instructions: 'Be long', temperature: 0.3, top_p: 0.4, metadata: { a: 'b' } },
      ...{ max_prompt_tokens: 300, max_completion_tokens: 400, response_format: { type: 'json_object' } },
      tools: [{ type: 'code_interpreter' }, { type: 'retrieval' }, weather],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      truncation_strategy: { type: 'last_messages', last_messages: 3 },
    }
    const more = { additional_instructions: 'Now.', additional_messages: [{ role: 'user', content: 'More' }] }
    const run = await askV1<RunV1>(platform, 'POST', runs(id), { assistant_id, ...settings, ...more })
    expect(run).toMatchObject({ ...settings, instructions: 'Be long\nNow.' })
    const sent = await listV1<MessageV1>(platform, `/v1/threads/${id}/messages?order=asc&limit=2`)
    expect(sent.data[1]).toMatchObject({ role: 'user', content: [{ text: { value: 'More' } }] })
    await settledV1(platform, run)
    expect(model.requests[0]).toMatchObject({
      messages: [{ role: 'system', content: expect.stringContaining('Be long\nNow.') }, {}, {}],
      responseFormat: { type: 'json_object' },
    })
    const tools = [{ type: 'retrieval' }, { type: 'code_interpreter' }]
    for (const tool_choice of ['none', 'auto', { type: 'retrieval' }, { type: 'code_interpreter' }]) {
      const { id: thread } = await newThreadV1(platform)
      const chosen = await askV1<RunV1>(platform, 'POST', runs(thread), { assistant_id, tools, tool_choice })
      expect(chosen.tool_choice).toEqual(tool_choice)
    }
    const schema = { type: 'json_schema', json_schema: { name: 'x', schema: {} } }
    const bad: [object, string][] = [
      [{ assistant_id: undefined }, 'assistant_id'],
      [{ tool_choice: 'required' }, 'tool_choice'],
      [{ tool_choice: { type: 'file_search' } }, 'tool_choice'],
      [{ response_format: schema }, 'response_format'],
      [{ parallel_tool_calls: true }, 'parallel_tool_calls'],
      [{ max_prompt_tokens: 255 }, 'max_prompt_tokens'],
      [{ tools: Array(21).fill({ type: 'retrieval' }) }, 'tools'],
    ]
    for (const [fields, param] of bad) {
      const refused = await refusalV1(platform, 'POST', runs(id), { assistant_id, ...fields })
      expect([refused.status, refused.param]).toEqual([400, expect.stringContaining(param)])
    }
  })

  it('AST-067 creates a thread with files and runs it in one request', async () => {
    const { platform, runs } = await begin(new ScriptedChatModel([['Hello yourself']]))
    const { id: assistant_id } = await newAssistantV1(platform, { tools: [{ type: 'retrieval' }] })
    const { id: file } = await platform.addFile('a.txt', 'This is a.')
    const thread = { messages: [{ role: 'user', content: 'Hello', file_ids: [file] }], metadata: { a: 'b' } }
    const settings = { instructions: 'Be long', temperature: 0.3, model: 'gpt-4' }
    const run = await askV1<RunV1>(platform, 'POST', '/v1/threads/runs', { assistant_id, thread, ...settings })
    expect(run).toMatchObject({ ...settings, status: 'queued', file_ids: [] })
    expect((await settledV1(platform, run)).status).toBe('completed')
    const messages = await listV1<MessageV1>(platform, `/v1/threads/${run.thread_id}/messages?order=asc`)
    expect(messages.data).toMatchObject([{ file_ids: [file] }, { run_id: run.id, assistant_id, file_ids: [] }])
    expect(await askV1(platform, 'GET', `/v1/threads/${run.thread_id}`)).toMatchObject({ metadata: { a: 'b' } })
    const steps = await listV1<RunStepV1>(platform, runs(run.thread_id, `/${run.id}/steps?order=asc`))
    expect(steps.data[0]?.step_details).toEqual({
      type: 'tool_calls',
      tool_calls: [{ id: expect.stringMatching(/^call_/), type: 'retrieval', retrieval: {} }],
    })
    const refused = { assistant_id, thread: { tool_resources: {} } }
    expect(await refusalV1(platform, 'POST', '/v1/threads/runs', refused)).toMatchObject({
      status: 400,
      param: 'thread.tool_resources',
    })
  })

  it('AST-068 AST-070 lists runs and modifies their metadata', async () => {
    const { platform, runs } = await begin(new ScriptedChatModel([['Hi']]))
    const { id: assistant_id } = await newAssistantV1(platform)
    const { id } = await newThreadV1(platform)
    const made: RunV1[] = []
    for (let n = 0; n < 3; n++) {
      made.push(await settledV1(platform, await askV1<RunV1>(platform, 'POST', runs(id), { assistant_id })))
    }
    const list = await listV1<RunV1>(platform, runs(id, `?limit=1&after=${made[2]?.id}`))
    expect(list).toEqual({
      object: 'list',
      data: [made[1]],
      first_id: made[1]?.id,
      last_id: made[1]?.id,
      has_more: true,
    })
    const path = runs(id, `/${made[0]?.id}`)
    expect(await askV1(platform, 'POST', path, { metadata: { a: 'b' } })).toEqual({ ...made[0], metadata: { a: 'b' } })
    expect(await askV1(platform, 'GET', path)).toMatchObject({ metadata: { a: 'b' } })
  })

  it('AST-080 AST-088 AST-089 AST-090 AST-091 takes outputs of functions; steps can be listed and looked at', async () => {
    const { platform, runs } = await begin(new ScriptedChatModel([[call], ['Sunny']]))
    const { id: assistant_id } = await newAssistantV1(platform, { tools: [weather] })
    const { id } = await newThreadV1(platform, 'Weather in Paris?')
    const created = await askV1<RunV1>(platform, 'POST', runs(id), { assistant_id })
    const run = await settledV1(platform, created)
    expect(run).toMatchObject({ status: 'requires_action', required_action: { type: 'submit_tool_outputs' } })
    const path = runs(id, `/${run.id}`)
    const [asked] = run.required_action?.submit_tool_outputs.tool_calls ?? []
    const wrong = { tool_outputs: [{ tool_call_id: 'call_x', output: 'sun' }] }
    expect(await refusalV1(platform, 'POST', `${path}/submit_tool_outputs`, wrong)).toMatchObject({ status: 400 })
    const tool_outputs = [{ tool_call_id: asked?.id, output: 'sun' }]
    const queued = await askV1<RunV1>(platform, 'POST', `${path}/submit_tool_outputs`, { tool_outputs })
    expect(queued).toMatchObject({ id: run.id, status: 'queued' })
    expect((await settledV1(platform, queued)).status).toBe('completed')
    const { data } = await listV1<RunStepV1>(platform, `${path}/steps?order=asc`)
    expect(data.map(({ type, status }) => [type, status])).toEqual([
      ['tool_calls', 'completed'],
      ['message_creation', 'completed'],
    ])
    const [first, second] = data
    expect(first?.step_details).toEqual({
      type: 'tool_calls',
      tool_calls: [
        {
          id: asked?.id,
          type: 'function',
          function: { name: 'get_weather', arguments: '{"city":"Paris"}', output: 'sun' },
        },
      ],
    })
    expect(await askV1(platform, 'GET', `${path}/steps/${first?.id}`)).toEqual(first)
    expect((await listV1(platform, `${path}/steps?order=asc&after=${first?.id}`)).data).toEqual([second])
    expect((await listV1(platform, `${path}/steps?order=asc&before=${second?.id}`)).data).toEqual([first])
    const include = `include[]=${encodeURIComponent(searchContent)}`
    expect(await refusalV1(platform, 'GET', `${path}/steps?${include}`)).toMatchObject({ status: 400 })
  })

  it('AST-053 AST-088 code reads a file of the assistant; what it writes comes with the message', async () => {
    const code =
      "data = open('/mnt/data/data.txt').read()\nopen('/mnt/data/upper.txt', 'w').write(data.upper())\nprint(data)"
    const python: Piece = { call: 'code_interpreter', arguments: [JSON.stringify({ code })] }
    const { platform, runs } = await begin(new ScriptedChatModel([[python], ['See sandbox:/mnt/data/upper.txt']]))
    const { id: file } = await platform.addFile('data.txt', 'hello')
    const tools = [{ type: 'code_interpreter' }]
    const { id: assistant_id } = await newAssistantV1(platform, { tools, file_ids: [file] })
    const { id } = await newThreadV1(platform, 'Write it large')
    const created = await askV1<RunV1>(platform, 'POST', runs(id), { assistant_id })
    const run = await settledV1(platform, created, 100_000) // Python takes a while to start
    expect(run).toMatchObject({ status: 'completed', last_error: null, file_ids: [file] })
    const [message] = (await listV1<MessageV1>(platform, `/v1/threads/${id}/messages`)).data
    const [written = ''] = message?.file_ids ?? []
    expect(message?.content).toMatchObject([
      { text: { annotations: [{ type: 'file_path', file_path: { file_id: written } }] } },
    ])
    expect(await (await platform.get(`/v1/files/${written}/content`)).text()).toBe('HELLO')
    const files = `/v1/threads/${id}/messages/${message?.id}/files`
    expect((await listV1(platform, files)).data).toMatchObject([{ id: written, message_id: message?.id }])
    const { data } = await listV1<RunStepV1>(platform, runs(id, `/${run.id}/steps?order=asc`))
    const outputs = [{ type: 'logs', logs: 'hello\n' }]
    expect(data[0]?.step_details).toMatchObject({ tool_calls: [{ code_interpreter: { input: code, outputs } }] })
  }, 120_000)

  it('AST-084 cancels a run that is in progress', async () => {
    const { platform, runs } = await begin(new ScriptedChatModel([['Half', hold]]))
    const { id: assistant_id } = await newAssistantV1(platform)
    const { id } = await newThreadV1(platform)
    const run = await askV1<RunV1>(platform, 'POST', runs(id), { assistant_id })
    const path = runs(id, `/${run.id}`)
    await waitUntil(async () => (await askV1<RunV1>(platform, 'GET', path)).status === 'in_progress')
    const busy = await refusalV1(platform, 'POST', `/v1/threads/${id}/messages`, { role: 'user', content: 'x' })
    expect(busy).toMatchObject({ status: 400, message: `Can't add messages to ${id} while a run ${run.id} is active.` })
    expect(await askV1(platform, 'POST', `${path}/cancel`)).toMatchObject({ id: run.id, status: 'cancelling' })
    expect(await settledV1(platform, run)).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(Number) })
    expect(await refusalV1(platform, 'POST', `${path}/cancel`)).toMatchObject({
      status: 400,
      message: "Cannot cancel run with status 'cancelled'.",
    })
  })

  it('AST-086 a run whose tokens are used up is completed, and tells why it is short', async () => {
    const short = { pieces: ['Once upon'], finish: 'length' as const, completionTokens: 256 }
    const { platform, runs } = await begin(new ScriptedChatModel([short]))
    const { id: assistant_id } = await newAssistantV1(platform)
    const { id } = await newThreadV1(platform, 'Tell a tale')
    const run = await askV1<RunV1>(platform, 'POST', runs(id), { assistant_id, max_completion_tokens: 256 })
    const ended = await settledV1(platform, run)
    expect(ended).toMatchObject({
      status: 'completed',
      completed_at: expect.any(Number),
      incomplete_details: { reason: 'max_completion_tokens' },
    })
    const [message] = (await listV1<MessageV1>(platform, `/v1/threads/${id}/messages`)).data
    expect(message).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_tokens' } })
    expect((await ask<RunObject>(platform, 'GET', runs(id, `/${run.id}`))).status).toBe('incomplete')
  })

  it('AST-077 a run of the second form makes sense in the first, and the other way round', async () => {
    const { platform, runs } = await begin(new ScriptedChatModel([[call], ['Sunny']]))
    const tools = [{ type: 'file_search' as const }, weather]
    const { id: assistant_id } = await newAssistant(platform, { tools })
    const { id } = await newThread(platform, 'Weather?')
    const made = await newRun(platform, id, { assistant_id, tool_choice: 'required' })
    expect(await askV1(platform, 'GET', runs(id, `/${made.id}`))).toMatchObject({
      tools: [{ type: 'retrieval' }, { type: 'function', function: { name: 'get_weather' } }],
      tool_choice: 'auto',
      file_ids: [],
    })
    const waiting = await settled(platform, made)
    const calls = waiting.required_action?.submit_tool_outputs.tool_calls ?? []
    const tool_outputs = calls.map((one) => ({ tool_call_id: one.id, output: 'sun' }))
    await askV1(platform, 'POST', runs(id, `/${made.id}/submit_tool_outputs`), { tool_outputs })
    expect((await settled(platform, made)).status).toBe('completed')
    const choice = { type: 'retrieval' }
    const old = await askV1<RunV1>(platform, 'POST', runs(id), { assistant_id, tool_choice: choice })
    expect(old.tool_choice).toEqual(choice)
    expect(await getRun(platform, { thread_id: id, id: old.id } as RunObject)).toMatchObject({
      tool_choice: { type: 'file_search' },
      parallel_tool_calls: true,
    })
  })
})
