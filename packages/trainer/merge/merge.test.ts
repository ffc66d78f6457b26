import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { readGguf } from '@atoll/models/gguf/read'
import { tensorTypes } from '@atoll/models/gguf/types'
import { expect, it } from 'vitest'
import { writeAdapter } from '../adapter-file.ts'
import { fileSha256 } from '../model/file-digest.ts'
import { randomNormal } from '../model/random.ts'
import { bindingScores } from '../testing/binding-scores.ts'
import { anyAdapter, anyRow, smallModel } from '../testing/small-model.ts'
import { quantise } from '../weights/quantise.ts'
import { mergeAdapter } from './merge.ts'

/** Matrices of random numbers, written as `kind`. */
const writtenAs = (kind: number) => {
  const next = randomNormal(kind + 1)
  return (inputs: number, outputs: number): Uint8Array =>
    quantise(
      kind,
      Float32Array.from({ length: inputs * outputs }, () => next() / Math.sqrt(inputs)),
    )
}

async function merged(kind: number) {
  const sizes = { width: 64, hidden: 128, layers: 2 }
  const small = await smallModel({ ...sizes, ...(kind > 0 && { written: { kind, bytes: writtenAs(kind) } }) })
  const [adapter, output] = [join(small.file, '..', 'adapter.gguf'), join(small.file, '..', 'merged.gguf')]
  const notes = { architecture: 'llama', name: 'one', baseSha256: await fileSha256(small.file) }
  writeAdapter(adapter, small.adapter, anyAdapter(small.adapter), notes)
  return { ...small, adapterFile: adapter, output }
}

it.each([0, 1, 8, 30])(
  'makes a file that answers as base and adapter do together, written as type %i',
  async (kind) => {
    const { file, adapterFile: adapter, output, model } = await merged(kind)
    await mergeAdapter({ base: file, adapter, output })
    const { vocabulary } = model.shape
    const row = anyRow(vocabulary, [24])
    const [wanted, plain, got] = [
      await bindingScores(file, row.tokens, { vocabulary, adapter }),
      await bindingScores(file, row.tokens, { vocabulary }),
      await bindingScores(output, row.tokens, { vocabulary }),
    ]
    const far = (other: Float64Array): number => {
      const sum = wanted.reduce((total, score, at) => total + (score - other[at]!) ** 2, 0)
      return Math.sqrt(sum / wanted.reduce((total, score) => total + score ** 2, 0))
    }
    expect(far(plain)).toBeGreaterThan(0.2)
    // Numbers of 8 and 16 bits are rounded once more.
    expect(far(got)).toBeLessThan(kind === 0 ? 1e-3 : 0.05)
    expect((await readGguf(output)).quantization).toBe(tensorTypes[kind]?.name)
  },
)

it('leaves nothing behind when the base is another one than it was trained on', async () => {
  const { file, adapterFile: adapter, output } = await merged(0)
  appendFileSync(file, 'changed')
  await expect(mergeAdapter({ base: file, adapter, output })).rejects.toThrow(
    /another version of the base model's file/,
  )
  expect(existsSync(output) || existsSync(`${output}.part`)).toBe(false)
})
