import { ManualClock } from '@atoll/kernel/clock/clock'
import { OpenAI4, OpenAI6 } from '@atoll/testkit/openai-clients'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { describePlatform, describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { errorOf } from '../../testing/requests.ts'

const generations = '/v1/images/generations'
const small = { prompt: 'two red balloons over a house', size: '256x256' } as const

function clients({ url, apiKey }: TestPlatform): OpenAI4[] {
  const options = { apiKey, baseURL: `${url}/v1`, maxRetries: 0 }
  return [new OpenAI4(options), new OpenAI6(options) as unknown as OpenAI4]
}

async function refused(platform: TestPlatform, path: string, body: object | FormData) {
  const response = await platform.post(path, body)
  const { param, code, message } = await errorOf(response)
  return { status: response.status, param, code, message }
}

/** A square of one colour; with `hole`, fully transparent in its middle half. */
async function square(side: number, { colour = '#2255cc', hole = false, height = side } = {}): Promise<Buffer> {
  const image = sharp({ create: { width: side, height, channels: hole ? 4 : 3, background: colour } })
  if (!hole) return image.png().toBuffer()
  const half = Math.floor(side / 2)
  const eraser = { create: { width: half, height: half, channels: 4 as const, background: '#000000ff' } }
  return image
    .composite([{ input: eraser, left: Math.floor(side / 4), top: Math.floor(side / 4), blend: 'dest-out' }])
    .png()
    .toBuffer()
}

const fileOf = (bytes: Buffer, name: string): File => new File([new Uint8Array(bytes)], name, { type: 'image/png' })

function form(fields: Record<string, string>, files: Record<string, Buffer>): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(fields)) made.append(name, value)
  for (const [name, bytes] of Object.entries(files)) made.append(name, fileOf(bytes, `${name}.png`))
  return made
}

const rawPixels = async (png: Buffer) => sharp(png).ensureAlpha().raw().toBuffer()

