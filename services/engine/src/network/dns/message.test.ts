import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAddress } from '../address.ts'
import { codes, type Question, readQuestion, reversedAddress, writeAnswer } from './message.ts'

const question = (name: string, type = 1): Buffer => {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  const head = Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([head, ...labels, Buffer.from([0, 0, type, 0, 1])])
}

describe('a DNS message', () => {
  it('is read and answered', () => {
    const read = readQuestion(question('Web.Example')) as Question
    expect(read).toMatchObject({ id: 0x1234, name: 'web.example', type: 1, isRecursionDesired: true })
    const answer = writeAnswer(read, codes.ok, [{ address: parseAddress('10.0.0.1')! }])
    expect(answer.readUInt16BE(0)).toBe(0x1234)
    expect(answer.readUInt16BE(6)).toBe(1)
    expect([...answer.subarray(-4)]).toEqual([10, 0, 0, 1])
    expect(writeAnswer(read, codes.unknownName).readUInt16BE(2) & 15).toBe(3)
  })

  it('never answers an answer, and survives anything', () => {
    const answer = question('a')
    answer[2] = 0x80
    expect(readQuestion(answer)).toBeUndefined()
    expect(readQuestion(Buffer.from([1, 2, 3]))).toBeUndefined()
    const pointer = Buffer.concat([question('a').subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])])
    expect(readQuestion(pointer)).toBe('malformed')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const read = readQuestion(Buffer.from(bytes))
        if (typeof read === 'object') writeAnswer(read, codes.ok, [{ pointer: read.name }])
      }),
    )
  })

  it('asks for the name of an address', () => {
    expect(reversedAddress('1.0.0.10.in-addr.arpa')).toEqual(parseAddress('10.0.0.1'))
    const nibbles = '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'
    expect(reversedAddress(nibbles)).toEqual(parseAddress('2001:db8::1'))
    expect(reversedAddress('x.in-addr.arpa')).toBeUndefined()
  })
})
