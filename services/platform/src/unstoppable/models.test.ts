// One project's heaviest request to a built-in model beside another project's lightest. Bounds are generous: they tell
// "waits for a slice of the other's work" from "waits for the whole of it"; bench/unstoppable has the figures.
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type StartPlatform, type TestPlatform } from '../testing/describe-platform.ts'

const tool = (index: number) => ({
  type: 'function',
  function: {
    name: `look_up_${index}`,
    description: `Looks up entry ${index} of the archive and gives back what it says.`,
    parameters: {
      type: 'object',
      properties: { name: { type: 'string', description: 'what to look for' }, count: { type: 'integer' } },
      required: ['name'],
    },
  },
})
const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at % 977}`).join(' ')
const chat = (content: string, more: object = {}): object => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content }],
  max_tokens: 1,
  ...more,
})

interface Beside {
  /** The slowest of another project's small requests, begun while the large one was under way. */
  worstMs: number
  /** The median of the same requests alone. */
  idleMs: number
  attackMs: number
  status: number
}

/** The larger it is, the clearer the difference, and the longer it takes. */
const isLong = process.env.ATOLL_TEST_LONG === '1'

let asked = 0

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function beside(
  attacker: TestPlatform,
  other: TestPlatform,
  small: (nth: number) => [path: string, body: object],
  [path, body]: [path: string, body: object],
): Promise<Beside> {
  const ask = async (): Promise<void> => {
    const response = await other.post(...small(++asked))
    expect(response.status).toBe(200)
    await response.json()
  }
  await ask()
  const idle: number[] = []
  for (let round = 0; round < 5; round++) idle.push(await timed(ask))
  let isOver = false
  const startedAt = performance.now()
  const attack = attacker.post(path, body).then(async (response) => {
    await response.text()
    isOver = true
    return { status: response.status, attackMs: performance.now() - startedAt }
  })
  const times: number[] = []
  while (!isOver) times.push(await timed(ask))
  return { ...(await attack), worstMs: Math.max(...times), idleMs: idle.toSorted((a, b) => a - b)[2] ?? 0 }
}

describePlatformOnSqlite('beside one request of another project', (start: StartPlatform) => {
  let attacker: TestPlatform
  let other: TestPlatform
  const begin = async (): Promise<void> => {
    attacker = await start()
    other = await attacker.addProject('other')
  }
  const smallChat = (nth: number): [string, object] => ['/v1/chat/completions', chat(`Say the number ${nth}.`)]
  const smallEmbedding = (nth: number): [string, object] => [
    '/v1/embeddings',
    { model: 'text-embedding-3-small', input: `word ${nth}` },
  ]

  it('with tools never seen before, a small chat waits for a slice of its prompt, not for all of it', async () => {
    await begin()
    const tools = Array.from({ length: isLong ? 24 : 12 }, (_, index) => tool(index))
    const large = chat('Which one?', { tools })
    const seen = await beside(attacker, other, smallChat, ['/v1/chat/completions', large])
    expect(seen.status).toBe(200)
    expect(seen.worstMs).toBeLessThan(seen.attackMs / 2)
  }, 120_000)

  it('with six answers to a long prompt, a small chat finds a place', async () => {
    await begin()
    const large = chat(words(isLong ? 200 : 80), { n: 6, max_tokens: isLong ? 30 : 15, logit_bias: { 5: -100 } })
    const seen = await beside(attacker, other, smallChat, ['/v1/chat/completions', large])
    expect(seen.status).toBe(200)
    expect(seen.worstMs).toBeLessThan(seen.attackMs / 3)
  }, 240_000)

  it('that cannot fit, a small chat waits hardly at all, and the large one is refused by its length', async () => {
    await begin()
    const large = chat('many words '.repeat(450_000))
    const seen = await beside(attacker, other, smallChat, ['/v1/chat/completions', large])
    expect(seen.status).toBe(400)
    expect(seen.worstMs).toBeLessThan(3 * seen.idleMs + 2_000)
    const refused = await attacker.post('/v1/chat/completions', large)
    const { error } = (await refused.json()) as { error: { message: string; code: string; param: string } }
    expect(error).toMatchObject({ code: 'context_length_exceeded', param: 'messages' })
    expect(error.message).toMatch(/you requested at least \d+ tokens/)
  }, 120_000)

  it('with a long input, a small embedding waits for a slice of it, not for all of it', async () => {
    await begin()
    const large = { model: 'text-embedding-3-small', input: 'several words '.repeat(3_000) }
    const seen = await beside(attacker, other, smallEmbedding, ['/v1/embeddings', large])
    expect(seen.status).toBe(200)
    expect(seen.worstMs).toBeLessThan(seen.attackMs / 3)
  }, 240_000)

  it('with a long text, a small moderation waits for a slice of it, not for all of it', async () => {
    await begin()
    const smallText = (nth: number): [string, object] => ['/v1/moderations', { input: `text ${nth}` }]
    const large = { input: words(4_000) }
    const seen = await beside(attacker, other, smallText, ['/v1/moderations', large])
    expect(seen.status).toBe(200)
    expect(seen.worstMs).toBeLessThan(seen.attackMs / 3)
  }, 240_000)
})
