// `./atoll tune` and `./atoll models export` as a person runs them, against a real server with a small model.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { readGguf } from '@atoll/models/gguf/read'
import { writeRandomModel } from '@atoll/models/testing/random-gguf'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeAll, describe, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { root } from '../places.ts'

const apiKey = 'sk-tune-from-the-command-line'
let url: string
let data: string
let folder: string
let configFile: string

interface Ended {
  code: number | null
  out: string
  err: string
}

/** `onErr` hears all that was written to stderr so far. */
function atoll(args: string[], onErr: (err: string, child: ChildProcess) => void = () => undefined): Promise<Ended> {
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const env = { ...process.env, PATH: path, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: apiKey }
  const child = spawn(join(root, 'atoll'), args, { cwd: folder, env })
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

const write = (name: string, questions: readonly string[]): void => {
  const lines = questions.map((content) =>
    JSON.stringify({
      messages: [
        { role: 'user', content },
        { role: 'assistant', content: 'yes' },
      ],
    }),
  )
  writeFileSync(join(folder, name), lines.join('\n'))
}

const answer = async (base: string, model: string): Promise<string> => {
  const body = { model, messages: [{ role: 'user', content: 'an end' }], temperature: 0, max_tokens: 5 }
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const response = await fetch(`${base}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) })
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
  return choices[0]!.message.content
}

function up(more: string[]): ServerProcess {
  return new ServerProcess({
    args: ['--port', '0', ...more],
    env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-tune-from-the-command-line' },
  })
}

beforeAll(async () => {
  folder = await tempDir()
  data = await tempDir()
  const model = join(folder, 'small.gguf')
  configFile = join(folder, 'atoll.json')
  writeRandomModel(model, { layers: 2, width: 64, heads: 4, sharedHeads: 2 })
  const platform = {
    fineTuning: { niceness: 0, cores: 1 },
    runtimes: { small: { kind: 'llama', file: model, contextLength: 512, slots: 2, threads: 1 } },
    models: [{ id: 'small', runtime: 'small', serves: ['chat'] }],
  }
  writeFileSync(configFile, JSON.stringify({ platform }))
  const words = [
    'a sea',
    'the sun',
    'on it',
    'in an inn',
    'as well',
    'he is',
    'all of us',
    'the end',
    'an art',
    'so to',
  ]
  write('examples.jsonl', words)
  write('validation.jsonl', ['the inn'])
  write('few.jsonl', words.slice(3))
  url = await up(['--data', data, '--config', configFile]).ready()
}, 60_000)

describe('./atoll tune', () => {
  it('trains a model and draws how it learnt; ./atoll models export writes it as one file that answers alike', async () => {
    const args = ['examples.jsonl', '--validation', 'validation.jsonl', '--suffix', 'yes', '--epochs', '40']
    const { code, out, err } = await atoll(['tune', ...args, '--base', 'small', '--seed', '7'])
    expect(code, err).toBe(0)
    expect(err).toMatch(/^Training small as ftjob-\w+; Ctrl-C leaves it running\n/)
    expect(out).toMatch(/^ +\d+\.\d\d \|.*[*o]/)
    expect(out).toContain('loss by step: * training, o validation\n')
    const [, id = ''] =
      /\n(ft:small:\S+:yes:\w+) is ready: [\d,]+ tokens in .*; loss \d\.\d\d to 0\.\d\d\.\n/.exec(out) ?? []
    expect(await answer(url, id)).toBe('yes')

    const exported = await atoll(['models', 'export', id, '--output', 'yes.gguf', '--data', data])
    expect(exported, exported.err).toMatchObject({ code: 0, out: expect.stringMatching(/^Written: yes\.gguf \(/) })
    expect((await readGguf(join(folder, 'yes.gguf'))).architecture).toBe('llama')
    const alone = up(['--data', await tempDir(), '--model', join(folder, 'yes.gguf')])
    expect(await answer(await alone.ready(), 'gpt-4o-mini')).toBe('yes')
    await alone.stop()
    const again = await atoll(['models', 'export', id, '--output', 'yes.gguf', '--data', data])
    expect(again).toMatchObject({ code: 1, err: 'atoll: yes.gguf is there already; choose another with --output.\n' })
    for (const [output, told] of [
      ['absent/yes.gguf', 'there is no folder absent for yes.gguf; make it, or choose another with --output.'],
      ['small.gguf/yes.gguf', 'small.gguf is no folder; choose another with --output.'],
      ['', '--output is empty; name the file to write.'],
    ] as const) {
      const refused = await atoll(['models', 'export', 'ft:none', '--output', output, '--data', data])
      expect(refused).toEqual({ code: 1, out: '', err: `atoll: ${told}\n` })
    }
    const other = await atoll(['models', 'export', 'ft:none', '--data', data])
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining("'ft:none' does not exist") })
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  }, 120_000)

  it('is left with Ctrl-C, followed later, and cancelled by its id', async () => {
    let isStopped = false
    const args = ['tune', 'examples.jsonl', '--base', 'small', '--epochs', '50']
    const left = await atoll(args, (err, child) => {
      if (isStopped || !err.includes('Training ')) return
      isStopped = true
      child.kill('SIGINT')
    })
    expect(left.code).toBe(130)
    const [, id = ''] = /To follow it: \.\/atoll tune --follow (\S+)\n$/.exec(left.err) ?? []
    const following = atoll(['tune', '--follow', id])
    expect(await atoll(['tune', '--cancel', id])).toMatchObject({ code: 0, out: `${id} is cancelled.\n` })
    expect(await following).toMatchObject({ code: 1, out: expect.stringContaining(`${id} cancelled: there is no new`) })
  }, 60_000)

  it('says what is wrong', async () => {
    const few = await atoll(['tune', 'few.jsonl', '--base', 'small'])
    expect(few).toMatchObject({ code: 1, err: expect.stringContaining('has 7 examples; at least 10 are needed.') })
    for (const [args, told] of [
      [['absent.jsonl'], /there is no file absent\.jsonl\./],
      [['few.jsonl', '--base', 'none'], /refused with 404: .*'none' does not exist/],
      [['few.jsonl', '--epochs', 'many'], /--epochs is a whole number, not many\./],
      [['--follow', ''], /an empty text names nothing: give a FILE, or the JOB_ID of a training\./],
      [['--cancel', ''], /an empty text names nothing/],
      [[''], /an empty text names nothing/],
      [[], /name one: a FILE, --follow JOB_ID or --cancel JOB_ID\./],
    ] as const) {
      const { code, out, err } = await atoll(['tune', ...args])
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err).toMatch(new RegExp(`^atoll: .*${told.source}`))
    }
  }, 60_000)
})
