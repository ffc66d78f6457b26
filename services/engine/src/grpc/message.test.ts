import { describe, expect, it } from 'vitest'
import { frame, readFrames } from './frames.ts'
import { bool, bytes, int64, MalformedMessage, map, message, nested, repeated, string, uint32 } from './message.ts'
import { failureOf, statusHeaders } from './status.ts'

const Inner = message({ name: string(1), size: int64(5) })
const Sample = message({
  name: string(1),
  isOn: bool(2),
  mode: uint32(3),
  time: int64(4),
  data: bytes(5),
  inner: nested(6, Inner),
  words: repeated(string(7)),
  inners: repeated(nested(8, Inner)),
  attrs: map(9, string),
})

describe('a message', () => {
  it('comes back as it was', () => {
    const sample = {
      ...{ name: 'näme', isOn: true, mode: 2 ** 31 + 0o755, time: -5n, data: new Uint8Array([0, 255]) },
      ...{ inner: { name: 'in', size: 2n ** 62n }, words: ['a', '', 'b'], inners: [{ name: 'x', size: 0n }] },
      attrs: new Map([
        ['key', 'value'],
        ['empty', ''],
      ]),
    }
    expect(Sample.decode(Sample.encode(sample))).toEqual(sample)
  })

  it('is as protocol buffers have it, and leaves out what is empty', () => {
    expect(Buffer.from(Sample.encode({ name: 'a', isOn: false, mode: 300 })).toString('hex')).toBe('0a016118ac02')
    expect(Buffer.from(Sample.encode({ inner: {} })).toString('hex')).toBe('3200')
    expect(Sample.decode(new Uint8Array()).inner).toBeUndefined()
  })

  it('is read without fields that are not known, and refused when it is none', () => {
    const More = message({ name: string(1), other: string(20), number: uint32(21) })
    expect(Inner.decode(More.encode({ name: 'a', other: 'b', number: 7 }))).toEqual({ name: 'a', size: 0n })
    for (const hex of ['0a05', '08', '0801', '0b', 'ffffffffffffffffffff01', '2a01ff']) {
      expect(() => Inner.decode(Buffer.from(hex, 'hex')), hex).toThrow(MalformedMessage)
    }
  })
})

describe('frames', () => {
  const read = async (chunks: Buffer[], maxBytes = 1_000) => {
    const messages: string[] = []
    for await (const each of readFrames(inOrder(chunks), maxBytes)) messages.push(each.toString())
    return messages
  }
  async function* inOrder(chunks: Buffer[]) {
    yield* chunks
  }

  it('are found however they were cut', async () => {
    const whole = Buffer.concat([frame(Buffer.from('one')), frame(Buffer.alloc(0)), frame(Buffer.from('three'))])
    for (let size = 1; size <= whole.length; size++) {
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.subarray(at * size, (at + 1) * size),
      )
      expect(await read(chunks)).toEqual(['one', '', 'three'])
    }
  })

  it('that are too long, compressed or cut off are refused', async () => {
    await expect(read([frame(Buffer.alloc(11))], 10)).rejects.toThrow('a message of 11 bytes')
    await expect(read([Buffer.from([1, 0, 0, 0, 0])])).rejects.toThrow('compressed')
    await expect(read([Buffer.from([0, 0, 0, 0, 2, 65])])).rejects.toThrow('in the midst')
  })
})

describe('how a call ended', () => {
  it('is told in words of any letters', () => {
    const words = 'line\nzwei: ü 100%'
    const headers = statusHeaders(2, words)
    expect(headers['grpc-message']).toMatch(/^[ -~]*$/)
    expect(failureOf(headers)).toMatchObject({ code: 2, message: words })
    expect(failureOf(statusHeaders(0))).toBeUndefined()
  })
})
