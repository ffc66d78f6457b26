import { expect, it } from 'vitest'
import { ask, pairs } from '../../testing/assistant-requests.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import type { MessageObject } from '../threads/messages/schema.ts'
import type { ThreadObject } from '../threads/schema.ts'
import { StoreRequests } from '../vector-stores/testing/store-requests.ts'
import { WordEmbeddings } from '../vector-stores/testing/word-embeddings.ts'
import type { MessageFileObject, MessageV1, ThreadV1 } from './message-schema.ts'
import { askV1, listV1, messageV2, newThreadV1, refusalV1 } from './testing/v1-requests.ts'

const messagesOf = ({ id }: ThreadV1): string => `/v1/threads/${id}/messages`

const addMessage = (platform: TestPlatform, thread: ThreadV1, fields: object = {}): Promise<MessageV1> =>
  askV1(platform, 'POST', messagesOf(thread), { role: 'user', content: 'Hello', ...fields })

const addFiles = async (platform: TestPlatform, count: number): Promise<string[]> => {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push((await platform.addFile(`${n}.txt`, `This is file ${n}.`)).id)
  return ids
}

describePlatformOnSqlite('threads and messages, first form', (start) => {
  const begin = () => start({ runtimes: new WordEmbeddings().runtimes })

  it('AST-045 AST-046 AST-047 AST-048 AST-041 creates, retrieves, modifies and deletes threads', async () => {
    const platform = await begin()
    const empty = await askV1<ThreadV1>(platform, 'POST', '/v1/threads')
    expect(empty).toEqual({
      id: expect.stringMatching(/^thread_/),
      object: 'thread',
      created_at: expect.any(Number),
      metadata: {},
    })
    const [file_id = ''] = await addFiles(platform, 1)
    const messages = [
      { role: 'user', content: 'Read this', file_ids: [file_id] },
      { role: 'assistant', content: 'I have' },
    ]
    const thread = await askV1<ThreadV1>(platform, 'POST', '/v1/threads', { messages, metadata: { a: 'b' } })
    expect(await askV1(platform, 'GET', `/v1/threads/${thread.id}`)).toEqual(thread)
    const { data } = await listV1<MessageV1>(platform, `${messagesOf(thread)}?order=asc`)
    expect(data).toMatchObject([{ ...messages[0], content: [{ text: { value: 'Read this' } }] }, { role: 'assistant' }])
    const path = `/v1/threads/${thread.id}`
    expect(await askV1(platform, 'POST', path, { metadata: { c: 'd' } })).toEqual({ ...thread, metadata: { c: 'd' } })
    expect(await refusalV1(platform, 'POST', path, { tool_resources: {} })).toMatchObject({
      status: 400,
      param: 'tool_resources',
    })
    const { tool_resources } = await ask<ThreadObject>(platform, 'GET', path)
    expect(tool_resources).toMatchObject({ code_interpreter: { file_ids: [file_id] } })
    expect(await askV1(platform, 'DELETE', path)).toEqual({ id: thread.id, object: 'thread.deleted', deleted: true })
    const gone = { status: 404, message: `No thread found with id '${thread.id}'.` }
    expect(await refusalV1(platform, 'GET', path)).toMatchObject(gone)
  })

  it('AST-050 AST-051 AST-052 AST-053 adds messages of both roles, with files for both tools', async () => {
    const platform = await begin()
    const thread = await newThreadV1(platform)
    const file_ids = await addFiles(platform, 2)
    const message = await addMessage(platform, thread, { content: 'See here', file_ids, metadata: { a: 'b' } })
    expect(message).toEqual({
      id: expect.stringMatching(/^msg_/),
      object: 'thread.message',
      created_at: expect.any(Number),
      thread_id: thread.id,
      status: 'completed',
      ...{ incomplete_details: null, completed_at: expect.any(Number), incomplete_at: null },
      role: 'user',
      content: [{ type: 'text', text: { value: 'See here', annotations: [] } }],
      file_ids,
      ...{ assistant_id: null, run_id: null, metadata: { a: 'b' } },
    })
    const both = [{ type: 'code_interpreter' }, { type: 'file_search' }]
    const { attachments } = await messageV2(platform, message)
    expect(attachments).toEqual(file_ids.map((file_id) => ({ file_id, tools: both })))
    expect(await addMessage(platform, thread, { role: 'assistant' })).toMatchObject({ role: 'assistant', file_ids: [] })
  })

  it('AST-050 AST-051 refuses what no message can be', async () => {
    const platform = await begin()
    const thread = await newThreadV1(platform)
    const files = await addFiles(platform, 11)
    const bad: [object, string][] = [
      [{ role: 'system' }, 'role'],
      [{ content: '' }, 'content'],
      [{ content: 'x'.repeat(256_001) }, 'content'],
      [{ content: [{ type: 'text', text: 'x' }] }, 'content'],
      [{ file_ids: files }, 'file_ids'],
      [{ attachments: [] }, 'attachments'],
      [{ metadata: pairs(17) }, 'metadata'],
    ]
    for (const [fields, param] of bad) {
      const body = { role: 'user', content: 'Hello', ...fields }
      expect(await refusalV1(platform, 'POST', messagesOf(thread), body)).toMatchObject({ status: 400, param })
    }
    const missing = { role: 'user', content: 'Hello', file_ids: ['file-none'] }
    expect(await refusalV1(platform, 'POST', messagesOf(thread), missing)).toMatchObject({ status: 404 })
    expect((await listV1(platform, messagesOf(thread))).data).toHaveLength(1)
  })

  it('AST-050 tells in words of file_ids when a thread has too many files', async () => {
    const platform = await begin()
    const thread = await newThreadV1(platform)
    const files = await addFiles(platform, 21)
    await addMessage(platform, thread, { file_ids: files.slice(0, 10) })
    await addMessage(platform, thread, { file_ids: files.slice(10, 20) })
    const more = { role: 'user', content: 'More', file_ids: files.slice(20) }
    const refused = { status: 400, param: 'file_ids', code: 'array_above_max_length' }
    expect(await refusalV1(platform, 'POST', messagesOf(thread), more)).toMatchObject(refused)
  })

  it('AST-054 AST-055 AST-056 lists, retrieves and modifies messages', async () => {
    const platform = await begin()
    const thread = await askV1<ThreadV1>(platform, 'POST', '/v1/threads', {})
    const messages: MessageV1[] = []
    for (const content of ['one', 'two', 'three']) messages.push(await addMessage(platform, thread, { content }))
    const [one, two, three] = messages
    const list = async (query: string) => (await listV1(platform, `${messagesOf(thread)}?${query}`)).data
    expect(await list('')).toEqual([three, two, one])
    expect(await list(`after=${three?.id}&limit=1`)).toEqual([two])
    expect(await list(`before=${two?.id}`)).toEqual([three])
    expect(await list('order=asc&run_id=run_none')).toEqual([])
    const path = `${messagesOf(thread)}/${two?.id}`
    expect(await askV1(platform, 'GET', path)).toEqual(two)
    expect(await askV1(platform, 'POST', path, { metadata: { a: 'b' } })).toEqual({ ...two, metadata: { a: 'b' } })
    expect(await askV1(platform, 'GET', path)).toMatchObject({ metadata: { a: 'b' } })
    expect(await refusalV1(platform, 'GET', `${messagesOf(thread)}/msg_none`)).toMatchObject({
      status: 404,
      message: "No message found with id 'msg_none'.",
    })
  })

  it('AST-057 AST-058 AST-059 lists and retrieves the files of a message', async () => {
    const platform = await begin()
    const thread = await newThreadV1(platform)
    const [a = '', b = ''] = await addFiles(platform, 2)
    const message = await addMessage(platform, thread, { file_ids: [a, b] })
    const path = `${messagesOf(thread)}/${message.id}/files`
    const { created_at, id: message_id } = message
    const file = { id: a, object: 'thread.message.file', created_at, message_id }
    const list = (query: string) => listV1<MessageFileObject>(platform, `${path}?${query}`)
    expect((await list('order=asc')).data).toEqual([file, { ...file, id: b }])
    expect(await list('limit=1')).toMatchObject({ data: [{ id: b }], first_id: b, has_more: true })
    expect(await list(`after=${b}`)).toMatchObject({ data: [{ id: a }], has_more: false })
    expect(await list(`after=${a}`)).toMatchObject({ data: [], has_more: false })
    expect(await askV1(platform, 'GET', `${path}/${a}`)).toEqual(file)
    const gone = { status: 404, message: "No file found with id 'file-none'." }
    expect(await refusalV1(platform, 'GET', `${path}/file-none`)).toMatchObject(gone)
    const none = await addMessage(platform, thread)
    const noFiles = await listV1(platform, `${messagesOf(thread)}/${none.id}/files`)
    expect(noFiles).toMatchObject({ data: [], first_id: null, last_id: null, has_more: false })
  })

  it('AST-052 AST-053 a message of the second form makes sense in the first', async () => {
    const platform = await begin()
    const thread = await newThreadV1(platform)
    const [file_id = ''] = await addFiles(platform, 1)
    const image = await platform.addFile('a.png', 'x', 'vision')
    const made = await ask<MessageObject>(platform, 'POST', messagesOf(thread), {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_file', image_file: { file_id: image.id, detail: 'low' } },
        { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
      attachments: [{ file_id, tools: [{ type: 'file_search' }] }],
    })
    const shown = await askV1<MessageV1>(platform, 'GET', `${messagesOf(thread)}/${made.id}`)
    expect(shown.file_ids).toEqual([file_id])
    expect(shown.content).toEqual([
      { type: 'text', text: { value: 'Look', annotations: [] } },
      { type: 'image_file', image_file: { file_id: image.id } },
      { type: 'text', text: { value: '[image: https://example.com/cat.png]', annotations: [] } },
      { type: 'text', text: { value: '[image]', annotations: [] } },
    ])
    const { tool_resources } = await ask<ThreadObject>(platform, 'GET', `/v1/threads/${thread.id}`)
    const [store = ''] = tool_resources.file_search?.vector_store_ids ?? []
    expect((await new StoreRequests(platform).settled(store)).file_counts.total).toBe(1)
  })
})