describePlatformOnSqlite('images', (start) => {
  it('INF-107 INF-110 draws with both openai clients, by URL and as base64, in the size that was asked for', async () => {
    const platform = await start()
    for (const client of clients(platform)) {
      const { created, data } = await client.images.generate({ ...small, model: 'dall-e-2', n: 2, user: 'someone' })
      expect(Number.isInteger(created)).toBe(true)
      expect(data).toHaveLength(2)
      const pictures = await Promise.all(
        data!.map(async ({ url }) => Buffer.from(await (await fetch(url!)).arrayBuffer())),
      )
      for (const picture of pictures)
        expect(await sharp(picture).metadata()).toMatchObject({ format: 'png', width: 256, height: 256 })
      expect(pictures[0]!.equals(pictures[1]!)).toBe(false)
      const answer = await client.images.generate({ ...small, response_format: 'b64_json' })
      const [image] = answer.data!
      expect(image!.url).toBeUndefined()
      expect(await sharp(Buffer.from(image!.b64_json!, 'base64')).metadata()).toMatchObject({ width: 256 })
      expect(image!.revised_prompt).toMatch(/illustration of two red balloons above the house/)
    }
    const { data } = (await (await platform.get('/v1/models')).json()) as unknown as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['dall-e-2', 'dall-e-3']))
  })

  it('INF-111 INF-112 INF-113 INF-114 holds each model to its sizes, styles and counts, and tells what it takes', async () => {
    const platform = await start()
    const prompt = 'a red ball'
    const tries: [object, string, RegExp][] = [
      [{ model: 'dall-e-2', size: '1792x1024' }, 'size', /'256x256', '512x512', '1024x1024'/],
      [{ model: 'dall-e-3', size: '256x256' }, 'size', /'1024x1024', '1792x1024', '1024x1792'/],
      [{ model: 'dall-e-3', size: '2000x2000' }, 'size', /Supported values/],
      [{ model: 'dall-e-3', style: 'baroque' }, 'style', /'vivid' and 'natural'/],
      [{ model: 'dall-e-2', style: 'vivid' }, 'style', /not supported by the model dall-e-2/],
      [{ model: 'dall-e-2', quality: 'hd' }, 'quality', /not supported/],
      [{ model: 'dall-e-3', n: 2 }, 'n', /one image/],
      [{ n: 11 }, 'n', /10/],
      [{ n: 0 }, 'n', /1/],
      [{ prompt: '' }, 'prompt', /prompt/],
      [{ prompt: 'x'.repeat(1001) }, 'prompt', /maximum length 1000/],
      [{ prompt: 'x'.repeat(4001), model: 'dall-e-3' }, 'prompt', /maximum length 4000/],
      [{ response_format: 'jpeg' }, 'response_format', /'url' and 'b64_json'/],
      [{ model: 'gpt-4o' }, 'model', /dall-e-2/],
      [{ colour: 'red' }, 'colour', /Unknown parameter/],
    ]
    for (const [fields, param, message] of tries) {
      const told = await refused(platform, generations, { prompt, ...fields })
      expect(told, JSON.stringify(fields)).toMatchObject({
        status: 400,
        param,
        message: expect.stringMatching(message),
      })
    }
    expect(await refused(platform, generations, {})).toMatchObject({
      param: 'prompt',
      code: 'missing_required_parameter',
    })
    const [client] = clients(platform)
    const [width, height] = [1792, 1024]
    for (const style of ['vivid', 'natural'] as const) {
      const answer = await client!.images.generate({
        model: 'dall-e-3',
        prompt,
        style,
        size: '1792x1024',
        quality: 'hd',
        response_format: 'b64_json',
      })
      expect(await sharp(Buffer.from(answer.data![0]!.b64_json!, 'base64')).metadata()).toMatchObject({ width, height })
    }
  })

  it('refuses a prompt that moderation flags', async () => {
    const platform = await start()
    const told = await refused(platform, generations, { prompt: 'I am going to find you and beat you to death.' })
    expect(told).toMatchObject({ status: 400, code: 'content_policy_violation', param: null })
  })

  it('INF-108 edits what the mask leaves open, and not one pixel more', async () => {
    const platform = await start()
    const image = await square(256)
    const mask = await square(256, { hole: true })
    for (const client of clients(platform)) {
      const { data } = await client.images.edit({
        ...{ image: fileOf(image, 'image.png'), mask: fileOf(mask, 'mask.png'), prompt: 'a yellow star' },
        ...{ n: 1, size: '256x256', response_format: 'b64_json', user: 'someone' },
      })
      const [before, after] = [await rawPixels(image), await rawPixels(Buffer.from(data![0]!.b64_json!, 'base64'))]
      let changedInside = 0
      for (let y = 0; y < 256; y++) {
        for (let x = 0; x < 256; x++) {
          const at = (y * 256 + x) * 4
          const isSame = before.subarray(at, at + 4).equals(after.subarray(at, at + 4))
          const isOpen = x >= 64 && x < 192 && y >= 64 && y < 192
          if (!isOpen) expect(isSame, `${x} ${y}`).toBe(true)
          else if (!isSame) changedInside++
        }
      }
      expect(changedInside).toBeGreaterThan(1_000)
    }
    const alone = form({ prompt: 'a yellow star', size: '256x256', response_format: 'b64_json' }, { image: mask })
    expect((await platform.post('/v1/images/edits', alone)).status).toBe(200)
  })

  it('INF-109 varies a picture: one of its own is drawn anew, any other gets another look', async () => {
    const platform = await start()
    const [client] = clients(platform)
    const drawn = await client!.images.generate({ ...small, response_format: 'b64_json' })
    const own = Buffer.from(drawn.data![0]!.b64_json!, 'base64')
    const foreign = await square(100, { colour: '#cc2244' })
    for (const [image, told] of [
      [own, /Drawn anew .* two red balloons above the house/],
      [foreign, /A variation of the uploaded picture/],
    ] as const) {
      const { data } = await client!.images.createVariation({
        ...{ image: fileOf(image, 'image.png'), n: 2, size: '256x256', response_format: 'b64_json', user: 'someone' },
      })
      const made = data!.map(({ b64_json }) => Buffer.from(b64_json!, 'base64'))
      expect(made).toHaveLength(2)
      for (const one of made) expect(await sharp(one).metadata()).toMatchObject({ width: 256, height: 256 })
      expect(made[0]!.equals(made[1]!) || made.some((one) => one.equals(image))).toBe(false)
      expect(data![0]!.revised_prompt).toMatch(told)
    }
  })

  it('refuses uploads that are no picture for this, before they are decoded, and keeps none', async () => {
    const platform = await start()
    const good = await square(64)
    const bomb = Buffer.from(good)
    bomb.writeUInt32BE(20_000, 16)
    bomb.writeUInt32BE(20_000, 20)
    const cut = good.subarray(0, good.length - 20)
    const jpeg = await sharp(good).jpeg().toBuffer()
    const prompt = 'a yellow star'
    const tries: [string, FormData, string, RegExp, number?][] = [
      ['variations', form({}, { image: bomb }), 'image', /20000 x 20000 pixels/],
      ['variations', form({}, { image: jpeg }), 'image', /must be a PNG/],
      ['variations', form({}, { image: Buffer.alloc(0) }), 'image', /must be a PNG/],
      ['variations', form({}, { image: await square(64, { height: 32 }) }), 'image', /square/],
      ['variations', form({}, { image: cut }), 'image', /damaged/],
      ['variations', form({}, { image: Buffer.alloc(4 * 1024 * 1024 + 1) }), 'image', /4194304 bytes/, 413],
      ['variations', form({ size: '1792x1024' }, { image: good }), 'size', /not supported/],
      ['variations', form({ n: 'two' }, { image: good }), 'n', /n/],
      ['variations', form({ model: 'dall-e-3' }, { image: good }), 'model', /dall-e-2/],
      ['variations', form({}, { picture: good }), 'picture', /Unknown parameter/],
      ['variations', form({}, {}), 'image', /Missing required parameter/],
      ['edits', form({ prompt }, { image: good }), 'image', /no transparency/],
      ['edits', form({ prompt }, { image: good, mask: good }), 'mask', /alpha/],
      ['edits', form({ prompt }, { image: good, mask: await square(32, { hole: true }) }), 'mask', /same size/],
      ['edits', form({ prompt }, { image: good, mask: bomb }), 'mask', /20000 x 20000/],
      [
        'edits',
        form({ prompt }, { image: good, mask: await sharp(good).ensureAlpha().png().toBuffer() }),
        'mask',
        /fully transparent/,
      ],
      ['edits', form({}, { image: good }), 'prompt', /Missing required parameter/],
    ]
    for (const [what, body, param, message, status = 400] of tries) {
      const told = await refused(platform, `/v1/images/${what}`, body)
      expect(told, `${what} ${message}`).toMatchObject({ status, param, message: expect.stringMatching(message) })
    }
    const dot = await platform.post('/v1/images/variations', form({ size: '256x256' }, { image: await square(1) }))
    expect(dot.status).toBe(200)
    expect(await blobKeys(platform)).toHaveLength(1)
  })
})

