import { expect, it } from 'vitest'
import { ask, pairs, refusal } from '../../testing/assistant-requests.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { errorOf } from '../../testing/requests.ts'
import type { AssistantObject } from '../assistants/schema.ts'
import { StoreRequests } from '../vector-stores/testing/store-requests.ts'
import { WordEmbeddings } from '../vector-stores/testing/word-embeddings.ts'
import type { AssistantFileObject, AssistantV1 } from './schema.ts'
import { askV1, assistantsV1, listV1, newAssistantV1, refusalV1 } from './testing/v1-requests.ts'

const path = '/v1/assistants'
const tools = [
  { type: 'retrieval' },
  { type: 'code_interpreter' },
  { type: 'function', function: { name: 'look_up', description: 'Looks up', parameters: { type: 'object' } } },
]

const inV2 = (platform: TestPlatform, id: string): Promise<AssistantObject> => ask(platform, 'GET', `${path}/${id}`)

/** What the search of an assistant finds its files in. */
async function storeOf(platform: TestPlatform, id: string): Promise<{ id: string; files: string[] }> {
  const { tool_resources } = await inV2(platform, id)
  const [storeId = ''] = tool_resources.file_search?.vector_store_ids ?? []
  const { data } = await new StoreRequests(platform).files(storeId, '?order=asc')
  return { id: storeId, files: data.map((file) => file.id) }
}

const addFiles = async (platform: TestPlatform, ...names: string[]): Promise<string[]> => {
  const ids: string[] = []
  for (const name of names) ids.push((await platform.addFile(name, `This is ${name}.`)).id)
  return ids
}

