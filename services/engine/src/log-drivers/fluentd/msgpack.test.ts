import { describe, expect, it } from 'vitest'
import { Packer } from './msgpack.ts'
import { unpack } from './unpack.ts'

const hex = (packer: Packer) => packer.bytes.toString('hex')

describe('MessagePack', () => {
  it('is written byte by byte as its specification says', () => {
    expect(hex(new Packer().count(0).count(127).count(128).count(256).count(65_536))).toBe('007fcc80cd0100ce00010000')
    expect(hex(new Packer().count(2 ** 32))).toBe('cf0000000100000000')
    expect(hex(new Packer().text('').text('é'))).toBe('a0a2c3a9')
    expect(hex(new Packer().text('x'.repeat(32))).slice(0, 4)).toBe('d920')
    expect(hex(new Packer().text('x'.repeat(256))).slice(0, 6)).toBe('da0100')
    expect(hex(new Packer().text('x'.repeat(65_536))).slice(0, 10)).toBe('db00010000')
    expect(hex(new Packer().list(15).list(16).map(15).map(16))).toBe('9fdc00108fde0010')
    expect(hex(new Packer().time({ seconds: 1, nanoseconds: 2 }))).toBe('d7000000000100000002')
    expect(() => new Packer().count(-1)).toThrow(RangeError)
  })

  it('is read again, and known to be incomplete before its end', () => {
    const packer = new Packer().list(3).text('tag').map(1).text('long').text('y'.repeat(70_000))
    const { bytes } = packer.time({ seconds: 4_000_000_000, nanoseconds: 999_999_999 })
    const value = ['tag', { long: 'y'.repeat(70_000) }, { seconds: 4_000_000_000, nanoseconds: 999_999_999 }]
    expect(unpack(bytes)).toEqual({ value, end: bytes.length })
    for (const cut of [0, 1, 3, 9, 100, bytes.length - 1]) expect(unpack(bytes.subarray(0, cut))).toBeUndefined()
    expect(unpack(Buffer.from('c0c3c402beefff', 'hex'), 2)).toEqual({ value: Buffer.from('beef', 'hex'), end: 6 })
  })

  it('is refused where it is none', () => {
    expect(() => unpack(Buffer.from([0xc1]))).toThrow('no MessagePack')
    expect(() => unpack(Buffer.alloc(100, 0x91))).toThrow('too deep')
  })
})
