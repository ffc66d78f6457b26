// Whole flows of the newer official clients, by their own helpers: what programs of today do with files, batches and runs.
import { OpenAI6, OpenAI7, toFile6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { WordEmbeddings } from '../resources/vector-stores/testing/word-embeddings.ts'
import { describePlatformOnSqlite } from '../testing/describe-platform.ts'
import { weather } from '../testing/run-requests.ts'
import { type Piece, ScriptedChatModel } from '../testing/scripted-chat-model.ts'
import { clientVersion } from './testing/client-version.ts'
import { settings } from './testing/loop.ts'

const call: Piece = { call: 'get_weather', arguments: ['{"city":', '"Paris"}'] }
const tools = [weather as { type: 'function'; function: { name: string } }]
const question = { messages: [{ role: 'user' as const, content: 'Weather in Paris?' }] }
const polling = { pollIntervalMs: 20 }

/** What is used of both is alike in both. */
const clients = { 'openai-6': OpenAI6, 'openai-7': OpenAI7 as unknown as typeof OpenAI6 }

const file = (name: string, text: string) => toFile6(Buffer.from(text), name)

const line = (custom_id: string, content: string): string =>
  JSON.stringify({
    ...{ custom_id, method: 'POST', url: '/v1/chat/completions' },
    body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content }] },
  })

