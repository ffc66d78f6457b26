// Responses with our own tools: a real store and a real sandbox, only the model says what the test wants.
import type { Runtime } from '@atoll/models/runtime'
import { OpenAI7 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../../testing/describe-platform.ts'
import { errorOf } from '../../../testing/requests.ts'
import { ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'
import { StoreRequests } from '../../vector-stores/testing/store-requests.ts'
import { WordEmbeddings } from '../../vector-stores/testing/word-embeddings.ts'

const model = 'gpt-4o-mini'
const club =
  'The workshop of the bicycle club is open on Tuesday from 5 pm to 8 pm. Members repair their bicycles for free; guests pay 6 euros an evening. Tools are lent out against a deposit of 20 euros.'
const question = 'How much do guests pay for an evening?'
const png = Buffer.from('a picture')

/** Draws the same every time. */
const painter: Record<string, Runtime> = {
  'builtin-illustrator': {
    drawing: { draw: async () => ({ model: 'painter', pictures: [{ png, revisedPrompt: 'a red house' }] }) },
    close: async () => undefined,
  },
  'builtin-moderation': {
    moderation: { moderate: async () => ({ model: 'mild', results: [] }) },
    close: async () => undefined,
  },
}

async function typesOf(stream: AsyncIterable<{ type: string }>): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of stream) types.push(type.replace('response.', ''))
  return types
}

