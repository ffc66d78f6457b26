import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeEach, describe, expect, it } from 'vitest'
import { writeRandomModel } from '../testing/random-gguf.ts'
import { ModelFolder } from './folder.ts'

let path: string
let folder: ModelFolder

beforeEach(async () => {
  path = join(await tempDir(), 'models')
  mkdirSync(path)
  folder = new ModelFolder(path)
  writeRandomModel(join(path, 'SmolLM2-135M-Instruct-Q8_0.gguf'), { layers: 1, width: 32 })
  writeRandomModel(join(path, 'own.Q4_K_M.gguf'), { layers: 1, width: 32 })
  writeFileSync(join(path, 'broken.gguf'), 'GGUF')
  writeFileSync(join(path, 'notes.txt'), 'no model')
  writeFileSync(join(path, 'begun.gguf.part'), Buffer.alloc(1_000))
  const state = { etag: 'x', bytes: 1_000, pieceBytes: 300, done: [[0, 1]] }
  writeFileSync(join(path, 'begun.gguf.part.json'), JSON.stringify(state))
})

describe('the folder of models', () => {
  it('lists models, damaged ones with the reason, and what is not finished', async () => {
    const models = await folder.list()
    expect(models.map(({ name }) => name)).toEqual(['smollm2-135m-instruct', 'broken', 'own'])
    expect(models[0]).toMatchObject({ info: { architecture: 'llama', quantization: 'F32' }, problem: undefined })
    expect(models[1]).toMatchObject({ info: undefined, problem: expect.stringContaining('cut off') })
    expect(await folder.partials()).toEqual([{ name: 'begun', file: 'begun.gguf', fetchedBytes: 600, bytes: 1_000 }])
    expect(await new ModelFolder(join(path, 'absent')).list()).toEqual([])
  })

  it('finds a model by its name, its file, and an absolute path', async () => {
    const file = join(path, 'SmolLM2-135M-Instruct-Q8_0.gguf')
    for (const name of [
      'smollm2-135m-instruct',
      'SmolLM2-135M-Instruct-Q8_0',
      'smollm2-135m-instruct-q8_0.gguf',
      file,
    ]) {
      expect(await folder.resolve(name)).toBe(file)
    }
    await expect(folder.resolve('/absent.gguf')).rejects.toThrow('there is no file /absent.gguf')
    await expect(folder.resolve('smollm2-135-instruct')).rejects.toThrow('did you mean smollm2-135m-instruct?')
    await expect(folder.resolve('gemma-2-2b-it')).rejects.toThrow('get it with ./atoll models pull gemma-2-2b-it')
    writeRandomModel(join(path, 'own.Q8_0.gguf'), { layers: 1, width: 32 })
    await expect(folder.resolve('own')).rejects.toThrow('own could be own.Q4_K_M.gguf or own.Q8_0.gguf: name the file')
  })

  it('removes a model with all that belongs to it, and nothing outside', async () => {
    const outside = join(path, '..', 'outside.gguf')
    writeRandomModel(outside, { layers: 1, width: 32 })
    symlinkSync(outside, join(path, 'linked.gguf'))
    for (const name of ['../outside.gguf', outside, '/etc/passwd', '..']) {
      await expect(folder.remove(name)).rejects.toThrow(/is not in|there is no model/)
    }
    const bytes = statSync(join(path, 'own.Q4_K_M.gguf')).size
    const { file, freedBytes } = await folder.remove(join(path, 'own.Q4_K_M.gguf'))
    expect(file).toBe('own.Q4_K_M.gguf')
    expect(freedBytes).toBeGreaterThanOrEqual(bytes)
    await folder.remove('begun')
    await folder.remove('linked')
    await folder.remove('broken.gguf')
    expect(existsSync(outside)).toBe(true)
    expect(readdirSync(path)).toEqual(['SmolLM2-135M-Instruct-Q8_0.gguf', 'notes.txt'])
  })
})
