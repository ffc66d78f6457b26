import { closeSync, copyFileSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { testTemplate, writeRandomModel } from '../testing/random-gguf.ts'
import { GgufProblem } from './problem.ts'
import { readGguf } from './read.ts'
import { type GgufValue, writeGguf } from './write.ts'

let folder: string
let model: string

beforeAll(async () => {
  folder = await tempDir()
  model = join(folder, 'model.gguf')
  writeRandomModel(model, { layers: 2, width: 64, heads: 4, vocabulary: 3_000 })
})

const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer)
const u64 = (value: number | bigint) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer)
const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)])
const head = (tensors: number | bigint, entries: number | bigint, version = 3) =>
  Buffer.concat([Buffer.from('GGUF'), u32(version), u64(tensors), u64(entries)])

function file(...parts: Buffer[]): string {
  const path = join(folder, 'made.gguf')
  writeFileSync(path, Buffer.concat(parts))
  return path
}

function withMetadata(metadata: Record<string, GgufValue>): string {
  const path = join(folder, 'metadata.gguf')
  writeGguf(path, metadata, [])
  return path
}

describe('a GGUF file', () => {
  it('tells what is in it', async () => {
    const vocabularySize = 3_000
    const perLayer = 4 * 64 * 64 + 3 * 64 * 192 + 2 * 64
    expect(await readGguf(model)).toEqual({
      architecture: 'llama',
      name: 'Random 2x64',
      sizeLabel: undefined,
      license: undefined,
      quantization: 'F32',
      contextLength: 2048,
      blockCount: 2,
      embeddingLength: 64,
      headCount: 4,
      kvHeadCount: 4,
      keyLength: undefined,
      valueLength: undefined,
      vocabularySize,
      longestTokenBytes: expect.any(Number),
      chatTemplate: testTemplate,
      pooling: undefined,
      isCausal: true,
      bosToken: 0,
      eosToken: 0,
      addsBosToken: false,
      parameterCount: 2 * 64 * vocabularySize + 64 + 2 * perLayer,
      fileCount: 1,
      fileBytes: readFileSync(model).length,
    })
  })

  it('tells of heads that differ from layer to layer, of pooling, licence and recipe', async () => {
    const path = withMetadata({
      'bert.attention.head_count_kv': { i32s: [2, 0, 4] }, // before the architecture is named
      'bert.attention.key_length': { u32: 128 },
      'general.architecture': 'bert',
      'general.license': 'apache-2.0',
      'general.size_label': '33M',
      'general.file_type': { u32: 15 },
      'bert.pooling_type': { u32: 2 },
      'bert.attention.causal': false,
      'llama.context_length': { u32: 7 }, // another architecture's
    })
    expect(await readGguf(path)).toMatchObject({
      kvHeadCount: [2, 0, 4],
      keyLength: 128,
      license: 'apache-2.0',
      sizeLabel: '33M',
      quantization: 'Q4_K_M',
      pooling: 'cls',
      isCausal: false,
      contextLength: undefined,
    })
  })

  it('is read in part: what is skipped may be larger than memory', async () => {
    const path = file(head(0, 2), text('x.large'), u32(9), u32(0), u64(2 ** 33))
    truncateSync(path, 60 + 2 ** 33) // a hole of 8 GiB; the entry after it begins with an odd length
    const at = head(0, 2).length + text('x.large').length + 16 + 2 ** 33
    const tail = openSync(path, 'r+')
    writeSync(tail, Buffer.concat([text('general.architecture'), u32(8), text('llama')]), 0, undefined, at)
    closeSync(tail)
    const before = process.memoryUsage().arrayBuffers
    expect(await readGguf(path)).toMatchObject({ architecture: 'llama' })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000)
    truncateSync(path, 0)
  })
})

