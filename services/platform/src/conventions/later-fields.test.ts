// What clients since December 2024 ask of older paths: honoured, or refused in words.
import { ManualClock } from '@atoll/kernel/clock/clock'
import { OpenAI7, toFile6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { StoreRequests } from '../resources/vector-stores/testing/store-requests.ts'
import { WordEmbeddings } from '../resources/vector-stores/testing/word-embeddings.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../testing/describe-platform.ts'
import { errorOf } from '../testing/requests.ts'
import { ScriptedChatModel } from '../testing/scripted-chat-model.ts'

const newClient = ({ url, apiKey }: TestPlatform): OpenAI7 =>
  new OpenAI7({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })
const messages = [{ role: 'user' as const, content: 'Hi' }]

describePlatformOnSqlite('later clients', (start) => {
  it('have files go by themselves', async () => {
    const clock = new ManualClock(Date.now())
    const platform = await start({ clock, withoutJobs: true })
    const { files } = newClient(platform)
    const expires_after = { anchor: 'created_at' as const, seconds: 3600 }
    const upload = async () => toFile6(Buffer.from('x'), 'a.txt')
    const file = await files.create({ file: await upload(), purpose: 'assistants', expires_after })
    expect(file.expires_at).toBe(file.created_at + 3600)
    const kept = await files.create({ file: await upload(), purpose: 'assistants' })
    clock.advanceSeconds(3601)
    await expect(files.retrieve(file.id)).rejects.toMatchObject({ status: 404 })
    await platform.platform.files.removeOverdue()
    expect((await files.list()).data.map(({ id }) => id)).toEqual([kept.id])
    const short = { anchor: 'created_at' as const, seconds: 5 }
    const refused = files.create({ file: await upload(), purpose: 'assistants', expires_after: short })
    await expect(refused).rejects.toMatchObject({ status: 400 })
  })

  it('read what a vector store has of a file', async () => {
    const platform = await start({ runtimes: new WordEmbeddings().runtimes })
    const stores = new StoreRequests(platform)
    const fileId = await stores.addText('a.txt', 'Guests pay 6 euros.')
    const { id: vector_store_id } = await stores.create({ file_ids: [fileId] })
    await newClient(platform).vectorStores.files.poll(vector_store_id, fileId)
    const { data } = await newClient(platform).vectorStores.files.content(fileId, { vector_store_id })
    expect(data).toEqual([{ type: 'text', text: 'Guests pay 6 euros.' }])
    const stranger = await platform.addProject('other')
    expect((await stranger.get(`/v1/vector_stores/${vector_store_id}/files/${fileId}/content`)).status).toBe(404)
  })

  it('tell a chat how to think and to speak, where its model can', async () => {
    const scripted = new ScriptedChatModel([['Hello']])
    const platform = await start({ runtimes: scripted.runtimes })
    const later = { reasoning_effort: 'low', verbosity: 'high', prompt_cache_key: 'k', safety_identifier: 's' } as const
    await newClient(platform).chat.completions.create({ model: 'gpt-4o', messages, ...later })
    expect(scripted.requests[0]).toMatchObject({ reasoningEffort: 'low', verbosity: 'high', user: 's' })
    const config = { models: [{ id: 'plain', runtime: 'builtin-chat', capabilities: ['tools' as const] }] }
    const plain = await start({ runtimes: scripted.runtimes, config })
    const answer = await plain.post('/v1/chat/completions', { model: 'plain', messages, reasoning_effort: 'low' })
    expect(await errorOf(answer)).toMatchObject({ param: 'reasoning_effort', code: 'unsupported_parameter' })
  })
})
