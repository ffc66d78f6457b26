// What runs do with messages.
import { expect, it } from 'vitest'
import { ask, refusal } from '../../../testing/assistant-requests.ts'
import { describePlatformOnSqlite } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import { newMessage, newThread, pathOf } from './testing/message-requests.ts'

describePlatformOnSqlite('messages of runs', (start) => {
  it('lets runs write an answer, and read what is finished', async () => {
    const platform = await start()
    const thread = await newThread(platform, { messages: [{ role: 'user', content: 'one' }] })
    const { messages } = platform.platform.assistants
    const { db } = platform.kernel
    const by = { threadId: thread, assistantId: 'asst_1', runId: 'run_1' }
    const begun = await db.transaction((tx) => messages.startIn(tx, by))
    checkPublished('MessageObject', begun)
    expect(begun).toMatchObject({ status: 'in_progress', role: 'assistant', content: [], completed_at: null })
    expect(begun).toMatchObject({ assistant_id: 'asst_1', run_id: 'run_1' })
    const values = async (options = {}) =>
      (await messages.allOf(thread, options)).map(({ content: [part] }) => part?.type === 'text' && part.text.value)
    expect(await values()).toEqual(['one'])
    const content = [{ type: 'text' as const, text: { value: 'two', annotations: [] } }]
    const done = await db.transaction((tx) => messages.finishIn(tx, begun.id, { content, status: 'completed' }))
    expect(done).toMatchObject({ status: 'completed', content, completed_at: expect.any(Number), incomplete_at: null })
    const second = await db.transaction((tx) => messages.startIn(tx, by))
    const incomplete_details = { reason: 'max_tokens' as const }
    const cut = await db.transaction((tx) =>
      messages.finishIn(tx, second.id, { content, status: 'incomplete', incomplete_details }),
    )
    checkPublished('MessageObject', cut)
    expect(cut).toMatchObject({ incomplete_details, completed_at: null, incomplete_at: expect.any(Number) })
    expect(await values()).toEqual(['one', 'two', 'two'])
    expect(await values({ last: 2 })).toEqual(['two', 'two'])
    await ask(platform, 'DELETE', `/v1/threads/${thread}`)
    await expect(
      db.transaction((tx) => messages.finishIn(tx, begun.id, { content, status: 'completed' })),
    ).rejects.toMatchObject({ status: 404 })
  })

  it('reads a long thread for a run, oldest first', async () => {
    const platform = await start()
    const initial = Array.from({ length: 230 }, (_, index) => ({ role: 'user', content: `${index}` }))
    const thread = await newThread(platform, { messages: initial })
    const { messages } = platform.platform.assistants
    const values = (await messages.allOf(thread)).map(({ content: [part] }) => part?.type === 'text' && part.text.value)
    expect(values).toEqual(initial.map(({ content }) => content))
    expect(await messages.allOf(thread, { last: 60 })).toHaveLength(60)
  })

  it('takes no message while a run is active', async () => {
    const platform = await start()
    const thread = await newThread(platform)
    platform.platform.assistants.messages.setActiveRuns({
      activeRun: async (id) => (id === thread ? 'run_1' : undefined),
    })
    expect(await refusal(platform, 'POST', pathOf(thread), { role: 'user', content: 'a' })).toMatchObject({
      status: 400,
      code: null,
      message: `Can't add messages to ${thread} while a run run_1 is active.`,
    })
    await newMessage(platform, await newThread(platform))
  })
})