for (const [name, Client] of Object.entries(clients)) {
  describePlatformOnSqlite(`client openai ${clientVersion(name)}`, (start) => {
    const prepare = async (...answers: Piece[][]) => {
      const runtimes = { ...new ScriptedChatModel(answers).runtimes, ...new WordEmbeddings().runtimes }
      return new Client(settings(await start({ runtimes })))
    }

    it('createAndRunStream and submitToolOutputsStream bring a run to its answer', async () => {
      const { beta } = await prepare([call], ['Sun', 'ny'])
      const { id: assistant_id } = await beta.assistants.create({ model: 'gpt-4o', tools })
      const first = beta.threads.createAndRunStream({ assistant_id, thread: question })
      const written: string[] = []
      first.on('toolCallDelta', (delta) => {
        if (delta.type === 'function') written.push(delta.function?.arguments ?? '')
      })
      const waiting = await first.finalRun()
      expect([waiting.status, written.join('')]).toEqual(['requires_action', '{"city":"Paris"}'])
      const asked = waiting.required_action?.submit_tool_outputs.tool_calls ?? []
      const tool_outputs = asked.map(({ id }) => ({ tool_call_id: id, output: 'sun' }))
      const { thread_id } = waiting
      const second = beta.threads.runs.submitToolOutputsStream(waiting.id, { thread_id, tool_outputs })
      const texts: string[] = []
      second.on('textDelta', ({ value }) => texts.push(value ?? ''))
      expect(await second.finalMessages()).toMatchObject([{ content: [{ text: { value: 'Sunny' } }] }])
      expect([(await second.finalRun()).status, texts]).toEqual(['completed', ['Sun', 'ny']])
      const steps = await beta.threads.runs.steps.list(waiting.id, { thread_id, order: 'asc' })
      expect(steps.data.map(({ type }) => type)).toEqual(['tool_calls', 'message_creation'])
    })

    it('createAndRunPoll, createAndPoll and submitToolOutputsAndPoll wait for what comes next', async () => {
      const { beta } = await prepare([call], ['Sunny'], ['Still sunny'])
      const { id: assistant_id } = await beta.assistants.create({ model: 'gpt-4o', tools })
      const waiting = await beta.threads.createAndRunPoll({ assistant_id, thread: question }, polling)
      const { thread_id } = waiting
      const asked = waiting.required_action?.submit_tool_outputs.tool_calls ?? []
      const tool_outputs = asked.map(({ id }) => ({ tool_call_id: id, output: 'sun' }))
      const outputs = { thread_id, tool_outputs }
      const run = await beta.threads.runs.submitToolOutputsAndPoll(waiting.id, outputs, polling)
      await beta.threads.messages.create(thread_id, { role: 'user', content: 'And now?' })
      const next = await beta.threads.runs.createAndPoll(thread_id, { assistant_id }, polling)
      expect([waiting, run, next].map(({ status }) => status)).toEqual(['requires_action', 'completed', 'completed'])
      const messages = await beta.threads.messages.list(thread_id)
      expect(messages.data[0]?.content).toMatchObject([{ text: { value: 'Still sunny' } }])
      expect(await beta.threads.delete(thread_id)).toMatchObject({ deleted: true })
    })

    it('a batch goes from a file of requests to a file of answers', async () => {
      const { files, batches } = await prepare(['Hello'])
      const text = [line('a', 'Hi'), line('b', 'Hello')].join('\n')
      const input = await files.create({ file: await file('lines.jsonl', text), purpose: 'batch' })
      expect(await files.waitForProcessing(input.id)).toMatchObject({ status: 'processed' })
      expect(await (await files.content(input.id)).text()).toBe(text)
      const { id } = await batches.create({
        ...{ completion_window: '24h' as const, endpoint: '/v1/chat/completions' as const, input_file_id: input.id },
        metadata: { night: 'first' },
      })
      const statusNow = async () => (await batches.retrieve(id)).status
      await expect.poll(statusNow, { timeout: 20_000 }).toBe('completed')
      const batch = await batches.retrieve(id)
      expect(batch).toMatchObject({ request_counts: { total: 2, completed: 2, failed: 0 }, error_file_id: null })
      const answers = (await (await files.content(batch.output_file_id ?? '')).text()).trimEnd().split('\n')
      expect(answers.map((answer) => JSON.parse(answer))).toMatchObject([
        { custom_id: 'a', response: { status_code: 200, body: { choices: [{ message: { content: 'Hello' } }] } } },
        { custom_id: 'b', response: { status_code: 200 } },
      ])
      const ids: string[] = []
      for await (const listed of batches.list({ limit: 1 })) ids.push(listed.id)
      expect(ids).toEqual([batch.id])
      await expect(batches.cancel(batch.id)).rejects.toBeInstanceOf(Client.ConflictError)
      expect(await files.delete(input.id)).toMatchObject({ deleted: true })
      await expect(files.content(input.id)).rejects.toBeInstanceOf(Client.NotFoundError)
    })

    it('an upload in parts becomes a file; one that was cancelled takes no more', async () => {
      const { files, uploads } = await prepare()
      const parts = ['Corals ', 'are ', 'animals.']
      const bytes = parts.join('').length
      const asked = { bytes, filename: 'coral.txt', mime_type: 'text/plain', purpose: 'assistants' as const }
      const { id } = await uploads.create(asked)
      const part_ids: string[] = []
      for (const part of parts) part_ids.push((await uploads.parts.create(id, { data: await file('part', part) })).id)
      const done = await uploads.complete(id, { part_ids })
      expect(done).toMatchObject({ status: 'completed', file: { filename: 'coral.txt', bytes } })
      expect(await (await files.content(done.file?.id ?? '')).text()).toBe(parts.join(''))
      const other = await uploads.create(asked)
      expect(await uploads.cancel(other.id)).toMatchObject({ status: 'cancelled' })
      await expect(uploads.parts.create(other.id, { data: await file('part', 'x') })).rejects.toMatchObject({
        status: 400,
      })
    })

    it('fileBatches.uploadAndPoll fills a vector store that can be searched', async () => {
      const { vectorStores } = await prepare()
      const store = await vectorStores.create({})
      const files = [await file('coral.txt', 'Corals are animals.'), await file('ship.txt', 'Ships sail.')]
      const batch = await vectorStores.fileBatches.uploadAndPoll(store.id, { files }, polling)
      expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 2, total: 2 } })
      const listed: string[] = []
      for await (const { status } of vectorStores.fileBatches.listFiles(batch.id, { vector_store_id: store.id })) {
        listed.push(status)
      }
      expect(listed).toEqual(['completed', 'completed'])
      const found = await vectorStores.search(store.id, { query: 'corals', max_num_results: 1 })
      expect(found.data).toMatchObject([{ filename: 'coral.txt' }])
      expect(await vectorStores.delete(store.id)).toMatchObject({ deleted: true })
    })
  })
}
