import { describe, expect, it } from 'vitest'
import { adapterLayout } from '../model/adapter.ts'
import { randomNormal } from '../model/random.ts'
import { anyAdapter, anyRow, passOf, type SmallModel, smallModel } from '../testing/small-model.ts'
import type { Pass } from './pass.ts'
import type { PassOptions } from './pass-parts.ts'
import type { Row } from './row.ts'

/** Large enough that single precision can tell, small enough that the loss is straight. */
const distance = 0.004

/** What is to become less, and what adds its gradients. */
interface Aim {
  value(pass: Pass, row: Row): number
  addGradients(pass: Pass, row: Row): unknown
}

const learning: Aim = {
  value: (pass, row) => pass.evaluate(row).loss,
  addGradients: (pass, row) => pass.learn(row, 1),
}
const reminding: Aim = {
  value: (pass, row) => pass.difference(row),
  addGradients: (pass, row) => pass.remind(row, 1),
}

/** How much the value changes along `direction`, found by going there. */
function measuredSlope(value: () => number, pass: Pass, parameters: Float32Array, direction: Float32Array): number {
  const valueAt = (way: number): number => {
    pass.parameters.set(parameters.map((value, index) => value + way * direction[index]!))
    return value()
  }
  return (valueAt(distance) - valueAt(-distance)) / (2 * distance)
}

function slopes(small: SmallModel, options: Partial<PassOptions>, aim: Aim) {
  const { adapter, model } = small
  const pass = passOf(small, options)
  const row = anyRow(model.shape.vocabulary, [23, 1, 17, 9])
  const parameters = anyAdapter(adapter)
  pass.parameters.set(parameters)
  pass.gradients.fill(0)
  aim.addGradients(pass, row)
  const gradients = pass.gradients.slice()
  const next = randomNormal(7)
  return adapter.matrices.flatMap(({ layer, name, inputs, outputs, a, b }) =>
    [
      { part: 'A', from: a, to: a + adapter.rank * inputs },
      { part: 'B', from: b, to: b + adapter.rank * outputs },
    ].map(({ part, from, to }) => {
      const direction = new Float32Array(adapter.numbers)
      for (let index = from; index < to; index++) direction[index] = next()
      const computed = direction.reduce((sum, way, index) => sum + way * gradients[index]!, 0)
      return {
        what: `${part} of ${name} ${layer}`,
        computed,
        measured: measuredSlope(() => aim.value(pass, row), pass, parameters, direction),
      }
    }),
  )
}

function expectSlopes(small: SmallModel, options: Partial<PassOptions>, aim = learning): void {
  for (const { what, computed, measured } of slopes(small, options, aim)) {
    expect(Math.abs(computed - measured), `${what}: ${computed}, measured ${measured}`).toBeLessThan(
      0.01 * Math.abs(measured) + 0.01,
    )
  }
}

describe.each([
  ['llama', {}],
  ['llama', { recomputes: true }],
  ['llama', { nativeFrom: 0 }],
  ['qwen2', {}],
] as const)('gradients in models of the %s family, with %o', (family, options) => {
  it('are the slopes of the loss, for both parts of every matrix', async () => {
    expectSlopes(await smallModel({ family }), options)
  })
})

describe.each([
  ['llama', {}],
  ['llama', { recomputes: true }],
  ['qwen2', {}],
] as const)('gradients of what models of the %s family are reminded of, with %o', (family, options) => {
  it('are the slopes of the difference from the model without the adapter', async () => {
    expectSlopes(await smallModel({ family }), options, reminding)
  })
})

it('are the slopes where the first layers are left as they are', async () => {
  const small = await smallModel({ layers: 3 })
  const adapter = adapterLayout(small.model.shape, { rank: 4, alpha: 8, names: ['attn_q', 'ffn_down'], depth: 0.5 })
  expect(adapter.firstLayer).toBe(1)
  for (const aim of [learning, reminding]) expectSlopes({ ...small, adapter }, {}, aim)
})

it('does not differ from the model that it is before any training', async () => {
  const small = await smallModel()
  expect(passOf(small).difference(anyRow(small.model.shape.vocabulary, [30]))).toBeCloseTo(0, 5)
})

it('are the slopes of the loss where some matrices are left as they are', async () => {
  const small = await smallModel()
  const adapter = adapterLayout(small.model.shape, { rank: 4, alpha: 8, names: ['attn_v', 'ffn_down'], depth: 1 })
  expectSlopes({ ...small, adapter }, {})
})

it('are the same for an example alone and beside others in its row', async () => {
  const small = await smallModel()
  const { vocabulary } = small.model.shape
  const both = anyRow(vocabulary, [20, 30])
  const part = (start: number, end: number): Row => ({
    tokens: both.tokens.slice(start, end),
    weights: both.weights.slice(start, end),
    segments: [{ start: 0, end: end - start }],
  })
  const gradientsOf = (rows: Row[]): Float32Array => {
    const pass = passOf(small)
    pass.parameters.set(anyAdapter(small.adapter))
    for (const row of rows) pass.learn(row, 1)
    return pass.gradients.slice()
  }
  const together = gradientsOf([both])
  const apart = gradientsOf([part(0, 20), part(20, 50)])
  const largest = Math.max(...together.map(Math.abs))
  for (const [index, value] of together.entries()) expect(Math.abs(value - apart[index]!)).toBeLessThan(1e-4 * largest)
})
