// Whole runs with our own tools: a real store and a real sandbox, only the model says what the test wants.
import { expect, it } from 'vitest'
import { adminOf } from '../../resources/organization/testing/admin-client.ts'
import type { MessageContent } from '../../resources/threads/messages/schema.ts'
import type { RunObject } from '../../resources/threads/runs/schema.ts'
import { searchContent } from '../../resources/threads/runs/steps/schema.ts'
import { StoreRequests } from '../../resources/vector-stores/testing/store-requests.ts'
import { WordEmbeddings } from '../../resources/vector-stores/testing/word-embeddings.ts'
import { ask } from '../../testing/assistant-requests.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { checkPublished } from '../../testing/published-schemas.ts'
import {
  messagesOf,
  newAssistant,
  newRun,
  newThread,
  runOnce,
  runsPath,
  settled,
  stepsOf,
  streamed,
} from '../../testing/run-requests.ts'
import { ScriptedChatModel } from '../../testing/scripted-chat-model.ts'
import { waitUntil } from '../../testing/wait-until.ts'

const club =
  'The workshop of the bicycle club is open on Tuesday from 5 pm to 8 pm. Members repair their bicycles for free; guests pay 6 euros an evening. Tools are lent out against a deposit of 20 euros.'
const search = { tools: [{ type: 'file_search' }] }
const python = { tools: [{ type: 'code_interpreter' }] }

/** A table and a picture of one point, without any package. */
const writesFiles = `
import struct, zlib
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
with open('/mnt/data/table.csv', 'w') as table:
    table.write('month,total\\nMay,42\\n')
with open('/mnt/data/chart.png', 'wb') as chart:
    chart.write(b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 1, 1, 8, 0, 0, 0, 0))
        + chunk(b'IDAT', zlib.compress(b'\\0\\0')) + chunk(b'IEND', b''))
print(open('/mnt/data/data.txt').read().upper())
`

const textPart = (content: readonly MessageContent[]) => {
  const part = content.find(({ type }) => type === 'text')
  if (part?.type !== 'text') throw new Error('there is no text')
  return part.text
}

