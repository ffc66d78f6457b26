// Forms whose parts have headers that never end: the parser says nothing of such a part, and must not wait for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asUser, type Sample, startSample } from './testing/sample-service.ts'

let sample: Sample
beforeAll(async () => {
  sample = await startSample()
})
afterAll(() => sample.stop())

const whole = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n'
const endless = '--b\nContent-Disposition: form-data; name="purpose"; filename="x"\n\nvalue\r\n'

describe('a form with a part whose headers never end', () => {
  it.each([
    ['alone', `${endless}--b--\r\n`],
    ['before a whole file', `${endless}${whole}--b--\r\n`],
    ['after a whole file', `${whole}${endless}--b--\r\n`],
  ])('is refused, %s, and leaves nothing behind', async (_where, body) => {
    const headers = { ...asUser, 'content-type': 'multipart/form-data; boundary=b' }
    const response = await fetch(`${sample.url}/v1/files`, { method: 'POST', body, headers })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('headers of a part')
    expect(await sample.blobKeys()).toEqual([])
  })
})
