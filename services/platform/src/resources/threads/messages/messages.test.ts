import { OpenAI4 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import type { ListEnvelope } from '../../../conventions/lists.ts'
import { ask, pairs, refusal } from '../../../testing/assistant-requests.ts'
import { describePlatform, describePlatformOnSqlite } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import type { MessageObject } from './schema.ts'
import { listMessages, newMessage, newThread, pathOf } from './testing/message-requests.ts'

const idsOf = ({ data }: ListEnvelope<MessageObject>): string[] => data.map(({ id }) => id)

const written = (value: string) => ({ type: 'text', text: { value, annotations: [] } })

describePlatform('messages', (start) => {
  it('AST-049 adds a message of either role and returns it with every field', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    for (const role of ['user', 'assistant']) {
      const message = await newMessage(platform, thread, { role, content: 'Wie spät ist es? 🕰️', metadata: { a: 'b' } })
      expect(message).toEqual({
        id: expect.stringMatching(/^msg_/),
        object: 'thread.message',
        created_at: expect.any(Number),
        thread_id: thread,
        status: 'completed',
        incomplete_details: null,
        completed_at: message.created_at,
        incomplete_at: null,
        role,
        content: [written('Wie spät ist es? 🕰️')],
        assistant_id: null,
        run_id: null,
        attachments: [],
        metadata: { a: 'b' },
      })
      expect(await ask(platform, 'GET', `${pathOf(thread)}/${message.id}`)).toEqual(message)
    }
  })

  it('AST-049 takes texts and images as parts', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    const image = await platform.addFile('cat.png', 'not looked at here', 'vision')
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_file', image_file: { file_id: image.id } },
      { type: 'image_url', image_url: { url: 'https://example.com/cat.png', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ]
    expect((await newMessage(platform, thread, { content })).content).toEqual([
      written('What is this?'),
      { type: 'image_file', image_file: { file_id: image.id, detail: 'auto' } },
      content[2],
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'auto' } },
    ])
  })

  it('lists messages newest first, by limit, order, after, before and run', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push((await newMessage(platform, thread)).id)
    const { messages } = platform.platform.assistants
    const by = { threadId: thread, assistantId: 'asst_1', runId: 'run_1' }
    ids.push(await platform.kernel.db.transaction(async (tx) => (await messages.startIn(tx, by)).id))
    const all = await listMessages(platform, thread)
    checkPublished('ListMessagesResponse', all)
    expect(idsOf(all)).toEqual(ids.toReversed())
    expect(await listMessages(platform, thread, `order=asc&limit=2&after=${ids[0]}`)).toMatchObject({
      ...{ object: 'list', first_id: ids[1], last_id: ids[2], has_more: true },
    })
    expect(idsOf(await listMessages(platform, thread, `before=${ids[2]}`))).toEqual([ids[4], ids[3]])
    expect(await listMessages(platform, thread, `after=${ids[0]}`)).toMatchObject({
      data: [],
      has_more: false,
      first_id: null,
    })
    expect(idsOf(await listMessages(platform, thread, 'run_id=run_1'))).toEqual([ids[4]])
    expect(idsOf(await listMessages(platform, thread, 'run_id=run_2'))).toEqual([])
    for (const query of ['limit=101', 'order=up', 'after=x', 'role=user']) {
      expect(await refusal(platform, 'GET', `${pathOf(thread)}?${query}`)).toMatchObject({ status: 400 })
    }
  })

  it('modifies metadata and nothing else', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    const message = await newMessage(platform, thread, { metadata: { a: 'b' } })
    const path = `${pathOf(thread)}/${message.id}`
    expect(await ask(platform, 'POST', path, {})).toEqual(message)
    expect(await ask(platform, 'POST', path, { metadata: { c: 'd' } })).toEqual({ ...message, metadata: { c: 'd' } })
    expect(await ask(platform, 'POST', path, { metadata: null })).toEqual({ ...message, metadata: {} })
    for (const body of [{ content: 'other' }, { metadata: pairs(17) }]) {
      expect(await refusal(platform, 'POST', path, body)).toMatchObject({ status: 400 })
    }
    expect(await ask(platform, 'GET', path)).toEqual({ ...message, metadata: {} })
  })

  it('deletes a message, but none that a run is writing', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    const { id } = await newMessage(platform, thread)
    const deleted = await ask(platform, 'DELETE', `${pathOf(thread)}/${id}`)
    checkPublished('DeleteMessageResponse', deleted)
    expect(deleted).toEqual({ id, object: 'thread.message.deleted', deleted: true })
    const gone = { status: 404, message: `No message found with id '${id}'.`, param: null, code: null }
    expect(await refusal(platform, 'GET', `${pathOf(thread)}/${id}`)).toMatchObject(gone)
    expect(await refusal(platform, 'POST', `${pathOf(thread)}/${id}`, {})).toMatchObject(gone)
    expect(await refusal(platform, 'DELETE', `${pathOf(thread)}/${id}`)).toMatchObject(gone)
    const { messages } = platform.platform.assistants
    const by = { threadId: thread, assistantId: 'asst_1', runId: 'run_1' }
    const begun = await platform.kernel.db.transaction((tx) => messages.startIn(tx, by))
    const refused = await refusal(platform, 'DELETE', `${pathOf(thread)}/${begun.id}`)
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining('run_1') })
  })

  it('knows the messages of a thread in that thread and in that project only', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    const elsewhere = await newThread(platform)
    const { id } = await newMessage(platform, thread)
    const noMessage = { status: 404, message: `No message found with id '${id}'.` }
    expect(await refusal(platform, 'GET', `${pathOf(elsewhere)}/${id}`)).toMatchObject(noMessage)
    expect(await refusal(platform, 'POST', `${pathOf(elsewhere)}/${id}`, { metadata: {} })).toMatchObject(noMessage)
    expect(await refusal(platform, 'DELETE', `${pathOf(elsewhere)}/${id}`)).toMatchObject(noMessage)
    const other = await platform.addProject('other')
    const noThread = { status: 404, message: `No thread found with id '${thread}'.` }
    expect(await refusal(other, 'GET', pathOf(thread))).toMatchObject(noThread)
    expect(await refusal(other, 'POST', pathOf(thread), { role: 'user', content: 'a' })).toMatchObject(noThread)
    expect(await refusal(other, 'GET', `${pathOf(thread)}/${id}`)).toMatchObject(noThread)
    expect(await refusal(other, 'DELETE', `${pathOf(thread)}/${id}`)).toMatchObject(noThread)
  })

  it('takes no more messages than a thread may have, until one is deleted', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    const { id } = await newMessage(platform, thread)
    const { queries } = platform.kernel.db
    await queries.updateTable('threads').set({ message_count: 100_000 }).where('id', '=', thread).execute()
    const body = { role: 'user', content: 'one more' }
    expect(await refusal(platform, 'POST', pathOf(thread), body)).toMatchObject({ status: 400, code: 'thread_full' })
    await ask(platform, 'DELETE', `${pathOf(thread)}/${id}`)
    await newMessage(platform, thread)
    expect(await refusal(platform, 'POST', pathOf(thread), body)).toMatchObject({ status: 400, code: 'thread_full' })
  })

  it('counts every message of many that come at once', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    const made = await Promise.all(Array.from({ length: 20 }, () => newMessage(platform, thread)))
    const { queries } = platform.kernel.db
    const rows = await queries.selectFrom('threads').select('message_count').where('id', '=', thread).execute()
    expect(rows).toEqual([{ message_count: 20 }])
    expect(idsOf(await listMessages(platform, thread)).toSorted()).toEqual(made.map(({ id }) => id).toSorted())
  })

  it('AST-049 works with the client programs were written with', async () => {
    const platform = await start()
    const { threads } = new OpenAI4({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1` }).beta
    const { id: thread } = await threads.create()
    const file = await platform.addFile('a.csv', 'a,b')
    const message = await threads.messages.create(thread, {
      role: 'user',
      content: [{ type: 'text', text: 'Sum it up' }],
      attachments: [{ file_id: file.id, tools: [{ type: 'code_interpreter' }] }],
    })
    expect(message).toMatchObject({ role: 'user', content: [written('Sum it up')] })
    expect(await threads.messages.retrieve(thread, message.id)).toEqual(message)
    await threads.messages.create(thread, { role: 'assistant', content: 'Three' })
    const roles: string[] = []
    for await (const { role } of threads.messages.list(thread, { limit: 1, order: 'asc' })) roles.push(role)
    expect(roles).toEqual(['user', 'assistant'])
    expect(await threads.messages.update(thread, message.id, { metadata: { a: 'b' } })).toMatchObject({
      metadata: { a: 'b' },
    })
    expect(await threads.messages.del(thread, message.id)).toMatchObject({ deleted: true })
    await expect(threads.messages.retrieve(thread, message.id)).rejects.toMatchObject({ status: 404 })
  })
})

describePlatformOnSqlite('what messages may be', (start) => {
  it('AST-049 refuses what is missing, unknown, too long, too many or of the wrong kind', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    const text = (length: number) => ({ type: 'text', text: 'x'.repeat(length) })
    const file = { file_id: 'file-1', tools: [{ type: 'file_search' }] }
    const cases: [object, string, string][] = [
      [{ role: undefined }, 'role', 'missing_required_parameter'],
      [{ content: undefined }, 'content', 'missing_required_parameter'],
      [{ role: 'system' }, 'role', 'invalid_value'],
      [{ content: '' }, 'content', 'string_below_min_length'],
      [{ content: 'x'.repeat(256_001) }, 'content', 'string_above_max_length'],
      [{ content: [] }, 'content', 'empty_array'],
      [{ content: [text(256_001)] }, 'content[0].text', 'string_above_max_length'],
      [{ content: [text(200_000), text(56_001)] }, 'content', 'invalid_value'],
      [{ content: Array(513).fill(text(1)) }, 'content', 'array_above_max_length'],
      [{ content: [{ type: 'audio' }] }, 'content[0].type', 'invalid_value'],
      [
        { content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
        'content[0].image_url.url',
        'invalid_value',
      ],
      [
        { content: [{ type: 'image_url', image_url: { url: 'https://a.b/c.png', detail: 'max' } }] },
        'content[0].image_url.detail',
        'invalid_value',
      ],
      [{ attachments: [{ file_id: 'file-1' }] }, 'attachments[0].tools', 'missing_required_parameter'],
      [{ attachments: [{ file_id: 'file-1', tools: [] }] }, 'attachments[0].tools', 'empty_array'],
      [
        { attachments: [{ file_id: 'file-1', tools: [{ type: 'function' }] }] },
        'attachments[0].tools[0].type',
        'invalid_value',
      ],
      [{ attachments: Array(501).fill(file) }, 'attachments', 'array_above_max_length'],
      [{ metadata: pairs(17) }, 'metadata', 'object_above_max_properties'],
      [{ metadata: { key: 'v'.repeat(513) } }, 'metadata.key', 'string_above_max_length'],
      [{ file_ids: ['file-1'] }, 'file_ids', 'unknown_parameter'],
    ]
    for (const [fields, param, code] of cases) {
      const refused = await refusal(platform, 'POST', pathOf(thread), { role: 'user', content: 'a', ...fields })
      expect(refused).toMatchObject({ status: 400, param, code })
    }
    expect((await listMessages(platform, thread)).data).toEqual([])
    await newMessage(platform, thread, { content: 'x'.repeat(256_000) })
    await newMessage(platform, thread, { content: [text(200_000), text(56_000)] })
  })
})
