import { ManualClock } from '@atoll/kernel/clock/clock'
import { createMemoryLimits } from '@atoll/kernel/limits/memory'
import { OpenAI6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { PlatformConfig } from '../config.ts'
import { describePlatform } from '../testing/describe-platform.ts'
import { errorOf } from '../testing/requests.ts'
import { RateLimits } from './rate-limits.ts'

const none = new Map()
const nothingSet = { of: async () => none, known: () => undefined }

describePlatform('rate limits', (start) => {
  it('count requests per project, and tell with all headers when they are used up', async () => {
    const platform = await start({ config: { rateLimits: { requestsPerMinute: 3 } } })
    const remaining: (string | null)[] = []
    for (let n = 0; n < 3; n++) {
      const response = await platform.get('/v1/models')
      expect(response.status).toBe(200)
      remaining.push(response.headers.get('x-ratelimit-remaining-requests'))
    }
    expect(remaining).toEqual(['2', '1', '0'])
    const refused = await platform.get('/v1/models')
    expect(refused.status).toBe(429)
    for (const what of ['limit', 'remaining', 'reset']) {
      for (const kind of ['requests', 'tokens']) expect(refused.headers.has(`x-ratelimit-${what}-${kind}`)).toBe(true)
    }
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(refused.headers.get('retry-after-ms'))).toBeGreaterThan(0)
    const error = await errorOf(refused)
    expect(error).toMatchObject({ type: 'requests', code: 'rate_limit_exceeded', param: null })
    expect(error.message).toMatch(/Limit 3, Used 3, Requested 1\. Please try again in \d/)
    const other = await platform.addProject('other')
    expect((await other.get('/v1/models')).status).toBe(200)
  })

  it('let the openai client wait and go on by itself', async () => {
    const platform = await start({ config: { rateLimits: { requestsPerMinute: 120 } } })
    for (let n = 0; n < 120; n++) await platform.get('/v1/models')
    const client = new OpenAI6({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 5 })
    expect((await client.models.list()).data.length).toBeGreaterThan(0)
  })

  it('can be set for one project, above or below what a model allows', async () => {
    const { rateLimits: common } = PlatformConfig.parse({})
    const models = [{ id: 'm', ownedBy: 'us', created: 0, limits: { requestsPerMinute: 10 } }]
    const rateLimits = { ...common, projects: { proj_a: { requestsPerMinute: 2 }, proj_b: { tokensPerMinute: 7 } } }
    const limits = new RateLimits(createMemoryLimits(new ManualClock()), { models, rateLimits }, nothingSet)
    const { caller } = await start()
    const limitsOf = async (projectId: string) => {
      const headers = await limits.admit({ ...caller, projectId }, { model: 'm' })
      return [headers['x-ratelimit-limit-requests'], headers['x-ratelimit-limit-tokens']]
    }
    expect(await limitsOf('proj_a')).toEqual(['2', '100000000'])
    expect(await limitsOf('proj_b')).toEqual(['10', '7'])
    expect(await limitsOf('proj_c')).toEqual(['10', '100000000'])
  })

  it('take tokens and images by model, all or nothing, and give estimates back', async () => {
    const platform = await start({
      clock: new ManualClock(),
      config: { models: [{ id: 'm', limits: { requestsPerMinute: 10, tokensPerMinute: 100, imagesPerMinute: 2 } }] },
    })
    const { rateLimits } = platform.platform
    const admit = (demand: object) => rateLimits.admit(platform.caller, { model: 'm', ...demand })
    expect(await admit({ tokens: 80 })).toMatchObject({ 'x-ratelimit-limit-tokens': '100' })
    await expect(admit({ tokens: 30 })).rejects.toMatchObject({ status: 429, body: { error: { type: 'tokens' } } })
    await expect(admit({ tokens: 101 })).rejects.toMatchObject({ message: expect.stringContaining('too large') })
    await expect(admit({ images: 3 })).rejects.toMatchObject({ body: { error: { type: 'images' } } })
    await rateLimits.settle(platform.caller, 'm', 60)
    const headers = await admit({ tokens: 30 })
    const left = Number(headers['x-ratelimit-remaining-tokens'])
    expect(left).toBeGreaterThanOrEqual(50) // 20 left, 60 given back, 30 taken; the rest is refill meanwhile
    expect(left).toBeLessThan(70)
  })
})