describePlatformOnSqlite('responses with our own tools', (start) => {
  const begin = async (scripted: ScriptedChatModel) => {
    const runtimes = { ...scripted.runtimes, ...new WordEmbeddings().runtimes, ...painter }
    const platform = await start({ runtimes })
    const { url, apiKey } = platform
    return { platform, client: new OpenAI7({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 }) }
  }
  const newStore = async (platform: TestPlatform, attributes = {}): Promise<{ id: string; fileId: string }> => {
    const stores = new StoreRequests(platform)
    const fileId = await stores.addText('club.txt', club)
    const { id } = await stores.create()
    await stores.attach(id, { file_id: fileId, attributes })
    return { id, fileId }
  }

  it('search files before the model is asked and when it asks, and cite them', async () => {
    const search = { call: 'file_search', arguments: ['{"query":"deposit for tools"}'] }
    const scripted = new ScriptedChatModel(({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? ['Guests pay 6 euros an evening. ', 'Have fun!'] : [search],
    )
    const { platform, client } = await begin(scripted)
    const { id, fileId } = await newStore(platform, { year: 2024 })
    const ranking_options = { hybrid_search: { embedding_weight: 1, text_weight: 2 } }
    const tools = [{ type: 'file_search' as const, vector_store_ids: [id], max_num_results: 3, ranking_options }]
    const include = ['file_search_call.results' as const]
    const response = await client.responses.create({ model, input: question, tools, include })
    expect(response.tools).toMatchObject([{ ranking_options }])
    const result = { file_id: fileId, filename: 'club.txt', text: club, attributes: { year: 2024 } }
    expect(response.output).toMatchObject([
      { type: 'file_search_call', status: 'completed', queries: [question], results: [result] },
      { type: 'file_search_call', status: 'completed', queries: ['deposit for tools'] },
      { type: 'message', content: [{ text: 'Guests pay 6 euros an evening. Have fun!' }] },
    ])
    const [part] = response.output[2]?.type === 'message' ? response.output[2].content : []
    expect(part).toMatchObject({
      annotations: [{ type: 'file_citation', file_id: fileId, filename: 'club.txt', index: 30 }],
    })
    expect(JSON.stringify(scripted.requests[0]?.messages)).toContain('<context>')
    const without = await client.responses.retrieve(response.id)
    expect(without.output[0]).toMatchObject({ type: 'file_search_call' })
    const stream = await client.responses.create({ model, input: question, tools, stream: true })
    const call = ['output_item.added', 'file_search_call.in_progress']
    const made = ['file_search_call.searching', 'file_search_call.completed', 'output_item.done']
    const types = await typesOf(stream)
    expect(types.slice(2, 12)).toEqual([...call, ...made, ...call, ...made])
    expect(types).toContain('output_text.annotation.added')
    const filters = { type: 'eq' as const, key: 'year', value: 2020 }
    const filtered = { model, input: question, tools: tools.map((tool) => ({ ...tool, filters })), include }
    expect((await client.responses.create(filtered)).output[0]).toMatchObject({ results: [] })
    const unknown = { model, input: 'Hi', tools: [{ type: 'file_search', vector_store_ids: ['vs_x'] }] }
    expect((await platform.post('/v1/responses', unknown)).status).toBe(404)
    const once = await client.responses.create({ model, input: question, tools, max_tool_calls: 1 })
    expect(once.output.map(({ type }) => type)).toEqual(['file_search_call', 'message'])
    await platform.kernel.db.queries
      .updateTable('vector_stores')
      .set({ expires_at: 1, expires_after_days: 1 })
      .execute()
    const refused = await platform.post('/v1/responses', { model, input: question, tools })
    expect(refused.status).toBe(400)
    expect(await errorOf(refused)).toMatchObject({ code: 'vector_store_expired' })
  })

  it('run Python in a container that the next response goes on in', { timeout: 120_000 }, async () => {
    const scripted = new ScriptedChatModel(({ messages }) => {
      const printed = messages.findLast(({ role }) => role === 'tool')?.content
      const code = (text: string) => [{ call: 'code_interpreter', arguments: [JSON.stringify({ code: text })] }]
      if (messages.at(-1)?.role === 'tool') return [`It says ${String(printed).trim()}.`]
      return printed === undefined
        ? code("x = 42\nopen('/mnt/data/a.txt', 'w').write('a')\nprint(x)")
        : code('print(x + 1)')
    })
    const { client } = await begin(scripted)
    const tools = [{ type: 'code_interpreter' as const, container: { type: 'auto' as const } }]
    const include = ['code_interpreter_call.outputs' as const]
    const asked = { model, tools, include, stream: true as const }
    const events = []
    for await (const event of await client.responses.create({ ...asked, input: 'Compute' })) events.push(event)
    const last = events.at(-1)
    if (last?.type !== 'response.completed') throw new Error(JSON.stringify(last))
    const types = events.map(({ type }) => type.replace('response.', '').replace('code_interpreter_call', 'code'))
    expect(types.slice(2, 10)).toEqual([
      ...['output_item.added', 'code.in_progress', 'code_code.delta', 'code_code.done', 'code.interpreting'],
      ...['code.completed', 'output_item.done', 'output_item.added'],
    ])
    const [call] = last.response.output
    expect(call).toMatchObject({ type: 'code_interpreter_call', outputs: [{ type: 'logs', logs: '42\n' }] })
    const next = await client.responses.create({
      model,
      tools,
      include,
      input: 'More',
      previous_response_id: last.response.id,
    })
    expect(next.output[0]).toMatchObject({
      container_id: call?.type === 'code_interpreter_call' ? call.container_id : '',
      outputs: [{ logs: '43\n' }],
    })
  })

  it('offer the functions of a namespace to the model, and tell which namespace a call belongs to', async () => {
    const find = { call: 'crm__find', arguments: ['{"name":', '"Ada"}'] }
    const scripted = new ScriptedChatModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? ['Found.'] : [find]))
    const { platform, client } = await begin(scripted)
    const parameters = { type: 'object', properties: { name: { type: 'string' } } }
    const functions = ['find', 'add'].map((name) => ({
      type: 'function' as const,
      name,
      description: name,
      parameters,
    }))
    const crm = { type: 'namespace' as const, name: 'crm', description: 'Our customers.', tools: functions }
    // With what Codex sends besides.
    const told = { client_metadata: { turn: '1' }, reasoning: { summary: 'auto' as const }, prompt_cache_key: 'x' }
    const asked = { model, tools: [crm], store: false, include: ['reasoning.encrypted_content' as const], ...told }
    const question = { role: 'user' as const, content: 'Find Ada' }
    const { output, tools } = await client.responses.create({ ...asked, input: [question] })
    expect(tools).toMatchObject([crm])
    expect(scripted.requests[0]?.tools).toMatchObject([
      { name: 'crm__find', description: expect.stringMatching(/^find\n.*Our customers\./s) },
      { name: 'crm__add', description: 'add' },
    ])
    const called = { type: 'function_call', namespace: 'crm', name: 'find', arguments: '{"name":"Ada"}' }
    expect(output).toMatchObject([called])
    const [call] = output
    if (call?.type !== 'function_call') throw new Error('There is no call.')
    const result = { type: 'function_call_output' as const, call_id: call.call_id, output: 'Ada Lovelace' }
    const last = await client.responses.create({ ...asked, input: [question, call, result] })
    expect(last.output_text).toBe('Found.')
    expect(scripted.requests[1]?.messages[1]).toMatchObject({ tool_calls: [{ function: { name: 'crm__find' } }] })
    const refused = async (given: object[]) =>
      (await errorOf(await platform.post('/v1/responses', { ...asked, input: 'Hi', tools: given }))).message
    expect(await refused([crm, { ...functions[0], name: 'crm__find' }])).toContain("named 'crm__find'")
    expect(await refused([{ ...crm, tools: [{ type: 'custom', name: 'x' }] }])).toContain('one string parameter')
    const many = Array.from({ length: 100 }, (_, at) => ({ ...functions[0], name: `f${at}` }))
    const groups = Array.from({ length: 6 }, (_, at) => ({ ...crm, name: `g${at}`, tools: many }))
    expect(await refused(groups)).toContain('more than 512 tools')
  })

  it('draw pictures', async () => {
    const scripted = new ScriptedChatModel(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? ['There it is.']
        : [{ call: 'image_generation', arguments: ['{"prompt":"a house"}'] }],
    )
    const { platform, client } = await begin(scripted)
    const tools = [{ type: 'image_generation' as const, size: '1024x1024' as const }]
    const response = await client.responses.create({ model, input: 'Draw a house', tools })
    expect(response.output).toMatchObject([
      {
        type: 'image_generation_call',
        status: 'completed',
        result: png.toString('base64'),
        revised_prompt: 'a red house',
      },
      { type: 'message' },
    ])
    const types = await typesOf(await client.responses.create({ model, input: 'Draw', tools, stream: true }))
    expect(types.filter((type) => type.startsWith('image_generation_call'))).toEqual([
      ...['in_progress', 'generating', 'completed'].map((state) => `image_generation_call.${state}`),
    ])
    const unknown = { model, input: 'Draw', tools: [{ ...tools[0], model: 'nobody' }] }
    expect(await errorOf(await platform.post('/v1/responses', unknown))).toMatchObject({ code: 'model_not_found' })
  })
})
