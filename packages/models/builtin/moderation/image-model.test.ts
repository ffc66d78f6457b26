import sharp from 'sharp'
import { expect, it } from 'vitest'
import { loadImageModel } from './image-model.ts'
import { ImageNetwork, type Layer } from './image-network.ts'

const numbers = (count: number, from = 1): Float32Array =>
  Float32Array.from({ length: count }, (_, at) => Math.sin(from + at * 1.7))
const goOn = async () => undefined

it('scores an image as its makers’ own engine does', async () => {
  const side = 64
  const pixels = Buffer.alloc(side * side * 3)
  for (let at = 0; at < side * side; at++) {
    const [x, y] = [at % side, Math.floor(at / side)]
    pixels.set([4 * x, 4 * y, (x * y) % 256], 3 * at)
  }
  const picture = await sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer()
  const model = await loadImageModel()
  // TensorFlow.js gave these to its five kinds: 0.0058055, 0.0013805, 0.9927092, 0.0000590, 0.0000456.
  expect(await model.score(picture, new AbortController().signal)).toBeCloseTo(0.00146009, 6)
  await expect(model.score(picture, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
})

it('computes layers as loops would, at the edges and with a row of pixels that is not full', async () => {
  const layers: Layer[] = [
    layer('convolution', [3, 3, 3, 8], { stride: 2, bounded: true }),
    layer('depthwise', [3, 3, 8, 1], { stride: 2 }),
    layer('convolution', [1, 1, 8, 8], { plus: 1 }),
  ]
  const network = await ImageNetwork.load(layers)
  const input = numbers(9 * 9 * 3)
  const result = await network.run(9, input, goOn)
  const first = plain(layers[0]!, 9, input)
  const second = plain(layers[1]!, 5, first)
  const third = plain(layers[2]!, 3, second)
  expect(result).toHaveLength(3 * 3 * 8)
  for (const [at, value] of result.entries()) expect(value).toBeCloseTo(third[at]! + second[at]!, 4)
})

function layer(kind: Layer['kind'], shape: number[], options: Partial<Layer>): Layer {
  const outs = kind === 'depthwise' ? shape[2]! : shape[3]!
  const weights = numbers(shape.reduce((product, size) => product * size, 1))
  return { kind, shape, stride: 1, bounded: false, weights, offsets: numbers(outs, 9), ...options }
}

function plain(
  { kind, shape, stride, bounded, weights, offsets }: Layer,
  side: number,
  values: ArrayLike<number>,
): number[] {
  const [size = 1, , channels = 1, last = 1] = shape
  const outs = kind === 'depthwise' ? channels : last
  const to = Math.ceil(side / stride)
  const before = Math.floor(Math.max(0, (to - 1) * stride + size - side) / 2)
  return Array.from({ length: to * to * outs }, (_, at) => {
    const [out, pixel] = [at % outs, Math.floor(at / outs)]
    let sum = offsets[out]!
    for (let nth = 0; nth < size * size; nth++) {
      const y = Math.floor(pixel / to) * stride - before + Math.floor(nth / size)
      const x = (pixel % to) * stride - before + (nth % size)
      if (y < 0 || y >= side || x < 0 || x >= side) continue
      for (let channel = 0; channel < channels; channel++) {
        if (kind === 'depthwise' && channel !== out) continue
        const weight =
          kind === 'depthwise' ? weights[nth * channels + out]! : weights[(nth * channels + channel) * outs + out]!
        sum += values[(y * side + x) * channels + channel]! * weight
      }
    }
    return bounded ? Math.min(6, Math.max(0, sum)) : sum
  })
}