describePlatformOnSqlite('assistants, first form', (start) => {
  const begin = () => start({ runtimes: new WordEmbeddings().runtimes })

  it('AST-031 AST-032 creates an assistant with files for both tools, and shows no tool_resources', async () => {
    const platform = await begin()
    const file_ids = await addFiles(platform, 'a.txt', 'b.txt')
    const fields = { name: 'Tutor', description: 'Teaches', instructions: 'Be brief', metadata: { a: 'b' } }
    const made = await newAssistantV1(platform, { ...fields, tools, file_ids, temperature: 0.5, top_p: 0.9 })
    expect(made).toEqual({
      id: expect.stringMatching(/^asst_/),
      object: 'assistant',
      created_at: expect.any(Number),
      model: 'gpt-4-turbo',
      ...{ ...fields, tools, file_ids, temperature: 0.5, top_p: 0.9 },
      response_format: 'auto',
    })
    expect(await askV1(platform, 'GET', `${path}/${made.id}`)).toEqual(made)
    const { tools: toolsInV2, tool_resources } = await inV2(platform, made.id)
    expect(toolsInV2.map(({ type }) => type)).toEqual(['file_search', 'code_interpreter', 'function'])
    expect(tool_resources.code_interpreter).toEqual({ file_ids })
    expect((await storeOf(platform, made.id)).files.toSorted()).toEqual(file_ids.toSorted())
    const bare = await newAssistantV1(platform)
    expect(bare).toMatchObject({ name: null, tools: [], file_ids: [], metadata: {} })
    expect((await inV2(platform, bare.id)).tool_resources).toEqual({})
  })

  it('AST-033 file_ids are sorted by creation date, oldest first, whatever order they came in', async () => {
    const platform = await begin()
    const [a = '', b = '', c = ''] = await addFiles(platform, 'a.txt', 'b.txt', 'c.txt')
    const { id, file_ids } = await newAssistantV1(platform, { file_ids: [c, a, a] })
    expect(file_ids).toEqual([a, c])
    await askV1(platform, 'POST', `${path}/${id}/files`, { file_id: b })
    expect((await askV1<AssistantV1>(platform, 'GET', `${path}/${id}`)).file_ids).toEqual([a, b, c])
    expect((await listV1<AssistantV1>(platform, path)).data[0]?.file_ids).toEqual([a, b, c])
  })

  it('AST-034 takes json_object as format, and no JSON schema', async () => {
    const platform = await begin()
    const response_format = { type: 'json_object' }
    expect(await newAssistantV1(platform, { response_format })).toMatchObject({ response_format })
    const text = { type: 'text' }
    expect(await newAssistantV1(platform, { response_format: text })).toMatchObject({ response_format: text })
    expect(await newAssistantV1(platform, { response_format: 'none' })).toMatchObject({ response_format: text })
    const schema = { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } }
    const refused = await refusalV1(platform, 'POST', path, { model: 'gpt-4', response_format: schema })
    expect(refused).toMatchObject({ status: 400, type: 'invalid_request_error' })
    expect(refused.param).toMatch(/^response_format/)
  })

  it('AST-035 AST-037 attaches and detaches files, for both tools', async () => {
    const platform = await begin()
    const [a = '', b = ''] = await addFiles(platform, 'a.txt', 'b.txt')
    const { id } = await newAssistantV1(platform, { tools: [{ type: 'retrieval' }] })
    const files = `${path}/${id}/files`
    const attached = await askV1<AssistantFileObject>(platform, 'POST', files, { file_id: b })
    expect(attached).toEqual({ id: b, object: 'assistant.file', created_at: expect.any(Number), assistant_id: id })
    expect(await askV1(platform, 'POST', files, { file_id: b })).toEqual(attached)
    await askV1(platform, 'POST', files, { file_id: a })
    expect(await askV1(platform, 'GET', `${files}/${b}`)).toEqual(attached)
    expect((await inV2(platform, id)).tool_resources.code_interpreter).toEqual({ file_ids: [b, a] })
    const store = await storeOf(platform, id)
    expect(store.files).toEqual([b, a])

    const list = (query: string) => listV1<AssistantFileObject>(platform, `${files}?${query}`)
    expect(await list('')).toMatchObject({ data: [{ id: a }, { id: b }], first_id: a, last_id: b, has_more: false })
    expect(await list('limit=1&order=asc')).toMatchObject({ data: [{ id: b }], has_more: true })
    expect(await list(`order=asc&after=${b}`)).toMatchObject({ data: [{ id: a }], has_more: false })
    expect(await list(`order=asc&after=${a}`)).toMatchObject({ data: [], last_id: null, has_more: false })
    expect((await list(`before=${b}`)).data.map((file) => file.id)).toEqual([a])
    expect(await refusalV1(platform, 'GET', `${files}?after=file-none`)).toMatchObject({ status: 400, param: 'after' })

    const deleted = { id: b, object: 'assistant.file.deleted', deleted: true }
    expect(await askV1(platform, 'DELETE', `${files}/${b}`)).toEqual(deleted)
    expect(await storeOf(platform, id)).toEqual({ id: store.id, files: [a] })
    expect((await askV1<AssistantV1>(platform, 'GET', `${path}/${id}`)).file_ids).toEqual([a])
    expect((await platform.get(`/v1/files/${b}`)).status).toBe(200)
    const gone = { status: 404, message: `No file found with id '${b}'.` }
    expect(await refusalV1(platform, 'DELETE', `${files}/${b}`)).toMatchObject(gone)
    expect(await refusalV1(platform, 'GET', `${files}/${b}`)).toMatchObject(gone)
  })

  it('AST-031 modifies what is sent; file_ids replaces all files', async () => {
    const platform = await begin()
    const [a = '', b = '', c = ''] = await addFiles(platform, 'a.txt', 'b.txt', 'c.txt')
    const made = await newAssistantV1(platform, { tools, file_ids: [a, b], instructions: 'Be brief' })
    const modify = (body: object) => askV1<AssistantV1>(platform, 'POST', `${path}/${made.id}`, body)
    expect(await modify({ name: 'New' })).toEqual({ ...made, name: 'New' })
    expect(await modify({ file_ids: [b, c], tools: [] })).toEqual({ ...made, name: 'New', file_ids: [b, c], tools: [] })
    expect((await storeOf(platform, made.id)).files.toSorted()).toEqual([b, c].toSorted())
    expect(await modify({ file_ids: [] })).toMatchObject({ file_ids: [] })
    expect((await storeOf(platform, made.id)).files).toEqual([])
    const missing = await refusalV1(platform, 'POST', `${path}/${made.id}`, { name: 'No', file_ids: ['file-none'] })
    expect(missing).toMatchObject({ status: 404, message: "No file found with id 'file-none'." })
    expect(await modify({})).toMatchObject({ name: 'New', file_ids: [] })
  })

  it('AST-036 deletes an assistant with the store that was made for its files, and no other', async () => {
    const platform = await begin()
    const stores = new StoreRequests(platform)
    const [file = ''] = await addFiles(platform, 'a.txt')
    const { id } = await newAssistantV1(platform, { file_ids: [file] })
    const own = await storeOf(platform, id)
    const deleted = { id, object: 'assistant.deleted', deleted: true }
    expect(await askV1(platform, 'DELETE', `${path}/${id}`)).toEqual(deleted)
    const gone = { status: 404, message: `No assistant found with id '${id}'.` }
    expect(await refusalV1(platform, 'GET', `${path}/${id}`)).toMatchObject(gone)
    expect(await refusalV1(platform, 'DELETE', `${path}/${id}`)).toMatchObject(gone)
    expect((await platform.get(`/v1/vector_stores/${own.id}`)).status).toBe(404)
    const store = await stores.create({ file_ids: [file] })
    const resources = { file_search: { vector_store_ids: [store.id] } }
    const other = await ask<AssistantObject>(platform, 'POST', path, { model: 'gpt-4', tool_resources: resources })
    await askV1(platform, 'DELETE', `${path}/${other.id}`)
    expect((await stores.store(store.id)).file_counts.total).toBe(1)
  })

  it('AST-032 an assistant of the second form makes sense in the first, and the other way round', async () => {
    const platform = await begin()
    const stores = new StoreRequests(platform)
    const [a = '', b = ''] = await addFiles(platform, 'a.txt', 'b.txt')
    const store = await stores.create({ file_ids: [a] })
    const made = await ask<AssistantObject>(platform, 'POST', path, {
      model: 'gpt-4o',
      tools: [{ type: 'file_search', file_search: { max_num_results: 3 } }, { ...tools[2] }],
      tool_resources: { file_search: { vector_store_ids: [store.id] }, code_interpreter: { file_ids: [a] } },
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
    })
    const shown = await askV1<AssistantV1>(platform, 'GET', `${path}/${made.id}`)
    expect(shown).toMatchObject({
      tools: [tools[0], tools[2]],
      file_ids: [a],
      response_format: { type: 'json_object' },
    })
    // A file that is attached joins the store that is there; one that is detached stays in it, for others.
    await askV1(platform, 'POST', `${path}/${made.id}/files`, { file_id: b })
    expect(await storeOf(platform, made.id)).toEqual({ id: store.id, files: [a, b] })
    await askV1(platform, 'DELETE', `${path}/${made.id}/files/${a}`)
    expect(await storeOf(platform, made.id)).toEqual({ id: store.id, files: [a, b] })
    expect((await inV2(platform, made.id)).tool_resources.code_interpreter).toEqual({ file_ids: [b] })
  })

  it('AST-033 goes on when a file, or the store of the files, was deleted meanwhile', async () => {
    const platform = await begin()
    const [a = '', b = '', c = ''] = await addFiles(platform, 'a.txt', 'b.txt', 'c.txt')
    const { id } = await newAssistantV1(platform, { file_ids: [a, b] })
    await platform.delete(`/v1/files/${a}`)
    expect((await askV1<AssistantV1>(platform, 'GET', `${path}/${id}`)).file_ids).toEqual([b])
    const before = await storeOf(platform, id)
    await ask(platform, 'DELETE', `/v1/vector_stores/${before.id}`)
    await askV1(platform, 'POST', `${path}/${id}/files`, { file_id: c })
    const after = await storeOf(platform, id)
    expect(after.id).not.toBe(before.id)
    expect(after.files.toSorted()).toEqual([b, c].toSorted())
  })

  it('AST-035 files that are attached at the same time all stay, in one store', async () => {
    const platform = await begin()
    const ids = await addFiles(platform, 'a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt')
    const { id } = await newAssistantV1(platform)
    await Promise.all(ids.map((file_id) => askV1(platform, 'POST', `${path}/${id}/files`, { file_id })))
    expect((await askV1<AssistantV1>(platform, 'GET', `${path}/${id}`)).file_ids).toEqual(ids)
    expect((await storeOf(platform, id)).files.toSorted()).toEqual(ids.toSorted())
    const stores = await ask<{ data: object[] }>(platform, 'GET', '/v1/vector_stores')
    expect(stores.data).toHaveLength(1)
  })

  it('refuses too much, and what only the second form knows', async () => {
    const platform = await begin()
    const ids = await addFiles(platform, ...Array.from({ length: 21 }, (_, index) => `${index}.txt`))
    const { id } = await newAssistantV1(platform, { file_ids: ids.slice(0, 20) })
    const full = { status: 400, param: 'file_ids', code: 'array_above_max_length' }
    expect(await refusalV1(platform, 'POST', `${path}/${id}/files`, { file_id: ids[20] })).toMatchObject(full)
    const bad: [object, string][] = [
      [{ file_ids: ids }, 'file_ids'],
      [{ tools: Array(129).fill({ type: 'code_interpreter' }) }, 'tools'],
      [{ tools: [{ type: 'file_search' }] }, 'tools[0].type'],
      [{ tools: [{ type: 'retrieval' }, { type: 'retrieval' }] }, 'tools'],
      [{ tool_resources: {} }, 'tool_resources'],
      [{ name: 'x'.repeat(257) }, 'name'],
      [{ metadata: pairs(17) }, 'metadata'],
      [{ model: undefined }, 'model'],
    ]
    for (const [fields, param] of bad) {
      const refused = await refusalV1(platform, 'POST', path, { model: 'gpt-4', ...fields })
      expect(refused).toMatchObject({ status: 400, param })
    }
    const other = await platform.addProject('other')
    expect(await refusalV1(other, 'POST', `${path}/${id}/files`, { file_id: ids[0] })).toMatchObject({ status: 404 })
    const [foreign = ''] = await addFiles(other, 'x.txt')
    expect(await refusalV1(platform, 'POST', path, { model: 'gpt-4', file_ids: [foreign] })).toMatchObject({
      status: 404,
    })
    const image = await platform.addFile('a.png', 'x', 'vision')
    const purpose = await refusalV1(platform, 'POST', path, { model: 'gpt-4', file_ids: [image.id] })
    expect(purpose).toMatchObject({ status: 400, code: 'invalid_purpose' })
  })

  it('AST-008 AST-009 AST-299 asks for the header, and tells apart what the other form does not have', async () => {
    const platform = await begin()
    const { id } = await newAssistantV1(platform)
    const without = await platform.get(path)
    expect([without.status, await errorOf(without)]).toMatchObject([
      400,
      { type: 'invalid_request_error', code: 'invalid_beta', param: null },
    ])
    expect((await platform.get(path, { 'openai-beta': 'assistants=v0' })).status).toBe(400)
    expect((await platform.get(path, { 'vendor-beta': assistantsV1['openai-beta'] })).status).toBe(200)
    const files = await refusal(platform, 'GET', `${path}/${id}/files`)
    expect(files).toMatchObject({
      status: 400,
      code: 'invalid_beta',
      message: expect.stringContaining('assistants=v1'),
    })
    const message = await refusalV1(platform, 'DELETE', '/v1/threads/thread_x/messages/msg_x')
    expect(message).toMatchObject({
      status: 400,
      code: 'invalid_beta',
      message: expect.stringContaining('assistants=v2'),
    })
  })
})
