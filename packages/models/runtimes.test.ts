import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkOwnChatModel, newestModelFile, ownChatModel } from './chat-model.ts'
import { RuntimeSettings } from './config.ts'
import { MemoryBudget } from './process/memory-budget.ts'
import { createRuntimes, type Runtimes } from './runtimes.ts'
import { writeRandomModel } from './testing/random-gguf.ts'

async function start(settings: Parameters<typeof createRuntimes>[0] = {}): Promise<Runtimes & { folder: string }> {
  const folder = await tempDir()
  const runtimes = createRuntimes(settings, { log: silentLog, modelsFolder: folder, chatModel: undefined })
  onTestFinished(() => runtimes.close())
  return { ...runtimes, folder }
}

describe('runtimes', () => {
  it('are there by name, the same one every time', async () => {
    const runtimes = await start()
    const [first, second] = await Promise.all([runtimes.get('builtin-embeddings'), runtimes.get('builtin-embeddings')])
    expect(first).toBe(second)
    expect(Object.keys(first ?? {})).toContain('embeddings')
    expect(await runtimes.get('unknown')).toBeUndefined()
    expect(await runtimes.get('constructor')).toBeUndefined()
  })

  it('of one’s own take the place of built-in ones', async () => {
    const runtimes = await start({ 'builtin-chat': { kind: 'embeddings', dimensions: 512, shortens: true } })
    expect((await runtimes.get('builtin-chat'))?.chat).toBeUndefined()
  })

  it('chat with the model Atoll brings along until another is there', async () => {
    const own = await start()
    const chat = await own.get('builtin-chat')
    expect(chat?.chat).toBeDefined()
    expect(await own.get('builtin-atoll-chat')).toBe(chat)
    expect(own.loads()).toHaveLength(1)
    const other = await start()
    writeRandomModel(join(other.folder, 'small.gguf'))
    expect(await other.get('builtin-chat')).not.toBe(await other.get('builtin-atoll-chat'))
    expect(other.loads()).toHaveLength(2)
  })

  it('say at the start which of them cannot be served, and why', async () => {
    const folder = await tempDir()
    const whole = join(folder, 'whole.gguf')
    writeRandomModel(whole)
    const half = join(folder, 'half.gguf')
    writeFileSync(half, readFileSync(whole).subarray(0, -1_000))
    const llama = (file: string, more: object = {}) => RuntimeSettings.parse({ kind: 'llama', file, ...more })
    const runtimes = createRuntimes(
      {
        whole: llama(whole),
        half: llama(half),
        gone: llama(join(folder, 'gone.gguf')),
        huge: llama(whole, { contextLength: 1_000_000, slots: 64 }),
      },
      { log: silentLog, modelsFolder: folder, chatModel: '/etc/hosts' },
    )
    const found = await runtimes.check()
    expect(Object.fromEntries(found.map(({ name, message }) => [name, message]))).toEqual({
      'builtin-chat': expect.stringMatching(/^The model file hosts cannot be used: not a GGUF file/),
      half: expect.stringContaining('half.gguf cannot be used: '),
      gone: 'The model file gone.gguf cannot be used: it does not exist',
      huge: expect.stringMatching(/needs \d+ MB of memory/),
    })
    const fine = createRuntimes({}, { log: silentLog, modelsFolder: await tempDir(), chatModel: undefined })
    expect(await fine.check()).toEqual([])
    expect(fine.loads()).toEqual([])
  })

  it('end when closed, and start no more', async () => {
    const runtimes = await start()
    const { embeddings } = (await runtimes.get('builtin-embeddings')) ?? {}
    const call = { signal: new AbortController().signal, turn: 'proj_1' }
    const request = { inputs: ['hello'], dimensions: undefined, user: undefined }
    expect((await embeddings?.embed(request, call))?.vectors[0]).toHaveLength(1536)
    await runtimes.close()
    await expect(runtimes.get('builtin-embeddings')).rejects.toMatchObject({ detail: { kind: 'failed' } })
  })
})

describe('the chat model', () => {
  it('that should be there and is not is told so, and what to do', async () => {
    const missing = ownChatModel(pathToFileURL(`${await tempDir()}/`))
    await expect(missing).rejects.toMatchObject({
      message: expect.stringContaining('./atoll models pull'),
      detail: { kind: 'not_installed' },
    })
  })

  it('that comes along is held to its size at the start, and not read', async () => {
    const folder = await tempDir()
    const check = () => checkOwnChatModel(pathToFileURL(`${folder}/`))
    writeFileSync(join(folder, 'model.json'), JSON.stringify({ file: 'own.gguf', bytes: 8, sha256: '00' }))
    await expect(check()).rejects.toThrow('The built-in chat model is missing')
    writeFileSync(join(folder, 'own.gguf'), 'cut off')
    await expect(check()).rejects.toThrow('The built-in chat model is missing')
    writeFileSync(join(folder, 'own.gguf'), 'no model')
    expect(await check()).toBeUndefined()
    const small = checkOwnChatModel(pathToFileURL(`${folder}/`), new MemoryBudget(100 * 1024 ** 2))
    await expect(small).rejects.toThrow('This model needs 302 MB of memory, but only 100 MB may be used.')
  })

  it('is the newest GGUF file of the folder', async () => {
    const folder = await tempDir()
    expect(await newestModelFile(join(folder, 'nowhere'))).toBeUndefined()
    expect(await newestModelFile(folder)).toBeUndefined()
    for (const [name, seconds] of [
      ['a.gguf', 10],
      ['b.gguf', 30],
      ['c.gguf', 20],
      ['d.gguf.part', 40],
    ] as const) {
      writeRandomModel(join(folder, name))
      utimesSync(join(folder, name), seconds, seconds)
    }
    mkdirSync(join(folder, 'e.gguf'))
    expect(await newestModelFile(folder)).toBe(join(folder, 'b.gguf'))
    writeRandomModel(join(folder, 'newer-embeddings.gguf'), { pooling: 'mean' })
    writeFileSync(join(folder, 'newer-and-broken.gguf'), 'GGUF')
    expect(await newestModelFile(folder)).toBe(join(folder, 'b.gguf'))
  })
})
