import { OpenAI4 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import type { ListEnvelope } from '../../conventions/lists.ts'
import { ask, assistantsV2, pairs, refusal } from '../../testing/assistant-requests.ts'
import { describePlatform, describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { checkPublished } from '../../testing/published-schemas.ts'
import type { VectorStoreObject } from '../vector-stores/schema.ts'
import type { MessageObject } from './messages/schema.ts'
import type { ThreadObject } from './schema.ts'

const path = '/v1/threads'

async function newThread(platform: TestPlatform, body: object = {}): Promise<ThreadObject> {
  const thread = await ask<ThreadObject>(platform, 'POST', path, body)
  checkPublished('ThreadObject', thread)
  return thread
}

const messagesOf = (platform: TestPlatform, id: string) =>
  ask<ListEnvelope<MessageObject>>(platform, 'GET', `${path}/${id}/messages?order=asc&limit=100`)

const textOf = ({ content: [part] }: MessageObject) => (part?.type === 'text' ? part.text.value : undefined)

const says = (content: string, more: object = {}) => ({ role: 'user', content, ...more })

describePlatform('threads', (start) => {
  it('AST-038 AST-040 AST-041 makes a thread of nothing: an empty body, or none', async () => {
    const platform = await start()
    const empty = {
      id: expect.stringMatching(/^thread_/),
      object: 'thread',
      created_at: expect.any(Number),
      tool_resources: {},
      metadata: {},
    }
    expect(await newThread(platform)).toEqual(empty)
    expect(await newThread(platform, { metadata: null, tool_resources: null, messages: [] })).toEqual(empty)
    const bare = await platform.post(path, undefined, assistantsV2)
    expect([bare.status, await bare.json()]).toEqual([200, empty])
  })

  it('AST-038 AST-039 starts with messages of both roles, in their order', async () => {
    const platform = await start()
    const messages = Array.from({ length: 60 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `message ${index}`,
      metadata: { index: String(index) },
    }))
    const { id } = await newThread(platform, { messages, metadata: { topic: 'sea' } })
    const { data } = await messagesOf(platform, id)
    expect(data.map(textOf)).toEqual(messages.map(({ content }) => content))
    expect(data.map(({ role, metadata }) => ({ role, metadata }))).toEqual(
      messages.map(({ role, metadata }) => ({ role, metadata })),
    )
  })

  it('AST-039 makes a thread with all its messages, or no thread, no message and no store', async () => {
    const platform = await start()
    const { id: file_id } = await platform.addFile('a.txt', 'words')
    const attachments = [{ file_id, tools: [{ type: 'file_search' }] }]
    const bad = [{ file_id: 'file-none', tools: [{ type: 'code_interpreter' }] }]
    const messages = [says('one', { attachments }), says('two', { attachments: bad })]
    const refused = await refusal(platform, 'POST', path, { messages })
    expect(refused).toMatchObject({ status: 404, message: "No file found with id 'file-none'." })
    const { queries } = platform.kernel.db
    expect(await queries.selectFrom('threads').select('id').execute()).toEqual([])
    expect(await queries.selectFrom('messages').select('id').execute()).toEqual([])
    expect(await ask(platform, 'GET', '/v1/vector_stores')).toMatchObject({ data: [] })
  })

  it('AST-041 keeps files and a store for tools, or makes one that ends a week after its last use', async () => {
    const platform = await start()
    const { id: file_id } = await platform.addFile('a.txt', 'words')
    const own = await ask<VectorStoreObject>(platform, 'POST', '/v1/vector_stores', {})
    const tool_resources = {
      code_interpreter: { file_ids: [file_id] },
      file_search: { vector_store_ids: [own.id] },
    }
    expect((await newThread(platform, { tool_resources })).tool_resources).toEqual(tool_resources)
    const vector_stores = [{ file_ids: [file_id], metadata: { made: 'here' } }]
    const made = await newThread(platform, { tool_resources: { file_search: { vector_stores } } })
    const [id] = made.tool_resources.file_search?.vector_store_ids ?? []
    expect(await ask(platform, 'GET', `/v1/vector_stores/${id}`)).toMatchObject({
      metadata: { made: 'here' },
      file_counts: { total: 1 },
      expires_after: { anchor: 'last_active_at', days: 7 },
    })
  })

  it('makes more threads at once than there are connections, all with files and stores to look up', async () => {
    const platform = await start()
    const { id: file_id } = await platform.addFile('a.txt', 'words')
    const { id: vs } = await ask<VectorStoreObject>(platform, 'POST', '/v1/vector_stores', {})
    const tool_resources = {
      code_interpreter: { file_ids: [file_id] },
      file_search: { vector_store_ids: [vs] },
    }
    const attachments = [{ file_id, tools: [{ type: 'file_search' }] }]
    const body = { tool_resources, messages: [says('one', { attachments })] }
    const made = await Promise.all(Array.from({ length: 30 }, () => newThread(platform, body)))
    expect(new Set(made.map(({ id }) => id)).size).toBe(30)
    expect(await ask(platform, 'GET', `/v1/vector_stores/${vs}`)).toMatchObject({ file_counts: { total: 1 } })
  })

  it('AST-042 returns a thread to its project and to no other', async () => {
    const platform = await start()
    const thread = await newThread(platform, { metadata: { a: 'b' } })
    expect(await ask(platform, 'GET', `${path}/${thread.id}`)).toEqual(thread)
    const other = await platform.addProject('other')
    const gone = { status: 404, message: `No thread found with id '${thread.id}'.`, param: null, code: null }
    expect(await refusal(other, 'GET', `${path}/${thread.id}`)).toMatchObject(gone)
    expect(await refusal(other, 'POST', `${path}/${thread.id}`, {})).toMatchObject(gone)
    expect(await refusal(other, 'DELETE', `${path}/${thread.id}`)).toMatchObject(gone)
  })

  it('AST-043 modifies metadata and the resources of one tool, and keeps what is not sent', async () => {
    const platform = await start()
    const { id: file } = await platform.addFile('a.txt', 'words')
    const code_interpreter = { file_ids: [file] }
    const thread = await newThread(platform, { metadata: { a: '1', b: '2' }, tool_resources: { code_interpreter } })
    const modify = (body: object) => ask<ThreadObject>(platform, 'POST', `${path}/${thread.id}`, body)
    expect(await modify({})).toEqual(thread)
    const tagged = await modify({ metadata: { c: '3' } })
    expect(tagged).toEqual({ ...thread, metadata: { c: '3' } })
    const { id: vs } = await ask<VectorStoreObject>(platform, 'POST', '/v1/vector_stores', {})
    const file_search = { vector_store_ids: [vs] }
    const both = await modify({ tool_resources: { file_search } })
    expect(both).toEqual({ ...tagged, tool_resources: { code_interpreter, file_search } })
    expect(await modify({ metadata: null, tool_resources: null })).toMatchObject({ metadata: {}, tool_resources: {} })
    for (const body of [{ messages: [] }, { metadata: pairs(17) }, { tool_resources: { retrieval: {} } }]) {
      expect(await refusal(platform, 'POST', `${path}/${thread.id}`, body)).toMatchObject({ status: 400 })
    }
  })

  it('AST-044 deletes a thread with its messages, in one commit with what else belongs to it', async () => {
    const platform = await start()
    const { id } = await newThread(platform, { messages: [says('one'), says('two')] })
    const { id: kept } = await newThread(platform, { messages: [says('three')] })
    const told: string[] = []
    let failing = true
    platform.platform.assistants.threads.onDelete(async (_tx, threadId) => {
      if (failing) throw new Error('not now')
      told.push(threadId)
    })
    expect(await refusal(platform, 'DELETE', `${path}/${id}`)).toMatchObject({ status: 500 })
    expect((await messagesOf(platform, id)).data).toHaveLength(2)
    failing = false
    const deleted = await ask(platform, 'DELETE', `${path}/${id}`)
    checkPublished('DeleteThreadResponse', deleted)
    expect(deleted).toEqual({ id, object: 'thread.deleted', deleted: true })
    expect(told).toEqual([id])
    const { queries } = platform.kernel.db
    const left = await queries.selectFrom('messages').select('thread_id').execute()
    expect(left).toEqual([{ thread_id: kept }])
    const gone = { status: 404, message: `No thread found with id '${id}'.` }
    expect(await refusal(platform, 'GET', `${path}/${id}`)).toMatchObject(gone)
    expect(await refusal(platform, 'GET', `${path}/${id}/messages`)).toMatchObject(gone)
    expect(await refusal(platform, 'DELETE', `${path}/${id}`)).toMatchObject(gone)
  })

  it('AST-038 AST-039 AST-042 AST-043 AST-044 works with the client programs were written with', async () => {
    const platform = await start()
    const { threads } = new OpenAI4({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1` }).beta
    expect(await threads.create()).toMatchObject({ object: 'thread', metadata: {} })
    const thread = await threads.create({ messages: [{ role: 'user', content: 'Hello' }], metadata: { a: 'b' } })
    expect(await threads.retrieve(thread.id)).toEqual(thread)
    expect(await threads.update(thread.id, { metadata: { c: 'd' } })).toMatchObject({ metadata: { c: 'd' } })
    expect((await threads.messages.list(thread.id)).data).toHaveLength(1)
    expect(await threads.del(thread.id)).toEqual({ id: thread.id, object: 'thread.deleted', deleted: true })
    await expect(threads.retrieve(thread.id)).rejects.toMatchObject({ status: 404 })
  })
})

describePlatformOnSqlite('what threads may be', (start) => {
  it('AST-038 refuses what is wrong, and says where', async () => {
    const platform = await start()
    const files = { code_interpreter: { file_ids: Array(21).fill('file-1') } }
    const cases: [object, string, string][] = [
      [{ messages: 'hello' }, 'messages', 'invalid_type'],
      [{ messages: [{ role: 'user' }] }, 'messages[0].content', 'missing_required_parameter'],
      [{ messages: [says('a'), { role: 'system', content: 'b' }] }, 'messages[1].role', 'invalid_value'],
      [{ messages: Array(1001).fill(says('a')) }, 'messages', 'array_above_max_length'],
      [{ metadata: pairs(17) }, 'metadata', 'object_above_max_properties'],
      [{ tool_resources: files }, 'tool_resources.code_interpreter.file_ids', 'array_above_max_length'],
      [
        { tool_resources: { file_search: { vector_store_ids: ['vs_1', 'vs_2'] } } },
        'tool_resources.file_search.vector_store_ids',
        'array_above_max_length',
      ],
      [{ model: 'gpt-4o' }, 'model', 'unknown_parameter'],
    ]
    for (const [body, param, code] of cases) {
      expect(await refusal(platform, 'POST', path, body)).toMatchObject({ status: 400, param, code })
    }
    const missing = { tool_resources: { file_search: { vector_store_ids: ['vs_none'] } } }
    expect(await refusal(platform, 'POST', path, missing)).toMatchObject({
      status: 404,
      message: "No vector store found with id 'vs_none'.",
    })
  })
})