async function blobKeys({ kernel }: TestPlatform): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of kernel.blobs.list()) keys.push(key)
  return keys
}

describePlatform('the URL of an image', (start) => {
  it('is signed, works for an hour without a key, and then its bytes go', async () => {
    const clock = new ManualClock(Date.now())
    const platform = await start({ clock })
    const answer = (await (await platform.post(generations, small)).json()) as unknown as { data: { url: string }[] }
    const url = new URL(answer.data[0]!.url)
    expect(url.origin).toBe(platform.url)
    const whole = await fetch(url)
    expect(whole.headers.get('content-type')).toBe('image/png')
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe(
      String((await whole.arrayBuffer()).byteLength),
    )
    const later = new URL(url)
    later.searchParams.set('expires', String(Number(url.searchParams.get('expires')) + 60))
    expect((await fetch(later)).status).toBe(403)
    clock.advanceSeconds(3_599)
    expect((await fetch(url)).status).toBe(200)
    clock.advanceSeconds(2)
    expect((await fetch(url)).status).toBe(404)
    const stored = () => platform.kernel.db.queries.selectFrom('organization_storage').select('bytes').execute()
    expect(Number((await stored())[0]?.bytes)).toBeGreaterThan(0)
    await platform.platform.images.removeOverdue()
    await platform.kernel.segments.idle()
    expect(await blobKeys(platform)).toEqual([])
    expect(Number((await stored())[0]?.bytes)).toBe(0)
  })

  it('is metered by image, with its size and where it came from, and limited by images a minute', async () => {
    const platform = await start({ config: { rateLimits: { imagesPerMinute: 3 } } })
    expect((await platform.post(generations, { ...small, n: 2 })).status).toBe(200)
    const form = new FormData()
    form.append('image', new File([new Uint8Array(await square(64))], 'a.png'))
    form.append('size', '256x256')
    expect((await platform.post('/v1/images/variations', form)).status).toBe(200)
    const response = await platform.post(generations, small)
    expect(response.status).toBe(429)
    expect(await errorOf(response)).toMatchObject({ type: 'images', code: 'rate_limit_exceeded' })
    await platform.platform.inference.usage.flush()
    const rows = await platform.kernel.db.queries.selectFrom('usage_events').selectAll().orderBy('id').execute()
    const told = rows.map(({ operation, model, answered_by, images, size, source }) => ({
      operation,
      model,
      answered_by,
      images: Number(images),
      size,
      source,
    }))
    const common = { operation: 'images', model: 'dall-e-2', answered_by: 'atoll-illustrator-1', size: '256x256' }
    expect(told).toEqual([
      { ...common, images: 2, source: 'image.generation' },
      { ...common, images: 1, source: 'image.variation' },
    ])
  })
})
