// `./atoll models` as a person runs it, against a stand-in of the model hub.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { TestHub } from '@atoll/models/files/testing/hub'
import { writeRandomModel } from '@atoll/models/testing/random-gguf'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../places.ts'

const file = 'qwen2.5-0.5b-instruct-q4_k_m.gguf'
const path = `/Qwen/Qwen2.5-0.5B-Instruct-GGUF/resolve/main/${file}`
let model: Buffer
let hub: TestHub
let data: string

interface Ended {
  code: number | null
  out: string
  err: string
}

function start(...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const env = {
    ...process.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    ATOLL_MODEL_HUB: hub.url,
    HF_TOKEN: 'hf_secret',
  }
  const child = spawn(join(root, 'atoll'), ['models', ...args, '--data', data], { cwd: '/', env })
  const text = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (more) => (text.out += more))
  child.stderr.setEncoding('utf8').on('data', (more) => (text.err += more))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...text }))
  })
  return { child, ended }
}

const models = (...args: string[]): Promise<Ended> => start(...args).ended

beforeAll(async () => {
  const made = join(await tempDir(), 'm.gguf')
  writeRandomModel(made, { layers: 2, width: 256, vocabulary: 6_000 })
  model = readFileSync(made)
})

beforeEach(async () => {
  hub = await TestHub.start()
  hub.files.set(path, model)
  data = await tempDir()
})

afterEach(() => hub.close())

describe('./atoll models', () => {
  it('pulls a model of the list by its name, lists it, and removes it', async () => {
    const empty = await models('list')
    expect(empty).toMatchObject({
      code: 0,
      out: expect.stringContaining(`No models in ${data}/models yet: chats are answered by atoll-chat`),
    })
    expect(empty.out).toMatch(/qwen2\.5-0\.5b-instruct +491 MB +0\.5B +Apache-2\.0/)
    const pulled = await models('pull', 'qwen2.5-0.5b-instruct')
    expect(pulled.err).toMatch(/^Pulling qwen2\.5-0\.5b-instruct-q4_k_m\.gguf, \d+ MB\nChecking it\n$/)
    expect(pulled).toMatchObject({ code: 0, out: expect.stringMatching(/^Ready: .*q4_k_m\.gguf \(\d+ MB\)\.\n$/) })
    expect(readFileSync(join(data, 'models', file)).equals(model)).toBe(true)
    expect((await models('pull', 'qwen2.5-0.5b-instruct')).out).toContain('is here already')
    expect((await models('list')).out).toMatch(
      /Models in .*:\n {2}qwen2\.5-0\.5b-instruct +\d+ MB +\d+M +F32 +2,048 tokens\n/,
    )
    const list = JSON.parse((await models('list', '--json')).out)
    expect(list.installed).toMatchObject([
      { name: 'qwen2.5-0.5b-instruct', architecture: 'llama', bytes: model.length },
    ])
    const removed = await models('rm', 'qwen2.5-0.5b-instruct')
    expect(removed).toMatchObject({ code: 0, out: expect.stringMatching(/^Removed .*: \d+ MB are free again\.\n$/) })
    expect(readdirSync(join(data, 'models'))).toEqual([])
  }, 60_000)

  it('says what is wrong in one line, without secrets', async () => {
    const typo = await models('pull', 'qwen2.5-05b-instruct')
    expect(typo).toEqual({ code: 1, out: '', err: expect.stringContaining('did you mean qwen2.5-0.5b-instruct?') })
    const unknown = await models('remove')
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('there is no command models remove') })
    hub.failures.push({ status: 403 })
    const refused = await models('pull', 'qwen2.5-0.5b-instruct')
    expect(refused).toEqual({ code: 1, out: '', err: expect.stringContaining('refuses the token in HF_TOKEN') })
    expect(refused.err).not.toContain('hf_secret')
    const outside = await models('rm', '/etc/passwd')
    expect(outside).toEqual({ code: 1, out: '', err: expect.stringMatching(/^atoll: \/etc\/passwd is not in .*\n$/) })
  }, 60_000)

  it('is stopped with Ctrl-C and goes on later', async () => {
    hub.chunkDelayMs = 2
    const { child, ended } = start('pull', 'qwen2.5-0.5b-instruct')
    hub.onChunk = () => {
      if (hub.servedBytes < model.length / 2) return
      hub.onChunk = () => undefined
      child.kill('SIGINT')
    }
    expect(await ended).toMatchObject({
      code: 130,
      err: expect.stringContaining('Stopped. The same command goes on from here.'),
    })
    expect((await models('list')).out).toMatch(
      /Begun, not finished:\n {2}qwen2\.5-0\.5b-instruct +\d+ MB +\d+% +pull it again/,
    )
    const again = await models('pull', 'qwen2.5-0.5b-instruct')
    expect(again.err).toContain('of it are here from before')
    expect(readFileSync(join(data, 'models', file)).equals(model)).toBe(true)
  }, 60_000)

  it('is killed at random moments, fetches nothing twice that was noted, and ends with the same bytes', async () => {
    hub.chunkDelayMs = 2
    const state = join(data, 'models', `${file}.part.json`)
    let noted: [number, number][] = []
    for (let kills = 0; kills < 6; kills++) {
      hub.requests.length = 0
      const mark = hub.servedBytes
      const { child, ended } = start('pull', 'qwen2.5-0.5b-instruct')
      const enough = 100_000 + Math.random() * model.length * 0.4
      hub.onChunk = () => {
        if (hub.servedBytes - mark > enough) child.kill('SIGKILL')
      }
      await ended
      expectNoneAgain(noted)
      noted = existsSync(state) ? stretches(state) : noted
    }
    hub.onChunk = () => undefined
    hub.requests.length = 0
    expect(await models('pull', 'qwen2.5-0.5b-instruct')).toMatchObject({ code: 0 })
    expectNoneAgain(noted)
    expect(readFileSync(join(data, 'models', file)).equals(model)).toBe(true)
    expect(readdirSync(join(data, 'models')).filter((name) => name.endsWith('.part'))).toEqual([])
    expect(statSync(join(data, 'models')).mode & 0o077).toBe(0)
  }, 120_000)
})

/** The first byte and the one after the last of what was on the disk. */
function stretches(state: string): [number, number][] {
  const { done, pieceBytes } = JSON.parse(readFileSync(state, 'utf8'))
  return done.map(([first, last]: [number, number]) => [first * pieceBytes, (last + 1) * pieceBytes])
}

function expectNoneAgain(noted: [number, number][]): void {
  for (const { range } of hub.requests) {
    if (!range || range[1] === 3) continue
    for (const [start, end] of noted)
      expect(range[1] < start || range[0] >= end, `${range} of ${start}-${end}`).toBe(true)
  }
}
