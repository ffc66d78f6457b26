// Batches of responses: what later clients add to those of chats.
import { OpenAI7, toFile6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../../testing/describe-platform.ts'
import { ScriptedChatModel } from '../../testing/scripted-chat-model.ts'

describePlatformOnSqlite('a batch of responses', (start) => {
  it('answers each line as the endpoint would, counts it as a batch, and refuses what is not answered whole', async () => {
    const scripted = new ScriptedChatModel(({ messages }) => [`Heard: ${messages.at(-1)?.content}`])
    const platform = await start({ runtimes: scripted.runtimes })
    const { files, batches, responses } = new OpenAI7({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1` })
    const line = (custom_id: string, more: object = {}) =>
      JSON.stringify({
        ...{ custom_id, method: 'POST', url: '/v1/responses' },
        body: { model: 'gpt-4o-mini', input: custom_id, ...more },
      })
    const text = [line('a'), line('b', { background: true }), line('c', { tools: [{ type: 'web_search' }] })].join('\n')
    const input = await files.create({ file: await toFile6(Buffer.from(text), 'lines.jsonl'), purpose: 'batch' })
    const asked = { completion_window: '24h' as const, endpoint: '/v1/responses' as const, input_file_id: input.id }
    const { id } = await batches.create(asked)
    await expect.poll(async () => (await batches.retrieve(id)).status, { timeout: 20_000 }).toBe('completed')
    const batch = await batches.retrieve(id)
    expect(batch.request_counts).toEqual({ total: 3, completed: 1, failed: 2 })
    const linesOf = async (fileId: string | undefined) =>
      (await (await files.content(fileId ?? '')).text())
        .trimEnd()
        .split('\n')
        .map((written) => JSON.parse(written))
    const [answer] = await linesOf(batch.output_file_id)
    expect(answer).toMatchObject({ custom_id: 'a', response: { status_code: 200, body: { object: 'response' } } })
    expect((await responses.retrieve(answer.response.body.id)).output_text).toBe('Heard: a')
    const refused = await linesOf(batch.error_file_id)
    const words = refused.map(({ custom_id, response }) => [custom_id, response.body.error.message])
    expect(words.sort()).toEqual([
      ['b', expect.stringContaining('answered whole')],
      ['c', expect.stringContaining('does not search the web')],
    ])
    await platform.platform.inference.usage.flush()
    const events = platform.kernel.db.queries.selectFrom('usage_events').select(['operation', 'batch'])
    expect(await events.execute()).toEqual([{ operation: 'chat', batch: 1 }])
  })
})