describePlatformOnSqlite('runs with our own tools', (start) => {
  const begin = async (model: ScriptedChatModel): Promise<{ platform: TestPlatform; stores: StoreRequests }> => {
    const platform = await start({ runtimes: { ...model.runtimes, ...new WordEmbeddings().runtimes } })
    return { platform, stores: new StoreRequests(platform) }
  }

  it('AST-131 an answer from a file in the assistant’s store cites it', async () => {
    const model = new ScriptedChatModel([['Guests pay 6 eu', 'ros an evening. ', 'Have fun!']])
    const { platform, stores } = await begin(model)
    const fileId = await stores.addText('club.txt', club)
    const { id } = await stores.create({ file_ids: [fileId] })
    const assistant = { ...search, tool_resources: { file_search: { vector_store_ids: [id] } } }
    const run = await runOnce(platform, { assistant, messages: ['How much do guests pay for an evening?'] })
    expect(run).toMatchObject({ status: 'completed', last_error: null })
    expect(model.requests[0]?.messages).toEqual([
      {
        role: 'user',
        content: `<context>\n[1] club.txt\n${club}\n</context>\n\nHow much do guests pay for an evening?`,
      },
    ])
    const [, answer] = await messagesOf(platform, run.thread_id)
    expect(textPart(answer?.content ?? [])).toEqual({
      value: 'Guests pay 6 euros an evening.【0:0†club.txt】 Have fun!',
      annotations: [
        {
          type: 'file_citation',
          text: '【0:0†club.txt】',
          start_index: 30,
          end_index: 44,
          file_citation: { file_id: fileId },
        },
      ],
    })
    const [searched] = await stepsOf(platform, run, `&include[]=${encodeURIComponent(searchContent)}`)
    expect(searched?.step_details).toMatchObject({
      tool_calls: [
        {
          type: 'file_search',
          file_search: {
            ranking_options: { ranker: 'default_2024_08_21', score_threshold: 0 },
            results: [{ file_id: fileId, file_name: 'club.txt', content: [{ type: 'text', text: club }] }],
          },
        },
      ],
    })
  })

  it('AST-131 a file attached to a message is searched, and the next answer reads no marks', async () => {
    const model = new ScriptedChatModel([['A deposit of 20 euros.'], ['You are welcome.']])
    const { platform, stores } = await begin(model)
    const file_id = await stores.addText('club.txt', club)
    const { id: assistant_id } = await newAssistant(platform, search)
    const thread = await newThread(platform)
    const message = { role: 'user', content: 'What is the deposit for tools?' }
    const attachments = [{ file_id, tools: [{ type: 'file_search' }] }]
    const additional_messages = [{ ...message, attachments }]
    const events = await streamed(platform, runsPath(thread.id), { assistant_id, additional_messages })
    const deltas = events
      .filter(({ event }) => event === 'thread.message.delta')
      .map(({ data }) => data.delta.content[0].text)
    expect(deltas.map(({ value }) => value).join('')).toBe('A deposit of 20 euros.【0:0†club.txt】')
    expect(deltas.flatMap(({ annotations }) => annotations ?? [])).toMatchObject([
      { index: 0, type: 'file_citation', start_index: 22, end_index: 36, file_citation: { file_id } },
    ])
    await settled(
      platform,
      await newRun(platform, thread.id, { assistant_id, additional_messages: [{ role: 'user', content: 'Thanks' }] }),
    )
    const said = model.requests[1]?.messages.find(({ role }) => role === 'assistant')
    expect(said?.content).toBe('A deposit of 20 euros.')
  })

  it('AST-131 the model may search again, in other words', async () => {
    const query = ['{"query":', '"deposit for tools"}']
    const model = new ScriptedChatModel([
      [{ call: 'file_search', arguments: query }],
      ['Tools need a deposit of 20 euros.'],
    ])
    const { platform, stores } = await begin(model)
    const { id } = await stores.create({ file_ids: [await stores.addText('club.txt', club)] })
    const assistant = { ...search, tool_resources: { file_search: { vector_store_ids: [id] } } }
    const run = await runOnce(platform, { assistant, messages: ['And the deposit?'] })
    expect(run.last_error).toBeNull()
    const steps = await stepsOf(platform, run)
    expect(steps.map(({ type }) => type)).toEqual(['tool_calls', 'tool_calls', 'message_creation'])
    const [, answer] = await messagesOf(platform, run.thread_id)
    expect(textPart(answer?.content ?? []).value).toMatch(/^Tools need a deposit of 20 euros\.【\d:0†club\.txt】$/)
  })

  it('AST-131 the model is told when the files hold nothing about a question, and nothing of it beside a greeting', async () => {
    const model = new ScriptedChatModel([['I found nothing about that.'], ['Hello!']])
    const { platform, stores } = await begin(model)
    const { id } = await stores.create({ file_ids: [await stores.addText('club.txt', club)] })
    const options = { ranking_options: { score_threshold: 0.99 } }
    const assistant = {
      tools: [{ type: 'file_search', file_search: options }],
      tool_resources: { file_search: { vector_store_ids: [id] } },
    }
    const question = 'Who won the chess tournament of Reykjavik?'
    await runOnce(platform, { assistant, messages: [question] })
    await runOnce(platform, { assistant, messages: ['Good morning'] })
    expect(model.requests.map(({ messages }) => messages)).toEqual([
      [{ role: 'user', content: `<context>\nThe files hold nothing about this.\n</context>\n\n${question}` }],
      [{ role: 'user', content: 'Good morning' }],
    ])
  })

  it('AST-131 a question that builds on the one before is looked for together with it', async () => {
    const model = new ScriptedChatModel([['Guests pay 6 euros.'], ['They pay nothing.']])
    const { platform, stores } = await begin(model)
    const texts = { 'club.txt': club, 'zoo.txt': 'Members of the zoo feed the penguins at noon.' }
    const file_ids = await Promise.all(Object.entries(texts).map(([name, text]) => stores.addText(name, text)))
    const { id } = await stores.create({ file_ids })
    const assistant = { ...search, tool_resources: { file_search: { vector_store_ids: [id] } } }
    const assistant_id = (await newAssistant(platform, assistant)).id
    const thread = await newThread(platform, 'What do guests pay in the workshop of the bicycle club?')
    await settled(platform, await newRun(platform, thread.id, { assistant_id }))
    await ask(platform, 'POST', `/v1/threads/${thread.id}/messages`, { role: 'user', content: 'And members?' })
    await settled(platform, await newRun(platform, thread.id, { assistant_id }))
    expect(String(model.requests[1]?.messages.at(-1)?.content)).toMatch(/^<context>\n\[1\] club\.txt\n/)
  })

  it('AST-131 the models that Atoll brings along find the file, read it, and cite it', {
    timeout: 120_000,
  }, async () => {
    const platform = await start()
    const stores = new StoreRequests(platform)
    const files = {
      'club.txt': `${club} The workshop is led by Marta Keller.`,
      'rooms.md': 'Rooms and keys are given out at noon.',
    }
    const file_ids = await Promise.all(Object.entries(files).map(([name, text]) => stores.addText(name, text)))
    const { id } = await stores.create({ file_ids })
    const tool_resources = { file_search: { vector_store_ids: [id] } }
    const { id: assistant_id } = await newAssistant(platform, { ...search, tool_resources, temperature: 0 })
    const thread = await newThread(platform, 'Who leads the workshop?')
    const run = await settled(platform, await newRun(platform, thread.id, { assistant_id }), 100_000)
    expect(run).toMatchObject({ status: 'completed', last_error: null })
    const [, answer] = await messagesOf(platform, thread.id)
    const { value, annotations } = textPart(answer?.content ?? [])
    expect(value).toMatch(/Marta Keller.*【0:0†club\.txt】/)
    expect(annotations).toMatchObject([{ type: 'file_citation', file_citation: { file_id: file_ids[0] } }])
  })

  it('an expired store fails the run in words, a deleted one is passed by', async () => {
    const { platform, stores } = await begin(new ScriptedChatModel([['Hello']]))
    const { id } = await stores.create({ file_ids: [await stores.addText('club.txt', club)] })
    await stores.settled(id)
    const assistant = { ...search, tool_resources: { file_search: { vector_store_ids: [id] } } }
    await platform.kernel.db.queries
      .updateTable('vector_stores' as never)
      .set({ expires_at: 1, expires_after_days: 1 } as never)
      .execute()
    const run = await runOnce(platform, { assistant })
    expect(run).toMatchObject({
      status: 'failed',
      last_error: { code: 'server_error', message: expect.stringContaining('has expired') },
    })
    await stores.call('DELETE', `/${id}`)
    const { assistant_id } = run
    const next = await newRun(platform, run.thread_id, { assistant_id, tool_choice: 'required' })
    expect(await settled(platform, next)).toMatchObject({ status: 'completed', last_error: null })
  })

  it('AST-096 AST-104 AST-280 code reads a file of the thread, writes a table and a picture, tells so on the way, and is counted as a session', async () => {
    const model = new ScriptedChatModel((_, index) =>
      index === 0
        ? [{ call: 'code_interpreter', arguments: [JSON.stringify({ code: writesFiles })] }]
        : index === 1
          ? ['Here is [the table](sandbox:/mnt/data/', 'table.csv).']
          : [{ call: 'code_interpreter', arguments: ['{"code":"while True: pass"}'] }],
    )
    const { platform } = await begin(model)
    const { id: file_id } = await platform.addFile('data.txt', 'hello')
    const { id: assistant_id } = await newAssistant(platform, python)
    const thread = await newThread(platform)
    const attachments = [{ file_id, tools: [{ type: 'code_interpreter' }] }]
    const additional_messages = [{ role: 'user', content: 'Make a table and a chart.', attachments }]
    const events = await streamed(platform, runsPath(thread.id), { assistant_id, additional_messages })

    const run = events.findLast(({ event }) => event === 'thread.run.completed')?.data as RunObject
    const calls = events
      .filter(({ event }) => event === 'thread.run.step.delta')
      .map(({ data }) => data.delta.step_details.tool_calls[0].code_interpreter)
    expect(calls.map(({ input = '' }) => input).join('')).toBe(writesFiles.trimEnd())
    expect(calls.findIndex(({ input }) => input)).toBeLessThan(calls.findIndex(({ outputs }) => outputs?.length > 0))
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('HELLO')

    const [, answer] = await messagesOf(platform, thread.id)
    const [image, text] = answer?.content ?? []
    expect(text).toMatchObject({
      type: 'text',
      text: {
        value: 'Here is [the table](sandbox:/mnt/data/table.csv).',
        annotations: [{ type: 'file_path', text: 'sandbox:/mnt/data/table.csv', start_index: 20, end_index: 47 }],
      },
    })
    const [annotation] = textPart(answer?.content ?? []).annotations
    const tableId = annotation?.type === 'file_path' ? annotation.file_path.file_id : ''
    expect(await (await platform.get(`/v1/files/${tableId}/content`)).text()).toBe('month,total\nMay,42\n')
    const imageId = image?.type === 'image_file' ? image.image_file.file_id : ''
    const bytes = await (await platform.get(`/v1/files/${imageId}/content`)).arrayBuffer()
    expect([...new Uint8Array(bytes)].slice(0, 4)).toEqual([0x89, 0x50, 0x4e, 0x47])

    const [step] = await stepsOf(platform, run)
    const outputs = [
      { type: 'logs', logs: 'HELLO\n' },
      { type: 'image', image: { file_id: imageId } },
    ]
    expect(step?.step_details).toMatchObject({
      tool_calls: [{ type: 'code_interpreter', code_interpreter: { input: writesFiles.trimEnd(), outputs } }],
    })
    expect(calls.flatMap(({ outputs: told = [] }) => told)).toEqual(
      outputs.map((output, index) => ({ index, ...output })),
    )

    // Code without an end goes on until its run is cancelled.
    const endless = await newRun(platform, thread.id, { assistant_id })
    await waitUntil(async () => (await stepsOf(platform, endless)).length === 1, 20_000)
    await ask(platform, 'POST', runsPath(thread.id, endless.id, '/cancel'))
    expect((await settled(platform, endless)).status).toBe('cancelled')

    // Both ran in one session.
    await platform.platform.inference.usage.flush()
    const counted = { start_time: run.created_at, group_by: ['project_id' as const] }
    const page = await adminOf(platform).usage.codeInterpreterSessions(counted)
    checkPublished('UsageResponse', page)
    const { projectId: project_id } = platform.caller
    const object = 'organization.usage.code_interpreter_sessions.result'
    expect(page.data.flatMap(({ results }) => results)).toEqual([{ object, sessions: 1, project_id }])
  }, 120_000)
})
