import { expect, it } from 'vitest'
import { encodeFrame, FrameReader, type Reply } from './frames.ts'

const image = Buffer.concat(encodeFrame({ is: 'image', name: 'plot.png' }, Buffer.from('bytes')))
const ended = Buffer.concat(encodeFrame({ is: 'ended' }))

it('puts frames together, however they were cut', () => {
  const stream = Buffer.concat([image, ended, image])
  for (const size of [1, 7, 40, stream.length]) {
    const reader = new FrameReader<Reply>(100)
    const frames = []
    for (let at = 0; at < stream.length; at += size) frames.push(...reader.push(stream.subarray(at, at + size)))
    expect(frames.map(({ header }) => header.is)).toEqual(['image', 'ended', 'image'])
    expect(Buffer.from(frames[2]!.bytes).toString()).toBe('bytes')
  }
})

it('refuses what is larger than allowed before it has arrived, and what is no frame', () => {
  expect(() => new FrameReader(4).push(image.subarray(0, 8))).toThrow('too large')
  expect(() => new FrameReader(100).push(Buffer.alloc(8, 0xff))).toThrow('too large')
  expect(() => new FrameReader(100).push(Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0x7b]))).toThrow()
})
