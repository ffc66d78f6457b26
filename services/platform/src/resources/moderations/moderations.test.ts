import { OpenAI4, OpenAI6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { errorOf } from '../../testing/requests.ts'

const path = '/v1/moderations'
const threat = 'I am going to find you and beat you to death.'
const plain = 'The recipe needs two eggs and a pinch of salt.'
/** A white dot. */
const gif = 'data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=='
const textPart = (text: string) => ({ type: 'text' as const, text })
const imagePart = (url: string) => ({ type: 'image_url' as const, image_url: { url } })

const categories1 = ['harassment', 'harassment/threatening', 'sexual', 'sexual/minors', 'hate', 'hate/threatening']
const categories2 = ['violence', 'violence/graphic', 'self-harm', 'self-harm/intent', 'self-harm/instructions']
const olderCategories = [...categories1, ...categories2].sort()
const categories = [...olderCategories, 'illicit', 'illicit/violent'].sort()

function clients({ url, apiKey }: TestPlatform): OpenAI4[] {
  const options = { apiKey, baseURL: `${url}/v1`, maxRetries: 0 }
  return [new OpenAI4(options), new OpenAI6(options) as unknown as OpenAI4]
}

async function refused(
  platform: TestPlatform,
  body: object,
): Promise<{ status: number; param: unknown; message: string }> {
  const response = await platform.post(path, body)
  const { param, message } = await errorOf(response)
  return { status: response.status, param, message }
}

describePlatformOnSqlite('moderations', (start) => {
  it('INF-121 INF-122 INF-124 judges a text with both openai clients', async () => {
    const platform = await start()
    for (const client of clients(platform)) {
      const { id, model, results } = await client.moderations.create({ input: threat })
      expect(id).toMatch(/^modr-/)
      expect(model).toBe('atoll-moderation-1')
      expect(results).toHaveLength(1)
      const [result] = results
      expect(result!.flagged).toBe(true)
      expect(result!.categories).toMatchObject({ harassment: true, 'harassment/threatening': true, sexual: false })
      expect(result!.category_scores.harassment).toBeGreaterThan(0.5)
      expect(result!.category_scores.sexual).toBeLessThan(0.5)
    }
  })

  it('INF-122 gives one result for each text of a list, an empty one too', async () => {
    const platform = await start()
    const [client] = clients(platform)
    const { results } = await client!.moderations.create({ input: [plain, threat, '', plain] })
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true, false, false])
  })

  it('INF-123 INF-125 judges texts and images together, and says which judged what', async () => {
    const platform = await start()
    for (const client of clients(platform)) {
      const input = [textPart(plain), textPart(threat), imagePart(gif)]
      const { results } = await client.moderations.create({ model: 'omni-moderation-latest', input })
      expect(results).toHaveLength(1)
      expect(results[0]!.categories['harassment/threatening']).toBe(true)
      const types = results[0]!.category_applied_input_types
      expect(types).toMatchObject({ sexual: ['text', 'image'], harassment: ['text'], violence: ['text'] })
      const alone = await client.moderations.create({ input: [imagePart(gif)] })
      expect(alone.results[0]).toMatchObject({ flagged: false })
      expect(alone.results[0]!.category_applied_input_types).toMatchObject({ sexual: ['image'], hate: [] })
    }
  })

  it('INF-125 INF-126 INF-127 INF-128 gives each generation of models its categories', async () => {
    const platform = await start()
    const [client] = clients(platform)
    for (const model of ['omni-moderation-latest', 'omni-moderation-2024-09-26']) {
      const [result] = (await client!.moderations.create({ model, input: plain })).results
      expect(Object.keys(result!.categories).sort()).toEqual(categories)
      expect(Object.keys(result!.category_scores).sort()).toEqual(categories)
      expect(Object.keys(result!.category_applied_input_types).sort()).toEqual(categories)
    }
    for (const model of ['text-moderation-latest', 'text-moderation-stable']) {
      const { model: used, results } = await client!.moderations.create({ model, input: threat })
      expect(used).toBe('atoll-moderation-text-1')
      expect(results[0]!.flagged).toBe(true)
      expect(Object.keys(results[0]!).sort()).toEqual(['categories', 'category_scores', 'flagged'])
      expect(Object.keys(results[0]!.categories).sort()).toEqual(olderCategories)
      expect(Object.keys(results[0]!.category_scores).sort()).toEqual(olderCategories)
    }
  })

  it('refuses an image for a model of the older generation', async () => {
    const platform = await start()
    const body = { model: 'text-moderation-latest', input: [imagePart(gif)] }
    expect(await refused(platform, body)).toMatchObject({ status: 400, param: 'input' })
  })

  it('refuses to fetch an image, and says how to send it', async () => {
    const platform = await start()
    const body = { input: [textPart(plain), imagePart('https://example.com/image.png')] }
    const { status, param, message } = await refused(platform, body)
    expect([status, param]).toEqual([400, 'input[1].image_url.url'])
    expect(message).toContain('data:')
  })

  it('refuses what is no image', async () => {
    const platform = await start()
    const param = 'input[0].image_url.url'
    const urls = ['nonsense', 'data:text/html;base64,PGI+', 'data:image/png;base64,', 'data:image/png;base64,%%%']
    for (const url of urls)
      expect(await refused(platform, { input: [imagePart(url)] })).toMatchObject({ status: 400, param })
    const cut = { input: [imagePart(gif.slice(0, 50))] }
    expect(await refused(platform, cut)).toMatchObject({ status: 400, param: 'input' })
    const noImage = { input: [imagePart(`data:image/png;base64,${Buffer.from('hello').toString('base64')}`)] }
    expect(await refused(platform, noImage)).toMatchObject({ status: 400, param: 'input' })
  })

  it('refuses too much, too little and what it does not know', async () => {
    const platform = await start()
    expect(await refused(platform, {})).toMatchObject({ status: 400, param: 'input' })
    expect(await refused(platform, { input: [] })).toMatchObject({ status: 400, param: 'input' })
    expect(await refused(platform, { input: 5 })).toMatchObject({ status: 400, param: 'input' })
    expect(await refused(platform, { input: plain, user: 'me' })).toMatchObject({ status: 400, param: 'user' })
    expect(await refused(platform, { input: 'x'.repeat(100_001) })).toMatchObject({ status: 400, param: 'input' })
    const much = Array.from({ length: 3 }, () => 'x'.repeat(40_000))
    expect(await refused(platform, { input: much })).toMatchObject({ status: 400, param: 'input' })
    const many = Array.from({ length: 257 }, () => 'x')
    expect(await refused(platform, { input: many })).toMatchObject({ status: 400, param: 'input' })
    const images = Array.from({ length: 17 }, () => imagePart(gif))
    expect(await refused(platform, { input: images })).toMatchObject({ status: 400, param: 'input' })
    const odd = { input: [{ type: 'audio', audio: '' }] }
    expect(await refused(platform, odd)).toMatchObject({ status: 400, param: 'input[0].type' })
    expect(await refused(platform, { input: plain, model: 'no-such' })).toMatchObject({ status: 404, param: 'model' })
    const mixed = { input: [plain, textPart(plain)] }
    expect((await refused(platform, mixed)).status).toBe(400)
  })
})
