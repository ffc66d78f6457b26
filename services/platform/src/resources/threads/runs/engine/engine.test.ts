import { ModelProblem } from '@atoll/models/problem'
import { expect, it } from 'vitest'
import { ask } from '../../../../testing/assistant-requests.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../../../testing/describe-platform.ts'
import {
  messagesOf,
  namesOf,
  newAssistant,
  newRun,
  runOnce,
  runsPath,
  settled,
  stepsOf,
  streamed,
  textOf,
  weather,
} from '../../../../testing/run-requests.ts'
import { type Piece, ScriptedChatModel } from '../../../../testing/scripted-chat-model.ts'
import { StoreRequests } from '../../../vector-stores/testing/store-requests.ts'
import { WordEmbeddings } from '../../../vector-stores/testing/word-embeddings.ts'
import type { RunObject } from '../schema.ts'
import { type RunStepObject, searchContent } from '../steps/schema.ts'

const search = { type: 'file_search' }
const include = `include[]=${encodeURIComponent(searchContent)}`
const call: Piece = { call: 'get_weather', arguments: ['{}'] }
const searchAgain: Piece = { call: 'file_search', arguments: ['{"query":"harbour"}'] }
const png = Buffer.from('iVBORw0KGgo=', 'base64')

describePlatformOnSqlite('the work of runs', (start) => {
  /** With an assistant whose store has one file. */
  async function withFile(model: ScriptedChatModel): Promise<{ platform: TestPlatform; assistant: object }> {
    const platform = await start({ runtimes: { ...model.runtimes, ...new WordEmbeddings().runtimes } })
    const stores = new StoreRequests(platform)
    const fileId = await stores.addText('harbour.txt', 'The harbour opens at six in the morning.')
    const { id } = await stores.create({ file_ids: [fileId] })
    const tool_resources = { file_search: { vector_store_ids: [id] } }
    return { platform, assistant: { tools: [search, weather], tool_resources } }
  }

  const results = (step: RunStepObject | undefined) => {
    const [found] = step?.step_details.type === 'tool_calls' ? step.step_details.tool_calls : []
    return found?.type === 'file_search' ? found.file_search.results : undefined
  }

  it('AST-090 AST-096 searches first, and shows what it has found to those who ask for it', async () => {
    const model = new ScriptedChatModel([['At six.']])
    const { platform, assistant } = await withFile(model)
    const run = await runOnce(platform, { assistant, messages: ['When does the harbour open?'] })
    const [plain, message] = await stepsOf(platform, run)
    expect(plain).toMatchObject({ type: 'tool_calls', status: 'completed', usage: { total_tokens: 0 } })
    expect(message).toMatchObject({ type: 'message_creation' })
    expect(results(plain)).toEqual([expect.objectContaining({ file_name: 'harbour.txt', score: expect.any(Number) })])
    expect(results(plain)?.[0]).not.toHaveProperty('content')
    const text = 'The harbour opens at six in the morning.'
    const [full] = await stepsOf(platform, run, `&${include}`)
    expect(results(full)?.[0]?.content).toEqual([{ type: 'text', text }])
    const path = runsPath(run.thread_id, run.id, `/steps/${plain?.id}`)
    expect(await ask(platform, 'GET', path)).toEqual(plain)
    expect(await ask(platform, 'GET', `${path}?${include}`)).toEqual(full)
    expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toContain('opens at six')
  })

  it('AST-090 AST-101 streams the search before the answer, with its content where that is asked for', async () => {
    const { platform, assistant } = await withFile(new ScriptedChatModel([['At six.']]))
    const { id: assistant_id } = await newAssistant(platform, assistant)
    const additional_messages = [{ role: 'user', content: 'When does the harbour open?' }]
    const contents: (object[] | undefined)[] = []
    for (const query of ['', `?${include}`]) {
      const thread = await ask<{ id: string }>(platform, 'POST', '/v1/threads', {})
      const events = await streamed(platform, `${runsPath(thread.id)}${query}`, { assistant_id, additional_messages })
      expect(namesOf(events).slice(2, 8)).toEqual([
        ...['thread.run.in_progress', 'thread.run.step.created', 'thread.run.step.in_progress'],
        ...['thread.run.step.delta', 'thread.run.step.completed', 'thread.run.step.created'],
      ])
      const done = events.find(({ event }) => event === 'thread.run.step.completed')?.data as RunStepObject
      contents.push(results(done)?.[0]?.content)
    }
    expect(contents).toEqual([undefined, [{ type: 'text', text: expect.stringContaining('harbour') }]])
  })

  it('AST-087 makes its own calls of an answer, and leaves the functions to the caller', async () => {
    const model = new ScriptedChatModel([[searchAgain, call], ['Both']])
    const { platform, assistant } = await withFile(model)
    const run = await runOnce(platform, { assistant, run: { tool_choice: weatherChoice } })
    expect(run.status).toBe('requires_action')
    const [asked, ...others] = run.required_action?.submit_tool_outputs.tool_calls ?? []
    expect([asked?.function.name, others]).toEqual(['get_weather', []])
    const [step] = await stepsOf(platform, run)
    expect(step).toMatchObject({ status: 'in_progress', step_details: { tool_calls: [search, { type: 'function' }] } })
    expect(results(step)).toHaveLength(1)
    const path = runsPath(run.thread_id, run.id, '/submit_tool_outputs')
    const tool_outputs = [{ tool_call_id: asked?.id, output: 'rain' }]
    const ended = await settled(platform, await ask<RunObject>(platform, 'POST', path, { tool_outputs }))
    expect(ended).toMatchObject({ status: 'completed' })
    expect(await stepsOf(platform, run)).toMatchObject([{ status: 'completed' }, { type: 'message_creation' }])
    const [, , found, output] = model.requests[1]?.messages ?? []
    expect(found).toMatchObject({ role: 'tool', content: expect.stringContaining('six in the morning') })
    expect(output).toEqual({ role: 'tool', tool_call_id: asked?.id, content: 'rain' })
  })

  it.each([
    ['none', 'none', 'none', 0],
    ['auto', 'auto', 'auto', 1],
    ['required', 'required', 'required', 1],
    ['file_search', { type: 'file_search' }, 'auto', 1],
    ['a function', { type: 'function', function: { name: 'get_weather' } }, { name: 'get_weather' }, 0],
  ])('searches by itself as far as the tool choice lets it: %s', async (_, tool_choice, asked, searches) => {
    const model = new ScriptedChatModel([['Six']])
    const { platform, assistant } = await withFile(model)
    const run = await runOnce(platform, { assistant, run: { tool_choice }, messages: ['The harbour?'] })
    expect(run.status).toBe('completed')
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([asked])
    expect((await stepsOf(platform, run)).filter(({ type }) => type === 'tool_calls')).toHaveLength(searches)
  })

  it('shows images of users to the model, files as data, and says when one is gone or not understood', async () => {
    const blind = new ModelProblem('This model does not support images.', { kind: 'unsupported', param: 'messages' })
    const model = new ScriptedChatModel([['A point'], [{ fail: blind }]])
    const platform = await start({ runtimes: model.runtimes })
    const file = await platform.addFile('point.png', new Uint8Array(png), 'vision')
    const { id: assistant_id } = await newAssistant(platform)
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_file', image_file: { file_id: file.id, detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ]
    const thread = await ask<{ id: string }>(platform, 'POST', '/v1/threads', { messages: [{ role: 'user', content }] })
    const again = async () => settled(platform, await newRun(platform, thread.id, { assistant_id }))
    expect(await again()).toMatchObject({ status: 'completed' })
    expect(model.requests[0]?.messages[0]?.content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}`, detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'auto' } },
    ])
    const failed = { status: 'failed', last_error: { code: 'invalid_prompt', message: expect.anything() } }
    expect(await again()).toMatchObject(failed)
    await platform.delete(`/v1/files/${file.id}`)
    const gone = await again()
    expect(gone).toMatchObject(failed)
    expect(gone.last_error?.message).toContain(file.id)
    expect(model.requests).toHaveLength(2)
    expect((await messagesOf(platform, thread.id)).map(textOf).at(1)).toBe('A point')
  })
})

const weatherChoice = { type: 'function', function: { name: 'get_weather' } }
