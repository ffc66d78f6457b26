import { PassThrough, Readable, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { afterHead } from './answer-head.ts'

/** A client that takes what is written only when it is told to. */
function slowClient() {
  const waiting: (() => void)[] = []
  const taker = new Writable({ write: (_chunk, _encoding, done) => void waiting.push(done) })
  const client = Object.assign(new PassThrough(), { write: taker.write.bind(taker) })
  return { client, take: () => waiting.shift()?.() }
}

describe('what stands behind the head of an answer', () => {
  it('is not even read before the head has left', async () => {
    const { client, take } = slowClient()
    client.write('head')
    let isRead = false
    const source = new Readable({
      read() {
        isRead = true
        this.push('output')
        this.push(null)
      },
    })
    const first = afterHead(client, source).next()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(isRead).toBe(false)
    take()
    await new Promise((resolve) => setImmediate(resolve))
    take()
    expect(String((await first).value)).toBe('output')
  })
})
