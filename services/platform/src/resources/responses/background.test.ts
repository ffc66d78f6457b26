import { OpenAI6, OpenAI7 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describeNodes, describePlatform, type TestPlatform } from '../../testing/describe-platform.ts'
import { ScriptedChatModel } from '../../testing/scripted-chat-model.ts'
import { waitUntil } from '../../testing/wait-until.ts'

const model = 'gpt-4o-mini'
const settings = ({ url, apiKey }: TestPlatform) => ({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })
const newClient = (platform: TestPlatform): OpenAI7 => new OpenAI7(settings(platform))

async function ended(client: OpenAI7, id: string): Promise<OpenAI7.Responses.Response> {
  let latest = await client.responses.retrieve(id)
  await waitUntil(async () => {
    latest = await client.responses.retrieve(id)
    return latest.status !== 'queued' && latest.status !== 'in_progress'
  })
  return latest
}

describePlatform('responses in the background', (start) => {
  it('are answered before they are done, polled, and built upon', async () => {
    const go = Promise.withResolvers<void>()
    const scripted = new ScriptedChatModel(async ({ messages }) => {
      await go.promise
      return [`Answer ${messages.length}`]
    })
    const platform = await start({ runtimes: scripted.runtimes })
    for (const client of [new OpenAI6(settings(platform)) as unknown as OpenAI7, newClient(platform)]) {
      const begun = await client.responses.create({ model, input: 'Hi', background: true })
      expect(begun).toMatchObject({ status: 'queued', background: true, output: [], usage: null })
      go.resolve()
      const done = await ended(client, begun.id)
      expect(done).toMatchObject({ status: 'completed', output_text: 'Answer 1', usage: { total_tokens: 15 } })
      const next = await client.responses.create({ model, input: 'And?', previous_response_id: begun.id })
      expect(next.output_text).toBe('Answer 3')
    }
  })

  it('are streamed, left, and followed again from where they were left', async () => {
    const go = Promise.withResolvers<void>()
    const scripted = new ScriptedChatModel([['One ', { wait: go.promise }, 'two ', 'three.']])
    const platform = await start({ runtimes: scripted.runtimes })
    const client = newClient(platform)
    const first = []
    const asked = { model, input: 'Count', background: true, stream: true as const }
    for await (const event of await client.responses.create(asked)) {
      first.push(event)
      if (event.type === 'response.output_text.delta') break
    }
    const [created] = first
    const id = created?.type === 'response.created' ? created.response.id : ''
    const starting_after = first.at(-1)?.sequence_number ?? -1
    go.resolve()
    const rest = []
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after })) rest.push(event)
    const numbers = [...first, ...rest].map(({ sequence_number }) => sequence_number)
    expect(numbers).toEqual(numbers.map((_, index) => index))
    expect(first.map(({ type }) => type.replace('response.', ''))).toEqual([
      ...['created', 'queued', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta'],
    ])
    const deltas = rest.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
    expect(deltas.join('')).toBe('two three.')
    expect(rest.at(-1)).toMatchObject({ type: 'response.completed', response: { id, status: 'completed' } })
    const again = []
    for await (const event of await client.responses.retrieve(id, { stream: true })) again.push(event)
    expect(again).toEqual([...first, ...rest])
    const nothing = []
    const last = { stream: true as const, starting_after: numbers.length - 1 }
    for await (const event of await client.responses.retrieve(id, last)) nothing.push(event)
    expect(nothing).toEqual([])
  })

  it('are cancelled, once and for all, and deleted while they work', async () => {
    const scripted = new ScriptedChatModel([['Well, ', { wait: new Promise(() => undefined) }]])
    const platform = await start({ runtimes: scripted.runtimes })
    const client = newClient(platform)
    const stream = await client.responses.create({ model, input: 'Hi', background: true, stream: true })
    const types: string[] = []
    let id = ''
    for await (const event of stream) {
      types.push(event.type)
      if (event.type === 'response.created') id = event.response.id
      if (event.type === 'response.output_text.delta') {
        expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' })
      }
    }
    expect(types.at(-1)).toBe('response.cancelled')
    expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' })
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'cancelled', output: [] })
    const other = await client.responses.create({ model, input: 'Hi', background: true })
    await waitUntil(() => scripted.requests.length === 2)
    await client.responses.delete(other.id)
    await expect(client.responses.retrieve(other.id)).rejects.toMatchObject({ status: 404 })
    await waitUntil(async () => (await platform.kernel.jobs.counts()).running === 0)
  })

  it('fail with a reason', async () => {
    const scripted = new ScriptedChatModel(({ tools }) =>
      tools.length > 0 ? [{ call: 'file_search', arguments: ['{"query":"x"}'] }] : ['Hello'],
    )
    const platform = await start({ runtimes: scripted.runtimes })
    const client = newClient(platform)
    const first = await client.responses.create({ model, input: 'Hi' })
    const going = { model, input: 'Hi', background: true, previous_response_id: first.id }
    await platform.close()
    const without = await start({ runtimes: scripted.runtimes, after: platform, withoutJobs: true })
    const begun = await newClient(without).responses.create(going)
    await newClient(without).responses.delete(first.id)
    await without.close()
    const back = await start({ runtimes: scripted.runtimes, after: without })
    expect(await ended(newClient(back), begun.id)).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_prompt', message: expect.stringContaining(first.id) },
    })
  })
})

describePlatform('a response in the background whose server stops while the model answers', (start) => {
  it('begins its answer anew: what readers were told is done is what there is', async () => {
    const reached = Promise.withResolvers<void>()
    const cut = {
      get wait() {
        reached.resolve()
        return new Promise(() => undefined)
      },
    }
    const lookUp = { call: 'look_up', arguments: ['{}'] }
    const scripted = new ScriptedChatModel([
      ['First try. ', lookUp, cut],
      ['Second try. ', lookUp],
    ])
    const platform = await start({ runtimes: scripted.runtimes })
    const tools = [{ type: 'function' as const, name: 'look_up', parameters: {}, strict: false }]
    const { id } = await newClient(platform).responses.create({ model, input: 'Hi', background: true, tools })
    await reached.promise
    await platform.close()
    const client = newClient(await start({ runtimes: scripted.runtimes, after: platform }))
    const { output } = await ended(client, id)
    expect(output).toMatchObject([{ content: [{ text: 'Second try. ' }] }, { type: 'function_call' }])
    const done: { id?: string | null; status?: string | null }[] = []
    for await (const event of await client.responses.retrieve(id, { stream: true })) {
      if (event.type === 'response.output_item.done') done.push(event.item as never)
    }
    expect(done.filter(({ status }) => status === 'completed').map((item) => item.id)).toEqual(
      output.map((item) => item.id),
    )
    // The message that was begun, and nothing of the call after it.
    expect(done.filter(({ status }) => status === 'incomplete')).toHaveLength(1)
  })
})

describeNodes('responses in the background on several nodes', (start) => {
  it('are followed from another node than the one that works', async () => {
    const go = Promise.withResolvers<void>()
    const scripted = new ScriptedChatModel([['One ', { wait: go.promise }, 'two.']])
    const working = await start({ runtimes: scripted.runtimes })
    const other = await start({ runtimes: scripted.runtimes, after: working, withoutJobs: true })
    const deltas: string[] = []
    const asked = { model, input: 'Count', background: true, stream: true as const }
    for await (const event of await newClient(other).responses.create(asked)) {
      if (event.type !== 'response.output_text.delta') continue
      deltas.push(event.delta)
      go.resolve()
    }
    expect(deltas).toEqual(['One ', 'two.'])
  })
})
