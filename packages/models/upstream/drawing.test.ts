import { describe, expect } from 'vitest'
import { sendJson } from './testing/model-server.ts'
import { call, it, problemOf, upstreamDetail } from './testing/upstream-test.ts'

const size = { width: 512, height: 512 }
const picture = Buffer.from('a picture')
const answer = { created: 1, data: [{ b64_json: picture.toString('base64'), revised_prompt: 'A red ball.' }] }
const generate = { kind: 'generate' as const, prompt: 'a ball', count: 1, size, quality: undefined, style: undefined }

describe('the drawing port', () => {
  it('asks for pictures as base64, with the looks that were chosen and no others', async ({ serve, connect }) => {
    const server = await serve((response) => sendJson(response, answer))
    const { drawing } = connect(server)
    const drawn = await drawing.draw({ ...generate, quality: 'hd', style: 'natural', user: 'u' }, call())
    expect(drawn).toEqual({ model: 'tiny', pictures: [{ png: picture, revisedPrompt: 'A red ball.' }] })
    const common = { model: 'tiny', n: 1, size: '512x512', response_format: 'b64_json', prompt: 'a ball' }
    expect(server.seen[0]!.path).toBe('/v1/images/generations')
    expect(server.seen[0]!.body).toEqual({ ...common, quality: 'hd', style: 'natural', user: 'u' })
    await drawing.draw(generate, call())
    expect(server.seen[1]!.body).toEqual(common)
  })

  it('sends pictures and masks as a form', async ({ serve, connect }) => {
    const server = await serve((response) => sendJson(response, answer))
    const { drawing } = connect(server)
    const [image, mask] = [Buffer.from([0x89, 0, 255, 13, 10]), Buffer.from('mask')]
    await drawing.draw({ kind: 'edit', prompt: 'a star', image, mask, count: 1, size }, call())
    await drawing.draw({ kind: 'vary', image, count: 1, size }, call())
    const forms = server.seen.map(({ headers, bytes }) =>
      new Response(new Uint8Array(bytes), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData(),
    )
    const [edit, vary] = await Promise.all(forms)
    expect(server.seen.map(({ path }) => path)).toEqual(['/v1/images/edits', '/v1/images/variations'])
    expect(Object.fromEntries(edit!)).toMatchObject({ model: 'tiny', prompt: 'a star', n: '1', size: '512x512' })
    expect(Buffer.from(await (edit!.get('image') as File).arrayBuffer())).toEqual(image)
    expect(await (edit!.get('mask') as File).text()).toBe('mask')
    expect([...vary!.keys()].sort()).toEqual(['image', 'model', 'n', 'response_format', 'size'])
  })

  it('tries elsewhere after a failure, and passes a refusal on', async ({ serve, connect }) => {
    const broken = await serve((response) => sendJson(response, {}, 500))
    const good = await serve((response) => sendJson(response, answer))
    for (let n = 0; n < 3; n++)
      expect((await connect([broken, good]).drawing.draw(generate, call())).pictures).toHaveLength(1)
    const error = { message: 'No.', type: 'invalid_request_error', param: null, code: 'content_policy_violation' }
    good.behave((response) => sendJson(response, { error }, 400))
    expect(upstreamDetail(await problemOf(connect(good).drawing.draw(generate, call())))).toMatchObject({
      status: 400,
      error,
    })
  })

  it('refuses answers that are none', async ({ serve, connect }) => {
    const server = await serve((response) => sendJson(response, {}))
    for (const bad of [
      {},
      { data: [] },
      { data: [{ url: 'http://elsewhere' }] },
      { data: [{ b64_json: '' }] },
      { data: [answer.data[0], answer.data[0]] },
    ]) {
      server.behave((response) => sendJson(response, bad))
      expect((await problemOf(connect(server, { retries: 0 }).drawing.draw(generate, call()))).detail.kind).toBe(
        'upstream',
      )
    }
  })
})