describe('a file that is no model', () => {
  const refused = async (path: string) => {
    const error = await readGguf(path).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(GgufProblem)
    return (error as Error).message
  }

  it('is named as such', async () => {
    expect(await refused(file())).toBe('not a GGUF file: it has only 0 bytes')
    expect(await refused(file(Buffer.from('<!DOCTYPE html>')))).toBe('not a GGUF file: it begins with "<!DO"')
    expect(await refused(file(Buffer.from([27, 91, 0, 7, 7])))).toBe('not a GGUF file: it begins with "?[??"')
    expect(await refused(file(head(0, 0, 1)))).toContain('version 1; versions 2 and 3 are read')
    expect(await refused(file(head(0, 0, 0x03000000)))).toContain('big-endian')
    expect(await refused(file(head(0, 0)))).toBe('damaged: it does not name its architecture')
    await expect(readGguf(join(folder, 'absent.gguf'))).rejects.toThrow('ENOENT')
    expect(await refused(folder)).toContain('no regular file')
  })

  it('says where it was cut off, wherever that was', async () => {
    const path = join(folder, 'cut.gguf')
    const whole = readFileSync(model).length
    for (const bytes of [5, 23, 30, 100, 2_000, 40_000, whole / 2, whole - 1_000]) {
      copyFileSync(model, path)
      truncateSync(path, bytes)
      expect(await refused(path)).toMatch(/^cut off: the file ends after \d+ bytes, inside /)
    }
  })

  it('cannot make the reader hold or count what is not there', async () => {
    const key = text('tokenizer.chat_template')
    const huge = 2n ** 62n
    expect(await refused(file(head(huge, 0)))).toContain('cannot be')
    expect(await refused(file(head(99_999_999, 0)))).toContain('claims to have 99999999 tensors')
    expect(await refused(file(head(0, 10_000_000)))).toContain('claims to have 10000000 metadata entries')
    expect(await refused(file(head(0, 60_000)))).toContain('cut off')
    expect(await refused(file(head(0, 1), key, u32(8), u64(2 ** 40)))).toContain('cut off')
    expect(await refused(file(head(0, 1), key, u32(9), u32(8), u64(2 ** 40)))).toContain('cut off')
    expect(await refused(file(head(0, 1), key, u32(9), u32(4), u64(2 ** 52)))).toContain('cut off')
    expect(await refused(file(head(0, 1), key, u32(77), u64(1)))).toContain('of kind 77, which does not exist')
    const long = Buffer.alloc(1024 * 1024 + 1, 'x')
    expect(await refused(file(head(0, 1), key, u32(8), text(long.toString())))).toContain('at most 1048576 are read')
    const nested = Array.from({ length: 50 }, () => Buffer.concat([u32(9), u64(1)]))
    expect(await refused(file(head(0, 1), key, u32(9), ...nested))).toContain('too many lists inside')
    expect(await refused(file(head(0, 1), key, u32(9), u32(9), u64(200_000)))).toContain('too many lists inside')
    const twice = Buffer.concat([text('general.name'), u32(8), text('a')])
    expect(await refused(file(head(0, 2), twice, twice))).toContain('general.name twice')
    const dimensions = [u32(5), Buffer.alloc(100)]
    expect(await refused(file(head(1, 0), text('t'), ...dimensions))).toContain('5 dimensions')
    const many = [u32(2), u64(2 ** 40), u64(2 ** 40), Buffer.alloc(12)]
    expect(await refused(file(head(1, 0), text('t'), ...many))).toContain('parameters')
    expect(await refused(withMetadata({ 'general.architecture': 'x', 'general.alignment': { u32: 0 } }))).toContain(
      'general.alignment is 0',
    )
  })

  it('gives a clear error or an answer for every damaged head, and never takes long', async () => {
    const bytes = readFileSync(model).subarray(0, 4_000)
    const change = fc.record({
      at: fc.integer({ min: 0, max: 1_000 }),
      with: fc.uint8Array({ minLength: 1, maxLength: 12 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), fc.nat(4_000), async (changes, length) => {
        const damaged = Buffer.from(bytes.subarray(0, length))
        for (const { at, with: letters } of changes)
          damaged.set(letters.subarray(0, Math.max(0, length - at)), Math.min(at, length))
        await readGguf(file(damaged)).catch((error: unknown) => {
          if (!(error instanceof GgufProblem)) throw error
          expect(error.message).toMatch(
            /^(not a GGUF file|cut off|damaged|a GGUF file of version|.* at most \d+ are read)/,
          )
        })
      }),
      { numRuns: 500 },
    )
  })
})
