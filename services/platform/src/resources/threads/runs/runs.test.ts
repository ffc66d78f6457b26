import { expect, it } from 'vitest'
import type { ListEnvelope } from '../../../conventions/lists.ts'
import { ask, refusal } from '../../../testing/assistant-requests.ts'
import { describePlatform, describePlatformOnSqlite } from '../../../testing/describe-platform.ts'
import {
  getRun,
  messagesOf,
  newAssistant,
  newRun,
  newThread,
  runOnce,
  runsPath,
  settled,
  textOf,
  weather,
} from '../../../testing/run-requests.ts'
import { ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'
import type { MessageObject } from '../messages/schema.ts'
import type { RunObject } from './schema.ts'
import { searchContent } from './steps/schema.ts'

const allSettings = {
  model: 'gpt-4o-mini',
  instructions: 'Be brief.',
  additional_instructions: 'Be kind.',
  tools: [weather],
  metadata: { level: 'second' },
  temperature: 0.3,
  top_p: 0.8,
  max_prompt_tokens: 4000,
  max_completion_tokens: 500,
  truncation_strategy: { type: 'last_messages', last_messages: 3 },
  tool_choice: { type: 'function', function: { name: 'get_weather' } },
  parallel_tool_calls: false,
  response_format: { type: 'json_object' },
}

describePlatform('runs', (start) => {
  it('AST-071 AST-072 AST-073 AST-074 AST-075 AST-076 AST-077 gives a new run every field, from its assistant', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['Hello']]).runtimes })
    const assistant = await newAssistant(platform, { instructions: 'You are a tutor.', tools: [weather] })
    const thread = await newThread(platform, 'Hi')
    const run = await newRun(platform, thread.id, { assistant_id: assistant.id })
    expect(run).toEqual({
      id: expect.stringMatching(/^run_/),
      object: 'thread.run',
      created_at: expect.any(Number),
      assistant_id: assistant.id,
      thread_id: thread.id,
      status: 'queued',
      started_at: null,
      expires_at: run.created_at + 600,
      cancelled_at: null,
      failed_at: null,
      completed_at: null,
      required_action: null,
      last_error: null,
      model: 'gpt-4o',
      instructions: 'You are a tutor.',
      tools: assistant.tools,
      tool_resources: {},
      metadata: {},
      temperature: 1,
      top_p: 1,
      max_completion_tokens: null,
      max_prompt_tokens: null,
      truncation_strategy: { type: 'auto', last_messages: null },
      incomplete_details: null,
      usage: null,
      response_format: 'auto',
      tool_choice: 'auto',
      parallel_tool_calls: true,
    })
  })

  it('AST-078 AST-085 AST-076 completes when the model finishes, with its answer in the thread and its usage', async () => {
    const model = new ScriptedChatModel([{ pieces: ['Hel', 'lo ', 'there'], promptTokens: 12, completionTokens: 4 }])
    const platform = await start({ runtimes: model.runtimes })
    const run = await runOnce(platform)
    expect(run).toMatchObject({
      status: 'completed',
      started_at: expect.any(Number),
      completed_at: expect.any(Number),
      expires_at: null,
      last_error: null,
      usage: { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 },
    })
    const [question, answer] = await messagesOf(platform, run.thread_id)
    expect(question).toMatchObject({ role: 'user', run_id: null })
    expect(answer).toMatchObject({
      role: 'assistant',
      status: 'completed',
      run_id: run.id,
      assistant_id: run.assistant_id,
      content: [{ type: 'text', text: { value: 'Hello there', annotations: [] } }],
    })
  })

  it('adds additional messages to the thread before the run begins', async () => {
    const model = new ScriptedChatModel([['Two']])
    const platform = await start({ runtimes: model.runtimes })
    const additional_messages = [
      { role: 'assistant', content: 'Which number?' },
      { role: 'user', content: [{ type: 'text', text: 'one and one' }], metadata: { from: 'run' } },
    ]
    const run = await runOnce(platform, { run: { additional_messages }, messages: ['Add for me'] })
    expect((await messagesOf(platform, run.thread_id)).map(textOf)).toEqual([
      'Add for me',
      'Which number?',
      'one and one',
      'Two',
    ])
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  it('creates a thread and runs it, with tool resources of its own', async () => {
    const model = new ScriptedChatModel([['Salut']])
    const platform = await start({ runtimes: model.runtimes })
    const { id: assistant_id } = await newAssistant(platform, { tools: [{ type: 'file_search' }] })
    const store = await ask<{ id: string }>(platform, 'POST', '/v1/vector_stores', {})
    const created = await ask<RunObject>(platform, 'POST', '/v1/threads/runs', {
      assistant_id,
      thread: { messages: [{ role: 'user', content: 'Bonjour' }], metadata: { kind: 'made' } },
      tool_resources: { file_search: { vector_store_ids: [store.id] } },
      instructions: 'In French.',
    })
    expect(created).toMatchObject({
      status: 'queued',
      thread_id: expect.stringMatching(/^thread_/),
      tool_resources: { file_search: { vector_store_ids: [store.id] } },
    })
    const run = await settled(platform, created)
    expect(run).toMatchObject({ status: 'completed', last_error: null })
    expect((await messagesOf(platform, run.thread_id)).map(textOf)).toEqual(['Bonjour', 'Salut'])
    const empty = await ask<RunObject>(platform, 'POST', '/v1/threads/runs', { assistant_id })
    expect(await settled(platform, empty)).toMatchObject({ status: 'completed' })
  })

  it('lists, retrieves and modifies runs', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['ok']]).runtimes })
    const { id: assistant_id } = await newAssistant(platform)
    const thread = await newThread(platform, 'Hi')
    const runs: RunObject[] = []
    for (let count = 0; count < 3; count++) {
      runs.push(await settled(platform, await newRun(platform, thread.id, { assistant_id })))
    }
    const ids = runs.map(({ id }) => id)
    const list = (query: string) => ask<ListEnvelope<RunObject>>(platform, 'GET', `${runsPath(thread.id)}${query}`)
    expect((await list('')).data.map(({ id }) => id)).toEqual(ids.toReversed())
    const page = await list(`?order=asc&limit=1&after=${ids[0]}`)
    expect(page).toMatchObject({ object: 'list', first_id: ids[1], last_id: ids[1], has_more: true })
    const [run] = runs as [RunObject]
    const changed = await ask<RunObject>(platform, 'POST', runsPath(thread.id, run.id), { metadata: { a: 'b' } })
    expect(changed).toEqual({ ...run, metadata: { a: 'b' } })
    expect(await getRun(platform, run)).toEqual(changed)
  })

  it('says which thread, run, assistant or model is not there, to other projects too', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['ok']]).runtimes })
    const run = await runOnce(platform)
    const { thread_id, assistant_id } = run
    const other = await platform.addProject('other')
    const missing = { status: 404, type: 'invalid_request_error', code: null, param: null }
    const noThread = { ...missing, message: `No thread found with id '${thread_id}'.` }
    expect(await refusal(other, 'GET', runsPath(thread_id, run.id))).toEqual(noThread)
    expect(await refusal(other, 'GET', runsPath(thread_id))).toEqual(noThread)
    expect(await refusal(other, 'POST', runsPath(thread_id), { assistant_id })).toEqual(noThread)
    const noRun = { ...missing, message: "No run found with id 'run_x'." }
    expect(await refusal(platform, 'GET', runsPath(thread_id, 'run_x'))).toEqual(noRun)
    expect(await refusal(platform, 'POST', runsPath(thread_id, 'run_x', '/cancel'))).toEqual(noRun)
    const noAssistant = { ...missing, message: "No assistant found with id 'asst_x'." }
    expect(await refusal(platform, 'POST', runsPath(thread_id), { assistant_id: 'asst_x' })).toEqual(noAssistant)
    const unknown = { assistant_id, model: 'gpt-unknown' }
    expect(await refusal(platform, 'POST', runsPath(thread_id), unknown)).toMatchObject({ code: 'model_not_found' })
  })

  it('AST-075 reads no more than the last messages, whatever is dropped of them', async () => {
    const model = new ScriptedChatModel([['ok']])
    const platform = await start({ runtimes: model.runtimes })
    const truncation_strategy = { type: 'auto', last_messages: 2 }
    const run = await runOnce(platform, { messages: ['1', '2', '3'], run: { truncation_strategy } })
    expect(run).toMatchObject({ status: 'completed', truncation_strategy })
    expect(model.requests[0]?.messages.map(({ content }) => content)).toEqual(['2', '3'])
  })

  it('has one active run on a thread, however many ask at once', async () => {
    const hold = Promise.withResolvers<void>()
    const model = new ScriptedChatModel([['One', { wait: hold.promise }]])
    const platform = await start({ runtimes: model.runtimes })
    const { id: assistant_id } = await newAssistant(platform)
    const thread = await newThread(platform, 'Hi')
    const send = () =>
      platform.post(runsPath(thread.id), { assistant_id, additional_messages: [{ role: 'user', content: 'Now' }] }, v2)
    const answers = await Promise.all(Array.from({ length: 8 }, send))
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as unknown as RunObject[]
    const won = bodies.filter((_, index) => answers[index]?.status === 200)
    expect(won).toHaveLength(1)
    const message = `Thread ${thread.id} already has an active run ${won[0]?.id}.`
    const error = { message, type: 'invalid_request_error', param: null, code: null }
    const lost = bodies.filter((_, index) => answers[index]?.status === 400)
    expect(lost).toEqual(Array.from({ length: 7 }, () => ({ error })))
    const busy = { role: 'user', content: 'Wait' }
    expect(await refusal(platform, 'POST', `/v1/threads/${thread.id}/messages`, busy)).toMatchObject({
      status: 400,
      message: `Can't add messages to ${thread.id} while a run ${won[0]?.id} is active.`,
    })
    hold.resolve()
    await settled(platform, won[0] as RunObject)
    // Those who lost have left nothing in the thread.
    expect((await messagesOf(platform, thread.id)).map(textOf)).toEqual(['Hi', 'Now', 'One'])
    await ask<MessageObject>(platform, 'POST', `/v1/threads/${thread.id}/messages`, busy)
    await settled(platform, await newRun(platform, thread.id, { assistant_id }))
  })

  it('runs fifty threads at once, all to their end', async () => {
    const model = new ScriptedChatModel(({ messages }) => [`You said ${messages.at(-1)?.content as string}`])
    const platform = await start({ runtimes: model.runtimes })
    const { id: assistant_id } = await newAssistant(platform)
    const one = async (name: string): Promise<string> => {
      const thread = { messages: [{ role: 'user', content: name }] }
      const run = await ask<RunObject>(platform, 'POST', '/v1/threads/runs', { assistant_id, thread })
      await settled(platform, run, 60_000)
      return (await messagesOf(platform, run.thread_id)).map(textOf).join()
    }
    const names = Array.from({ length: 50 }, (_, index) => `thread ${index}`)
    expect(await Promise.all(names.map(one))).toEqual(names.map((name) => `${name},You said ${name}`))
  }, 90_000)

  it('ends with its thread when that is deleted', async () => {
    const model = new ScriptedChatModel([['One', { wait: new Promise(() => undefined) }]])
    const platform = await start({ runtimes: model.runtimes })
    const { id: assistant_id } = await newAssistant(platform)
    const thread = await newThread(platform, 'Hi')
    const run = await newRun(platform, thread.id, { assistant_id })
    await ask(platform, 'DELETE', `/v1/threads/${thread.id}`)
    expect(await refusal(platform, 'GET', runsPath(thread.id, run.id))).toMatchObject({ status: 404 })
    const { queries } = platform.kernel.db
    for (const table of ['runs', 'run_steps', 'messages'] as const) {
      expect(await queries.selectFrom(table).select('id').execute()).toEqual([])
    }
  })
})

