// `./atoll batch` as a person runs it, against a real server and its built-in model.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { root } from '../places.ts'

interface Ended {
  code: number | null
  out: string
  err: string
}

const apiKey = 'sk-batch-from-the-command-line'
let url: string
let folder: string

/** `onErr` hears all that was written to stderr so far. */
function atoll(args: string[], env: object = {}, onErr: (err: string, child: ChildProcess) => void = () => undefined) {
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const all = { ...process.env, PATH: path, OPENAI_BASE_URL: url, OPENAI_API_KEY: apiKey, ...env }
  const child = spawn(join(root, 'atoll'), ['batch', ...args], { cwd: folder, env: all })
  const text = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (more) => (text.out += more))
  child.stderr.setEncoding('utf8').on('data', (more) => {
    text.err += more
    onErr(text.err, child)
  })
  return new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...text }))
  })
}

const chatLine = (custom_id: string, body: object = {}): string =>
  JSON.stringify({
    custom_id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 4, ...body },
  })

const manyLines = (count: number, body: object = {}): string[] =>
  Array.from({ length: count }, (_, index) => chatLine(`line-${index}`, body))

const write = (name: string, lines: string[]): void => writeFileSync(join(folder, name), `${lines.join('\n')}\n`)

const customIds = (name: string): string[] =>
  readFileSync(join(folder, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).custom_id)

/** Sends Ctrl-C as soon as the batch has an id. */
const stopOnceRunning = (): ((err: string, child: ChildProcess) => void) => {
  let isStopped = false
  return (err, child) => {
    if (isStopped || !err.includes('Running as ')) return
    isStopped = true
    child.kill('SIGINT')
  }
}

beforeAll(async () => {
  const server = new ServerProcess({
    args: ['--data', await tempDir(), '--port', '0'],
    env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-batch-from-the-command-line' },
  })
  url = `${await server.ready()}/v1`
})

beforeEach(async () => {
  folder = await tempDir()
})

describe('./atoll batch', () => {
  it('runs every line of a file and puts the answers beside it', async () => {
    write('requests.jsonl', manyLines(30))
    const { code, out, err } = await atoll(['requests.jsonl', '--endpoint', '/v1/chat/completions'])
    expect(out).toMatch(
      /^batch_\w+ completed in .*: 30 of 30 answered, 0 failed\.\nResults: requests\.output\.jsonl\n$/,
    )
    expect(err).toMatch(/^Sending requests\.jsonl, \d+ bytes\nRunning as batch_\w+; Ctrl-C leaves it running\n/)
    expect(code).toBe(0)
    expect(customIds('requests.output.jsonl').sort()).toEqual(
      manyLines(30)
        .map((line) => JSON.parse(line).custom_id)
        .sort(),
    )
    expect(readdirSync(folder).sort()).toEqual(['requests.jsonl', 'requests.output.jsonl'])
  }, 60_000)

  it('puts requests that fail into a file of their own, and ends with 1', async () => {
    write('some.jsonl', [...manyLines(3), chatLine('too hot', { temperature: 9 })])
    const { code, out } = await atoll(['some.jsonl', '--output', 'good', '--errors', 'bad'])
    expect(out).toMatch(/: 3 of 4 answered, 1 failed\.\nResults: good\nErrors: bad\n$/)
    expect(code).toBe(1)
    expect(customIds('good')).toHaveLength(3)
    expect(customIds('bad')).toEqual(['too hot'])
  }, 60_000)

  it('names the lines that are wrong, at most twenty, and fetches nothing', async () => {
    write('wrong.jsonl', [...manyLines(2), '{"custom_id": ', ...Array.from({ length: 30 }, () => 'no')])
    const { code, out, err } = await atoll(['wrong.jsonl'])
    expect(err).toContain('The input is wrong:\n  line 3: This line is not parseable as valid JSON.\n  line 4: ')
    expect(err.match(/^ {2}line \d+: /gm)).toHaveLength(20)
    expect(err).toMatch(/\n {2}and 11 more\n$/)
    expect(out).toMatch(/^batch_\w+ failed: nothing was run\.\n$/)
    expect(code).toBe(1)
    expect(readdirSync(folder)).toEqual(['wrong.jsonl'])
  }, 60_000)

  it('is left with Ctrl-C, and followed later from its folder', async () => {
    mkdirSync(join(folder, 'night'))
    write('night/long.jsonl', manyLines(20, { max_tokens: 60 }))
    const left = await atoll(['night/long.jsonl'], {}, stopOnceRunning())
    expect(left).toMatchObject({ code: 130, out: '' })
    const [, id = '', flags = ''] = /To follow it: \.\/atoll batch --follow (\S+) (.*)\n$/.exec(left.err) ?? []
    expect(flags).toBe('--output night/long.output.jsonl --errors night/long.errors.jsonl')
    expect(existsSync(join(folder, 'night/long.output.jsonl'))).toBe(false)
    const followed = await atoll(['--follow', id, ...flags.split(' ')])
    expect(followed.out).toContain(`${id} completed`)
    expect(followed.code).toBe(0)
    expect(new Set(customIds('night/long.output.jsonl')).size).toBe(20)
    expect(await atoll(['--follow', id])).toMatchObject({ code: 0, out: expect.stringContaining('long.output.jsonl') })
    expect(customIds('long.output.jsonl')).toHaveLength(20)
  }, 60_000)

  it('is cancelled by its id, and says so again when asked again', async () => {
    write('long.jsonl', manyLines(400, { max_tokens: 60 }))
    const { err } = await atoll(['long.jsonl'], {}, stopOnceRunning())
    const [, id = ''] = /--follow (\S+)\n$/.exec(err) ?? []
    expect(await atoll(['--cancel', id])).toMatchObject({ code: 0, out: expect.stringContaining(`${id} is cancel`) })
    expect(await atoll(['--follow', id])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^batch_\w+ cancelled/),
    })
    expect(await atoll(['--cancel', id])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${id} is cancelled`),
    })
  }, 60_000)

  it('says what is missing in one line', async () => {
    write('requests.jsonl', manyLines(1))
    const refusals: [args: string[], env: object, told: RegExp][] = [
      [['requests.jsonl'], { OPENAI_API_KEY: '' }, /OPENAI_API_KEY is not set\. /],
      [['requests.jsonl'], { OPENAI_API_KEY: 'sk-wrong' }, /refused with 401: .* OPENAI_API_KEY\./],
      [['requests.jsonl', '--url', 'http://127.0.0.1:9999/v1'], {}, /no server answers at .* Start one with/],
      [['absent.jsonl'], {}, /there is no file absent\.jsonl\./],
      [['requests.jsonl', '--output', 'requests.jsonl'], {}, /requests\.jsonl is the input/],
      [['requests.jsonl', '--endpoint', '/v1/images'], {}, /refused with 400: .*'\/v1\/chat\/completions'/],
      [['--follow', 'batch_none'], {}, /refused with 404: .*batch_none/],
      [[], {}, /name one: a FILE, --follow BATCH_ID or --cancel BATCH_ID\./],
    ]
    for (const [args, env, told] of refusals) {
      const { code, out, err } = await atoll(args, env)
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err.replace(/^Sending .*\n/, '')).toMatch(new RegExp(`^atoll: .*${told.source}.*\n$`))
    }
  }, 60_000)
})
