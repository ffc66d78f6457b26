// How much a form may hold beside its file, and that a refusal says so.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { asUser, type Sample, startSample } from '../testing/sample-service.ts'

let sample: Sample
beforeAll(async () => {
  sample = await startSample()
})
afterAll(() => sample.stop())
afterEach(async () => {
  expect(await sample.blobKeys()).toEqual([])
})

async function refusalOf(body: string, boundary = 'b'): Promise<string> {
  const headers = { ...asUser, 'content-type': `multipart/form-data; boundary=${boundary}` }
  const response = await fetch(`${sample.url}/v1/files`, { method: 'POST', body, headers })
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  expect([response.status, error.code]).toEqual([400, 'invalid_multipart'])
  return error.message
}

const file = ({ filename = 'a.txt', name = 'file', header = '' } = {}) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n${header}\r\nhello\r\n`
const field = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nbatch\r\n`
const end = '--b--\r\n'

describe('a form is refused, with the limit, for', () => {
  it.each([
    ['the name of a file', file({ filename: 'x'.repeat(256) }), 'name of the file is longer than 255'],
    ['the name of a file that fills the headers', file({ filename: 'x'.repeat(15_000) }), 'longer than 255'],
    ['a name of 100,000 letters', file({ filename: 'x'.repeat(100_000) }), 'headers of a part are longer than 16384'],
    ['the name of a part', field('x'.repeat(257)), 'name of a part is longer than 256'],
    ['the name of the part of the file', file({ name: 'x'.repeat(257) }), 'name of a part is longer than 256'],
    ['a long header', file({ header: `x: ${'a'.repeat(16_384)}\r\n` }), 'headers of a part are longer than 16384'],
    ['5 MB of one header', file({ header: `x: ${'a'.repeat(5_000_000)}\r\n` }), 'longer than 16384'],
    ['many headers', file({ header: 'x: a\r\n'.repeat(3_000) }), 'headers of a part are longer than 16384'],
    ['headers without an end', `--b\r\n${'x: a\r\n'.repeat(100_000)}`, 'headers of a part are longer than 16384'],
    ['fields', file() + field('purpose').repeat(51), 'more than 50 fields'],
    ['20,000 fields', field('purpose').repeat(20_000), 'more than 50 fields'],
    ['what comes before it', `${'x'.repeat(16_384)}\r\n${file()}`, 'not in the first 16384 bytes'],
  ])('%s', async (_what, body, message) => {
    expect(await refusalOf(body + end)).toContain(message)
  })

  it('its boundary', async () => {
    expect(await refusalOf(file() + end, 'b'.repeat(201))).toContain('longer than 200 characters')
  })
})

describe('a form with a part whose headers never end', () => {
  const endless = '--b\nContent-Disposition: form-data; name="purpose"; filename="x"\n\nvalue\r\n'
  it.each([
    ['alone', endless],
    ['before a whole file', endless + file()],
    ['after a whole file', file() + endless],
    ['that are no headers', file({ header: 'x\r\n' })],
    ['that ends with the boundary', `${file()}--b\r\nContent-Disposition: form-data; name="purpose"\r\n`],
    ['with text after the boundary', `--b and more\r\n${file().slice(5)}`],
  ])('is refused, %s, and leaves nothing behind', async (_where, body) => {
    expect(await refusalOf(body + end)).toContain('headers of a part')
  })

  it.each([
    ['no disposition', '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n', 'no name'],
    ['no headers', '--b\r\n\r\nx\r\n', 'no name'],
    ['another disposition', '--b\r\nContent-Disposition: attachment; name="file"\r\n\r\nx\r\n', 'no name'],
    ['an open quote', '--b\r\nContent-Disposition: form-data; name="file\r\n\r\nx\r\n', 'cannot be understood'],
    [
      'an unknown charset',
      '--b\r\nContent-Disposition: form-data; name="purpose"\r\nContent-Type: text/plain; charset=x\r\n\r\nbatch\r\n',
      "charset 'x' is not known",
    ],
  ])('is refused with %s', async (_what, body, message) => {
    expect(await refusalOf(body + file() + end)).toContain(message)
  })
})
