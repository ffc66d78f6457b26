import { OpenAI6, OpenAI7 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatform, type TestPlatform } from '../../testing/describe-platform.ts'
import { messagesOf, newAssistant, newRun, newThread, settled, textOf } from '../../testing/run-requests.ts'
import { ScriptedChatModel } from '../../testing/scripted-chat-model.ts'

const model = 'gpt-4o-mini'
const settings = ({ url, apiKey }: TestPlatform) => ({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })

describePlatform('conversations', (start) => {
  it('are made, read, changed and deleted with their items, by their project alone', async () => {
    const platform = await start()
    const stranger = await platform.addProject('other')
    for (const client of [new OpenAI6(settings(platform)) as unknown as OpenAI7, new OpenAI7(settings(platform))]) {
      const { conversations } = client
      const created = await conversations.create({ items: [{ role: 'user', content: 'Hi' }], metadata: { a: 'b' } })
      expect(created).toMatchObject({ object: 'conversation', metadata: { a: 'b' } })
      const call = { type: 'function_call' as const, call_id: 'call_1', name: 'f', arguments: '{}' }
      const output = { type: 'function_call_output' as const, call_id: 'call_1', output: 'done' }
      const added = await conversations.items.create(created.id, { items: [call, output] })
      expect(added.data).toMatchObject([{ ...call, status: 'completed' }, output])
      const listed = await conversations.items.list(created.id, { order: 'asc' })
      expect(listed.data.map(({ type }) => type)).toEqual(['message', 'function_call', 'function_call_output'])
      const page = await conversations.items.list(created.id, { limit: 1 })
      expect(page.data).toMatchObject([{ type: 'function_call_output' }])
      expect(page.has_more).toBe(true)
      const [message] = listed.data
      const at = { conversation_id: created.id }
      expect(await conversations.items.retrieve(message?.id ?? '', at)).toEqual(message)
      expect(await conversations.update(created.id, { metadata: { c: 'd' } })).toMatchObject({ metadata: { c: 'd' } })
      expect((await stranger.get(`/v1/conversations/${created.id}`)).status).toBe(404)
      expect((await stranger.get(`/v1/conversations/${created.id}/items`)).status).toBe(404)
      await conversations.items.delete(message?.id ?? '', at)
      await expect(conversations.items.retrieve(message?.id ?? '', at)).rejects.toMatchObject({ status: 404 })
      expect(await conversations.delete(created.id)).toMatchObject({ deleted: true, object: 'conversation.deleted' })
      await expect(conversations.retrieve(created.id)).rejects.toMatchObject({ status: 404 })
    }
  })

  it('grow with each response, and a stranger has no part in them', async () => {
    const scripted = new ScriptedChatModel(({ messages }) => [`Answer ${messages.length}`])
    const platform = await start({ runtimes: scripted.runtimes })
    const { conversations, responses } = new OpenAI7(settings(platform))
    const { id } = await conversations.create({ items: [{ role: 'developer', content: 'Be kind.' }] })
    const first = await responses.create({ model, conversation: id, input: 'One' })
    expect(first).toMatchObject({ conversation: { id }, output_text: 'Answer 2' })
    const second = await responses.create({ model, conversation: { id }, input: 'Two' })
    expect(second.output_text).toBe('Answer 4')
    const items = await conversations.items.list(id, { order: 'asc' })
    expect(items.data.map((item) => (item.type === 'message' ? item.role : item.type))).toEqual([
      ...['developer', 'user', 'assistant', 'user', 'assistant'],
    ])
    const stranger = await platform.addProject('other')
    const answer = await stranger.post('/v1/responses', { model, conversation: id, input: 'Hi' })
    expect(answer.status).toBe(404)
    // What was deleted is a part of the conversation all the same.
    await responses.delete(second.id)
    expect((await conversations.items.list(id)).data).toHaveLength(5)
  })

  it('are threads, and threads are conversations', async () => {
    const scripted = new ScriptedChatModel(({ messages }) => [`Answer ${messages.length}`])
    const platform = await start({ runtimes: scripted.runtimes })
    const { conversations, responses } = new OpenAI7(settings(platform))
    const assistant = await newAssistant(platform)
    const thread = await newThread(platform, 'One')
    await settled(platform, await newRun(platform, thread.id, { assistant_id: assistant.id }))
    const read = await conversations.items.list(thread.id, { order: 'asc' })
    expect(read.data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Answer 1' }] },
    ])
    expect((await responses.create({ model, conversation: thread.id, input: 'Two' })).output_text).toBe('Answer 3')
    expect((await messagesOf(platform, thread.id)).map(textOf)).toEqual(['One', 'Answer 1', 'Two', 'Answer 3'])

    const conversation = await conversations.create({ items: [{ role: 'user', content: 'Three' }] })
    await settled(platform, await newRun(platform, conversation.id, { assistant_id: assistant.id }))
    const items = await conversations.items.list(conversation.id, { order: 'asc' })
    expect(items.data).toMatchObject([{ role: 'user' }, { role: 'assistant', content: [{ text: 'Answer 1' }] }])
  })
})
