import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { writeAdapter } from '../adapter-file.ts'
import { adapterLayout } from '../model/adapter.ts'
import { matrixNames } from '../model/base-model.ts'
import { smallModel } from '../testing/small-model.ts'
import { epochFile, keptEpochs } from './kept-epochs.ts'

it('finds adapters of the epochs before, but none that is cut, damaged, missing or of another base', async () => {
  const folder = await tempDir()
  const { model } = await smallModel()
  const layout = adapterLayout(model.shape, { rank: 4, alpha: 8, names: matrixNames, depth: 1 })
  const write = (epoch: number, baseSha256: string): void => {
    const notes = { architecture: 'llama', name: 'one', baseSha256 }
    writeAdapter(epochFile(folder, epoch), layout, new Float32Array(layout.numbers), notes)
  }
  for (const epoch of [1, 2, 5, 6]) write(epoch, 'of this base')
  write(4, 'of another')
  truncateSync(epochFile(folder, 2), statSync(epochFile(folder, 2)).size - 1_000)
  const kept = await keptEpochs({ folder, baseSha256: 'of this base', stepsPerEpoch: 3, doneSteps: 16 })
  expect(kept).toEqual([
    { epoch: 1, step: 3, file: epochFile(folder, 1) },
    { epoch: 5, step: 15, file: epochFile(folder, 5) },
  ])
  writeFileSync(epochFile(folder, 1), '')
  expect(await keptEpochs({ folder, baseSha256: 'of this base', stepsPerEpoch: 3, doneSteps: 5 })).toEqual([])
})
