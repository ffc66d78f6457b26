import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@atoll/kernel/config/config-error'
import { kernelConfig } from '@atoll/kernel/config/kernel-config'
import { type ConfigSources, loadConfig } from '@atoll/kernel/config/load-config'
import { afterAll, describe, expect, it } from 'vitest'
import { PlatformConfig, platformSettings } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'atoll-platform-config-'))
const file = join(folder, 'atoll.yaml')
const model = join(folder, 'small.gguf')
writeFileSync(model, '')
afterAll(() => rmSync(folder, { recursive: true }))

const schema = kernelConfig(['platform']).extend({ platform: PlatformConfig.prefault({}) })

async function load(text: string, sources: Partial<ConfigSources> = {}): Promise<PlatformConfig> {
  writeFileSync(file, text)
  return (await loadConfig(schema, { env: {}, ...sources, file, settings: platformSettings })).platform
}

async function problems(text: string, sources: Partial<ConfigSources> = {}): Promise<string[]> {
  const error = await load(text, sources).catch((thrown: unknown) => thrown)
  if (!(error instanceof ConfigError)) throw new Error('The configuration was accepted.')
  return error.problems.map((line) => line.replaceAll(`${folder}/`, ''))
}

describe("the platform's configuration", () => {
  it('knows the well-known models, each with a runtime where there is one, and prices', async () => {
    const { models, runtimes } = await load('')
    expect(runtimes).toEqual({})
    const byId = new Map(models.map((known) => [known.id, known]))
    expect(byId.get('gpt-4o-mini')).toMatchObject({
      runtime: 'builtin-chat',
      serves: ['chat'],
      prices: { inputPerMillion: 0.15, cachedInputPerMillion: 0.075, outputPerMillion: 0.6 },
    })
    expect(byId.get('text-embedding-ada-002')?.runtime).toBe('builtin-embeddings-fixed')
    expect(byId.get('whisper-1')?.runtime).toBe('builtin-transcription')
  })

  it('takes runtimes by name, with paths from the folder of the file', async () => {
    const { runtimes } = await load('platform: {runtimes: {mine: {kind: llama, file: small.gguf}}}')
    expect(runtimes.mine).toMatchObject({ kind: 'llama', file: model })
  })

  it('names the key of a runtime that does not exist, and the nearest that does', async () => {
    const text = 'platform:\n  models:\n    - {id: a, runtime: builtin-chta}\n    - {id: b, runtime: nothing}'
    expect(await problems(text)).toEqual([
      'platform.models[0].runtime: there is no runtime builtin-chta; did you mean builtin-chat? (atoll.yaml:3)',
      expect.stringMatching(/^platform\.models\[1\]\.runtime: there is no runtime nothing; there are: builtin-chat, /),
    ])
  })

  it('says what is wrong with a runtime', async () => {
    const upstream = '{kind: upstream, model: x, replicas: [http://127.0.0.1:1/v1]'
    expect(await problems('platform: {runtimes: {a: {kind: lama}}}')).toEqual([
      expect.stringMatching(
        /^platform\.runtimes\.a\.kind: expected one of: llama, upstream, embeddings, moderation, .*speech/,
      ),
    ])
    expect(await problems(`platform: {runtimes: {a: ${upstream}, retriez: 1}}}`)).toEqual([
      'platform.runtimes.a.retriez: there is no such setting; did you mean retries? (atoll.yaml:1)',
    ])
    expect(await problems(`platform: {runtimes: {a: ${upstream}, apiKeyEnv: NO_SUCH_KEY}}}`)).toEqual([
      expect.stringMatching(/^platform\.runtimes\.a\.apiKeyEnv: .*environment variable that is set/),
    ])
  })

  it('takes the chat model from a flag over the environment over the file', async () => {
    const text = 'platform: {chatModel: nowhere.gguf}'
    expect((await load(text, { env: { ATOLL_MODEL: model } })).chatModel).toBe(model)
    expect((await load(text, { env: { ATOLL_MODEL: '/nowhere' }, flags: { model } })).chatModel).toBe(model)
    expect(await problems('', { flags: { model: join(folder, 'nowhere.gguf') } })).toEqual([
      'platform.chatModel: expected the path of a GGUF file that is there, got "nowhere.gguf" (--model)',
    ])
  })

  it('takes a program for text recognition that is there, and refuses others before anything starts', async () => {
    const line = 'sh -c "cat {input}"'
    const ocr = { command: line, seconds: 1_800, memoryMb: 2_048 }
    const inFile = `platform: {vectorStores: {ocr: {command: '${line}'}}}`
    expect((await load(inFile)).vectorStores.ocr).toEqual(ocr)
    expect((await load('', { env: { ATOLL_OCR: line } })).vectorStores.ocr).toEqual(ocr)
    expect((await load(inFile, { flags: { ocr: 'cat {input}' } })).vectorStores.ocr?.command).toBe('cat {input}')
    expect((await load('')).vectorStores.ocr).toBeUndefined()
    expect(await problems('', { flags: { ocr: 'no-such-program {input}' } })).toEqual([
      'platform.vectorStores.ocr.command: the command names no-such-program, which is no program on this machine; install it, or give its whole path (--ocr)',
    ])
    expect(await problems('platform: {vectorStores: {ocr: {command: 7}}}')).toEqual([
      'platform.vectorStores.ocr.command: expected a command, as a line or as a list of its words (atoll.yaml:1)',
    ])
  })
})
