import { OpenAI6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { startChatModel } from '../../../testing/chat-model.ts'
import { chatBody, complete, stream, streamedText } from '../../../testing/chat-requests.ts'
import { describePlatform, type TestPlatform } from '../../../testing/describe-platform.ts'
import { errorOf } from '../../../testing/requests.ts'

const model = startChatModel()

const clientOf = ({ url, apiKey }: TestPlatform) => new OpenAI6({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })

describePlatform('stored chat completions', (start) => {
  it('INF-043 INF-044 are kept when asked for, and those alone', async () => {
    const platform = await start({ runtimes: model() })
    const metadata = { team: 'blue', run: '7' }
    const kept = await complete(platform, { store: true, metadata, seed: 1 })
    await complete(platform, { store: false })
    await complete(platform, { metadata: { team: 'red' } })
    const client = clientOf(platform)
    expect(await client.chat.completions.retrieve(kept.id)).toEqual({ ...kept, metadata })
    const { data } = await client.chat.completions.list()
    expect(data.map(({ id }) => id)).toEqual([kept.id])
  })

  it('are kept of streams too, as the whole would be', async () => {
    const platform = await start({ runtimes: model() })
    const { chunks } = await stream(platform, { store: true, n: 2, seed: 3, logprobs: true })
    const kept = await clientOf(platform).chat.completions.retrieve(chunks[0]!.id)
    const whole = await complete(platform, { n: 2, seed: 3 })
    const choices = whole.choices.map(({ logprobs: _, ...choice }) => choice)
    expect(kept).toMatchObject({ object: 'chat.completion', created: chunks[0]!.created, choices })
    const tokens = chunks.flatMap((chunk) => chunk.choices.filter(({ index }) => index === 0))
    expect(kept.choices[0]?.logprobs?.content).toEqual(tokens.flatMap(({ logprobs }) => logprobs?.content ?? []))
    expect(kept.choices[1]?.message.content).toBe(streamedText(chunks, 1))
  })

  it('are listed oldest first, in pages, by model and by metadata', async () => {
    const platform = await start({ runtimes: model() })
    const ids: string[] = []
    for (const [n, name] of ['gpt-4o', 'gpt-4o-mini', 'gpt-4o', 'gpt-4o-mini', 'gpt-4o'].entries()) {
      const metadata = { half: n < 3 ? 'first' : 'second', n: String(n) }
      ids.push((await complete(platform, { model: name, store: true, metadata, max_tokens: 1 })).id)
    }
    const { completions } = clientOf(platform).chat
    const list = async (query: OpenAI6.Chat.ChatCompletionListParams) => {
      const seen: string[] = []
      for await (const { id } of completions.list({ limit: 2, ...query })) seen.push(id)
      return seen
    }
    expect(await list({})).toEqual(ids)
    expect(await list({ order: 'desc' })).toEqual([...ids].reverse())
    expect(await list({ model: 'gpt-4o' })).toEqual([ids[0], ids[2], ids[4]])
    expect(await list({ metadata: { half: 'first' } })).toEqual(ids.slice(0, 3))
    expect(await list({ metadata: { half: 'second', n: '4' }, model: 'gpt-4o' })).toEqual([ids[4]])
    expect(await list({ metadata: { half: 'third' } })).toEqual([])
    expect(await list({ after: ids[3]! })).toEqual([ids[4]])
    const answeredBy = (await completions.retrieve(ids[0]!)).model
    expect(await list({ model: answeredBy })).toEqual(ids)
    const page = await (await platform.get('/v1/chat/completions?limit=2')).json()
    expect(page).toMatchObject({ object: 'list', first_id: ids[0], last_id: ids[1], has_more: true })
  })

  it('can be tagged anew, and deleted', async () => {
    const platform = await start({ runtimes: model() })
    const { id } = await complete(platform, { store: true, metadata: { a: '1', b: '2' }, max_tokens: 1 })
    const { completions } = clientOf(platform).chat
    expect(await completions.update(id, { metadata: { b: '3' } })).toMatchObject({ id, metadata: { b: '3' } })
    expect((await completions.list({ metadata: { a: '1' } })).data).toEqual([])
    expect((await completions.list({ metadata: { b: '3' } })).data).toHaveLength(1)
    expect(await completions.update(id, { metadata: null })).toMatchObject({ id, metadata: {} })
    expect(await completions.delete(id)).toEqual({ object: 'chat.completion.deleted', id, deleted: true })
    await expect(completions.retrieve(id)).rejects.toBeInstanceOf(OpenAI6.NotFoundError)
    await expect(completions.delete(id)).rejects.toBeInstanceOf(OpenAI6.NotFoundError)
    await expect(completions.update(id, { metadata: {} })).rejects.toBeInstanceOf(OpenAI6.NotFoundError)
    expect((await completions.list()).data).toEqual([])
  })

  it('have their messages, in pages', async () => {
    const platform = await start({ runtimes: model() })
    const messages = [
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }], name: 'ann' },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: 'Go on\ud83d' },
    ]
    const { id } = await complete(platform, { store: true, messages, max_tokens: 1 })
    const { messages: kept } = clientOf(platform).chat.completions
    const seen = []
    for await (const message of kept.list(id, { limit: 3 })) seen.push(message)
    expect(seen).toEqual([
      { id: `${id}-0`, role: 'system', content: 'Be kind', content_parts: null, name: null },
      { id: `${id}-1`, role: 'user', content: null, content_parts: messages[1]!.content, name: 'ann' },
      { id: `${id}-2`, role: 'assistant', content: 'Hi', content_parts: null, name: null },
      { id: `${id}-3`, role: 'user', content: expect.stringMatching(/^Go on/), content_parts: null, name: null },
    ])
    const last = await kept.list(id, { order: 'desc', limit: 1 })
    expect(last.data.map((message) => message.id)).toEqual([`${id}-3`])
    expect((await kept.list(id, { order: 'desc', after: `${id}-1` })).data.map((message) => message.id)).toEqual([
      `${id}-0`,
    ])
    expect((await kept.list(id, { after: `${id}-3` })).data).toEqual([])
    const wrong = await platform.get(`/v1/chat/completions/${id}/messages?after=${id}-9`)
    expect(wrong.status).toBe(400)
    expect(await errorOf(wrong)).toMatchObject({ param: 'after' })
  })

  it("are the project's own", async () => {
    const platform = await start({ runtimes: model() })
    const { id } = await complete(platform, { store: true, max_tokens: 1 })
    const other = await platform.addProject('other')
    for (const path of [`/v1/chat/completions/${id}`, `/v1/chat/completions/${id}/messages`]) {
      const response = await other.get(path)
      expect(response.status).toBe(404)
      expect(await errorOf(response)).toMatchObject({ param: 'completion_id' })
    }
    expect((await other.delete(`/v1/chat/completions/${id}`)).status).toBe(404)
    expect((await other.post(`/v1/chat/completions/${id}`, { metadata: {} })).status).toBe(404)
    expect((await (await other.get('/v1/chat/completions')).json()).data).toEqual([])
    expect((await platform.get(`/v1/chat/completions/${id}`)).status).toBe(200)
    expect((await platform.post('/v1/chat/completions', chatBody({ store: 'yes' }))).status).toBe(400)
  })
})
