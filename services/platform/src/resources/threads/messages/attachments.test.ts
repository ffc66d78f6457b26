import { expect, it } from 'vitest'
import { ask, refusal } from '../../../testing/assistant-requests.ts'
import { describePlatform, type TestPlatform } from '../../../testing/describe-platform.ts'
import type { VectorStoreObject } from '../../vector-stores/schema.ts'
import type { ThreadObject } from '../schema.ts'
import { listMessages, newMessage, newThread, pathOf } from './testing/message-requests.ts'

const resourcesOf = async (platform: TestPlatform, threadId: string) =>
  (await ask<ThreadObject>(platform, 'GET', `/v1/threads/${threadId}`)).tool_resources

describePlatform('files of messages', (start) => {
  it('refuses files that are not there, not one’s own, or not for that', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    const foreign = await (await platform.addProject('other')).addFile('cat.png', 'x', 'vision')
    const batch = await platform.addFile('b.jsonl', '{}', 'batch')
    const text = await platform.addFile('notes.txt', 'x', 'vision')
    const shows = (file_id: string) => ({ content: [{ type: 'image_file', image_file: { file_id } }] })
    const brings = (file_id: string) => ({ attachments: [{ file_id, tools: [{ type: 'code_interpreter' }] }] })
    const cases: [object, number, string | null][] = [
      [shows('file-none'), 404, null],
      [shows(foreign.id), 404, null],
      [shows(batch.id), 400, 'invalid_purpose'],
      [shows(text.id), 400, 'unsupported_file'],
      [brings('file-none'), 404, null],
      [brings(foreign.id), 404, null],
      [brings(batch.id), 400, 'invalid_purpose'],
    ]
    for (const [fields, status, code] of cases) {
      const refused = await refusal(platform, 'POST', pathOf(thread), { role: 'user', content: 'a', ...fields })
      expect(refused).toMatchObject({ status, code })
    }
    expect((await listMessages(platform, thread)).data).toEqual([])
  })

  it('puts a file attached for search into a store of the thread’s own, with the message', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    const files = [await platform.addFile('a.txt', 'words'), await platform.addFile('b.txt', 'more')]
    const attachments = files.map(({ id: file_id }) => ({ file_id, tools: [{ type: 'file_search' }] }))
    const first = await newMessage(platform, thread, { attachments: attachments.slice(0, 1) })
    expect(first.attachments).toEqual(attachments.slice(0, 1))
    const resources = await resourcesOf(platform, thread)
    const [storeId] = resources.file_search?.vector_store_ids ?? []
    const store = () => ask<VectorStoreObject>(platform, 'GET', `/v1/vector_stores/${storeId}`)
    expect(await store()).toMatchObject({
      file_counts: { total: 1 },
      expires_after: { anchor: 'last_active_at', days: 7 },
    })
    await newMessage(platform, thread, { attachments })
    expect(await resourcesOf(platform, thread)).toEqual(resources)
    expect((await store()).file_counts.total).toBe(2)
  })

  it('puts a file attached for search into the store that the thread has', async () => {
    const platform = await start()
    const { id } = await ask<VectorStoreObject>(platform, 'POST', '/v1/vector_stores', {})
    const file_search = { vector_store_ids: [id] }
    const thread = await newThread(platform, { tool_resources: { file_search } })
    const { id: file_id } = await platform.addFile('a.txt', 'words')
    await newMessage(platform, thread, { attachments: [{ file_id, tools: [{ type: 'file_search' }] }] })
    expect(await resourcesOf(platform, thread)).toEqual({ file_search })
    expect(await ask(platform, 'GET', `/v1/vector_stores/${id}`)).toMatchObject({ file_counts: { total: 1 } })
  })

  it('gives files attached for code to the thread, each once, 20 at most', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    const ids: string[] = []
    for (let n = 0; n < 21; n++) ids.push((await platform.addFile(`${n}.csv`, 'a')).id)
    const forCode = (some: string[]) =>
      some.map((file_id) => ({ file_id, tools: [{ type: 'code_interpreter' }, { type: 'code_interpreter' }] }))
    await newMessage(platform, thread, { attachments: forCode(ids.slice(0, 12)) })
    await newMessage(platform, thread, { attachments: forCode(ids.slice(8, 20)) })
    const full = { code_interpreter: { file_ids: ids.slice(0, 20) } }
    expect(await resourcesOf(platform, thread)).toEqual(full)
    const one = { role: 'user', content: 'one more', attachments: forCode(ids.slice(20)) }
    const refused = await refusal(platform, 'POST', pathOf(thread), one)
    expect(refused).toMatchObject({ status: 400, param: 'attachments', code: 'array_above_max_length' })
    expect(await resourcesOf(platform, thread)).toEqual(full)
    expect((await listMessages(platform, thread)).data).toHaveLength(2)
  })
})
