import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { afterEach, expect, it } from 'vitest'
import { describeAgentOnSqliteOrBoth, until } from '../testing/agent-kit.ts'
import { startLossyProxy } from '../testing/lossy-proxy.ts'
import type { ScriptedPlatform } from '../testing/scripted-platform.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const clientOf = ({ address }: ScriptedPlatform) => new OpenAI({ apiKey: address.apiKey, baseURL: `${address.url}/v1` })

async function threadOf({ platform }: { platform: ScriptedPlatform }, threadId: string | undefined) {
  const { threads } = clientOf(platform).beta
  const runs = await threads.runs.list(threadId ?? '', { limit: 100 })
  const messages = await threads.messages.list(threadId ?? '', { limit: 100 })
  return {
    runs: runs.data.map(({ status }) => status),
    prompts: messages.data.filter(({ role }) => role === 'user').length,
  }
}

/** Counts calls, and answers them when told to. */
async function startReceiver(answer: (request: IncomingMessage, count: number) => Promise<unknown>) {
  const keys: unknown[] = []
  const server = createServer(async (request, response) => {
    keys.push(request.headers['idempotency-key'])
    await answer(request, keys.length)
    response.end('opened')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { keys, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

const callsGate = (asked: { messages: { role: string }[] }) =>
  asked.messages.at(-1)?.role === 'tool' ? 'Done.' : { call: 'open_gate', arguments: {} }

describeAgentOnSqliteOrBoth('a turn', (kit) => {
  it('is not made twice when its end could not be committed', async () => {
    const test = await kit.start()
    const fail = () => {
      throw new Error('the lease was lost')
    }
    await expect(test.hook({ message: 'Once', id: 'dlv_1', onFinish: fail })).rejects.toThrow('the lease was lost')
    expect(await test.agent.events(5)).toEqual([])
    const { threadId, delivery } = await test.hook({ message: 'Once', id: 'dlv_1', attempt: 2 })
    expect(await threadOf(kit, threadId)).toEqual({ runs: ['completed'], prompts: 1 })
    expect(kit.model.asked).toHaveLength(1)
    expect(await test.agent.events(5)).toHaveLength(1)
    expect(delivery).toHaveProperty('outboxId')
    await until(() => expect(test.heard).toHaveLength(1))
  })

  it.each(['POST /v1/threads$', 'POST /v1/threads/[^/]+/runs$', 'GET .*/runs/run_'])(
    'is found again when the answer to %s was lost',
    async (lost) => {
      const proxy = await startLossyProxy(kit.platform.address.url)
      closing.push(proxy.close)
      const test = await kit.start({}, { platform: { ...kit.platform.address, url: proxy.url } })
      await test.hook({ message: 'First', sessionKey: 'other' }) // what is made once is there
      kit.model.asked = []
      proxy.lose = new RegExp(lost)
      const first = await test.hook({ message: 'Hi', id: 'dlv_2', sessionKey: 'k' }).catch((error: Error) => error.name)
      const isRead = lost.startsWith('GET')
      if (!isRead) expect(first).toBe('PlatformAway')
      const again = isRead ? first : await test.hook({ message: 'Hi', id: 'dlv_2', sessionKey: 'k', attempt: 2 })
      if (typeof again === 'string') throw new Error(again)
      expect(await threadOf(kit, again.threadId)).toEqual({ runs: ['completed'], prompts: 1 })
      expect(kit.model.asked).toHaveLength(1)
    },
  )

  it('goes on with its run after a stop in the middle of it', async () => {
    const test = await kit.start()
    const said = Promise.withResolvers<void>()
    kit.model.script = () => ({ after: said.promise, text: 'At last' })
    const stop = new AbortController()
    const first = test.hook({ message: 'Hi', id: 'dlv_3', signal: stop.signal })
    await until(() => expect(kit.model.asked).toHaveLength(1))
    stop.abort(new Error('stopping'))
    await expect(first).rejects.toThrow('stopping')
    said.resolve()
    const { reply, threadId } = await test.hook({ message: 'Hi', id: 'dlv_3', attempt: 2 })
    expect(reply).toBe('At last')
    expect(await threadOf(kit, threadId)).toEqual({ runs: ['completed'], prompts: 1 })
    expect(kit.model.asked).toHaveLength(1)
  })

  it('fails its attempt when the platform is away', async () => {
    const test = await kit.start({}, { platform: { url: 'http://127.0.0.1:9', apiKey: 'sk-none' } })
    await expect(test.hook({ message: 'Hi', id: 'dlv_4' })).rejects.toThrow('The platform cannot be reached')
    await test.close()
    const back = await kit.start({}, { after: test })
    expect(await back.hook({ message: 'Hi', id: 'dlv_4', attempt: 2 })).toMatchObject({ state: 'succeeded' })
  })

  it('waits while somebody else works on its thread', async () => {
    const test = await kit.start()
    const { threadId } = await test.hook({ message: 'Hi', sessionKey: 'shared' })
    const done = Promise.withResolvers<void>()
    kit.model.script = ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('Next') ? 'My turn' : { after: done.promise, text: 'Theirs' }
    const { beta } = clientOf(kit.platform)
    const assistant = await beta.assistants.create({ model: 'gpt-4o-mini' })
    await beta.threads.runs.create(threadId ?? '', { assistant_id: assistant.id })
    const waiting = test.hook({ message: 'Next', sessionKey: 'shared' })
    await until(() => expect(kit.model.asked).toHaveLength(2))
    done.resolve()
    expect(await waiting).toMatchObject({ state: 'succeeded', reply: 'My turn', threadId })
  })

  it('tries a model that fails again, and says so when it keeps failing', async () => {
    const test = await kit.start()
    const claim = { message: 'Hi', name: 'CI', id: 'dlv_5' }
    kit.model.script = () => ({ status: 500 })
    await expect(test.hook(claim)).rejects.toMatchObject({ name: 'RunFailed' })
    await expect(test.hook({ ...claim, attempt: 2 })).rejects.toMatchObject({ name: 'RunFailed' })
    const { state, threadId } = await test.hook({ ...claim, attempt: 3 })
    expect(state).toBe('failed')
    expect(await threadOf(kit, threadId)).toEqual({ runs: ['failed', 'failed', 'failed'], prompts: 1 })
    expect((await test.agent.events(1))[0]?.text).toMatch(/^Hook CI \(error\): /)
  })

  it('begins a new thread when somebody deleted the old one', async () => {
    const test = await kit.start()
    const { threadId } = await test.hook({ message: 'Hi', sessionKey: 'k' })
    await clientOf(kit.platform).beta.threads.delete(threadId ?? '')
    const next = await test.hook({ message: 'Hi again', sessionKey: 'k' })
    expect(next.state).toBe('succeeded')
    expect(next.threadId).not.toBe(threadId)
  })

  it('ends in its time also while a tool does not answer', async () => {
    const stuck = Promise.withResolvers<void>()
    closing.push(() => stuck.resolve())
    const { keys, url } = await startReceiver(() => stuck.promise)
    const test = await kit.start({ tools: [{ type: 'function', name: 'open_gate', url, allow: 'external' }] })
    kit.model.script = callsGate
    const { state, threadId } = await test.hook({ message: 'Open', timeoutSeconds: 2 })
    expect(state).toBe('timed_out')
    expect(keys).toHaveLength(1)
    expect((await threadOf(kit, threadId)).runs).toEqual(['cancelled'])
  })

  it('leaves no thread of conversations that nobody continued', async () => {
    const test = await kit.start()
    const { threadId = '' } = await test.hook({ message: 'Hi', sessionKey: 'old' })
    const before = test.kernel.clock.now() + 1
    await until(() => expect(test.kernel.clock.now()).toBeGreaterThan(before))
    const kept = await test.hook({ message: 'Hi', sessionKey: 'new' })
    expect(await test.agent.sessions.prune(before, AbortSignal.timeout(20_000))).toBe(1)
    expect((await test.agent.listSessions(9)).map(({ key }) => key)).toEqual(['new'])
    const { threads } = clientOf(kit.platform).beta
    await expect(threads.retrieve(threadId)).rejects.toMatchObject({ status: 404 })
    await expect(threads.retrieve(kept.threadId ?? '')).resolves.toBeDefined()
  })

  it('does not make a call twice that a stop interrupted, unless its receiver can tell', async () => {
    const stuck = Promise.withResolvers<void>()
    closing.push(() => stuck.resolve())
    const { keys, url } = await startReceiver(async (_, count) => (count === 2 ? undefined : stuck.promise))
    const tool = { type: 'function', name: 'open_gate', url, allow: 'external' } as const
    for (const idempotent of [false, true]) {
      const test = await kit.start({ tools: [{ ...tool, idempotent }] })
      kit.model.script = callsGate
      keys.length = 0
      const id = `dlv_gate_${idempotent}`
      const stop = new AbortController()
      const first = test.hook({ message: 'Open', id, signal: stop.signal })
      await until(() => expect(keys).toHaveLength(1))
      stop.abort(new Error('stopping'))
      await expect(first).rejects.toThrow('stopping')
      expect(await test.hook({ message: 'Open', id, attempt: 2 })).toMatchObject({ state: 'succeeded' })
      expect(keys).toHaveLength(idempotent ? 2 : 1)
      expect(new Set(keys).size).toBe(1)
      expect(kit.model.all()).toContain(idempotent ? 'tool: opened' : 'It is not known whether this call was made')
    }
  })
})