describePlatformOnSqlite('what runs may be', (start) => {
  it('AST-074 AST-077 shows what the run was created with, and asks the model so', async () => {
    const model = new ScriptedChatModel([['{}']])
    const platform = await start({ runtimes: model.runtimes })
    const run = await runOnce(platform, {
      assistant: { instructions: 'Be long.', temperature: 1.5 },
      run: allSettings,
      messages: ['one', 'two', 'three', 'four'],
    })
    const { additional_instructions: _, ...shown } = allSettings
    expect(run).toMatchObject({ ...shown, instructions: 'Be brief.\nBe kind.', status: 'completed' })
    expect(model.requests).toMatchObject([
      {
        messages: [
          { role: 'system', content: 'Be brief.\nBe kind.' },
          { role: 'user', content: 'two' },
          { role: 'user', content: 'three' },
          { role: 'user', content: 'four' },
        ],
        tools: [{ name: 'get_weather' }],
        toolChoice: { name: 'get_weather' },
        parallelToolCalls: false,
        responseFormat: { type: 'json_object' },
        maxTokens: 500,
        sampling: { temperature: 0.3, topP: 0.8 },
      },
    ])
  })

  it('refuses what cannot be, and names it', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['ok']]).runtimes })
    const { id: assistant_id } = await newAssistant(platform)
    const { id } = await newThread(platform, 'Hi')
    const refused = async (fields: object, query = ''): Promise<string | null> => {
      const { status, type, param } = await refusal(platform, 'POST', `${runsPath(id)}${query}`, fields)
      expect([status, type]).toEqual([400, 'invalid_request_error'])
      return param
    }
    const param = (fields: object) => refused({ assistant_id, ...fields })
    expect(await refused({})).toBe('assistant_id')
    expect(await refused({ assistant_id }, '?include[]=everything')).toMatch(/^include/)
    expect(await param({ max_prompt_tokens: 255 })).toBe('max_prompt_tokens')
    expect(await param({ max_completion_tokens: 0 })).toBe('max_completion_tokens')
    expect(await param({ tools: Array.from({ length: 21 }, () => weather) })).toBe('tools')
    expect(await param({ tools: [weather, weather] })).toBe('tools')
    expect(await param({ tools: [{ type: 'retrieval' }] })).toMatch(/^tools/)
    expect(await param({ truncation_strategy: { type: 'last_messages' } })).toMatch(/^truncation_strategy/)
    expect(await param({ truncation_strategy: { type: 'last_messages', last_messages: 0 } })).toMatch(/last_messages$/)
    expect(await param({ tool_choice: { type: 'code_interpreter' } })).toBe('tool_choice')
    expect(await param({ tool_choice: { type: 'function', function: { name: 'f' } } })).toBe('tool_choice')
    expect(await param({ tool_choice: 'required' })).toBe('tool_choice')
    expect(await param({ temperature: 2.1 })).toBe('temperature')
    expect(await param({ speed: 'fast' })).toBe('speed')
    expect(await param({ include: ['everything'] })).toMatch(/^include/)
  })

  it('takes include in the body, where openai-python 1.57 puts it', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([['ok']]).runtimes })
    const { id: assistant_id } = await newAssistant(platform)
    for (const [include, stream] of [
      [[searchContent], false],
      [[searchContent], true],
      [[], false],
      [null, true],
    ]) {
      const { id } = await newThread(platform, 'Hi')
      const response = await platform.post(runsPath(id), { assistant_id, include, stream }, v2)
      expect([include, stream, response.status]).toEqual([include, stream, 200])
      await response.text()
    }
  })
})

const v2 = { 'openai-beta': 'assistants=v2' }
