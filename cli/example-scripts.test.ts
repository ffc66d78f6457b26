// Runs every script of examples/ as a person does, with `node` and the plain `openai` package, against a real server and
// its built-in models.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { sharePython } from '@atoll/sandbox/pyodide/testing/share-python'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeAll, describe, expect, it } from 'vitest'
import { ServerProcess } from './nodes/server-process.ts'
import { root } from './places.ts'

const run = promisify(execFile)
const folder = join(root, 'examples')
const scripts = readdirSync(folder).filter((file) => file.endsWith('.mjs'))

/** What they print: the built-in models are good enough for these. */
const results: Record<string, RegExp[]> = {
  chat: [/^atoll-chat says: .*\bsalt/],
  stream: [/\S/],
  tools: [/^The model calls temperature\('Oslo'\): 7 degrees\n.*\b7\b/],
  'answer-from-text': [/guests pay\? .*\b6\b/, /leads the workshop\? .*Marta Keller/, /club have\? .*does not/],
  'json-schema': [/^Mood: (glad|calm|angry)\. Stars: [1-5] of 5\./],
  logprobs: [/"Paris" \d+/],
  embeddings: [/Nearest to .*Refunds are paid/],
  batch: [/capital-of-france: .*Paris/, /salty-sea: \S/, /greeting: \S/],
  realtime: [/France\?\nVoice: \S.*\n\(completed, \d+\.\d seconds of speech\)\nYou: Say goodbye\.\nVoice: \S/],
  image: [
    /^Drawn: A vivid illustration of a red fox beside the snowman.*Winter/,
    /Saved \d+ bytes/,
    /Varied: 2 pictures/,
  ],
  speech: [/^Spoken: .*speech\.mp3\nHeard: .*\bwater\b.*\nfrom 0/],
  'spoken-chat': [/^Asked: .*\nAnswered: \S.*\nSaved .*answer\.wav, \d+\.\d seconds\nAnswered in \d+ pieces: \S/],
  moderation: [/hurt you\. -> .*(harassment|violence)/],
  'assistants-v1': [
    /leads the workshop\? .*Marta Keller.*【0:0†club\.txt】\n {2}【0:0†club\.txt】 is club\.txt: ".*Marta Keller.*"/,
    /calls temperature\('Oslo'\): 7 degrees\n.*\b7\b/,
    /Python: sum\(range\(101\)\) is 5050/,
  ],
  'assistants-v2': [
    /^Files ready for search: 1 of 1\n/,
    /guests pay\? .*\b6\b.*【0:0†club\.txt】\n {2}【0:0†club\.txt】 is club\.txt/,
    /calls temperature\('Oslo'\): 7 degrees\n.*\b7\b/,
    /Python: sum\(range\(101\)\) is 5050/,
  ],
}

/** Those in a folder of their own were written for an older client than the newest. */
const clients: Record<string, string> = { 'assistants-v1': 'openai-4-33', 'assistants-v2': 'openai-4' }

describe('the scripts in examples/', () => {
  let env: Record<string, string>

  beforeAll(async () => {
    const apiKey = 'sk-example-scripts'
    const data = await tempDir()
    sharePython(data)
    // Other tests keep the machine busy: a training that steps back behind them would wait for their end.
    const config = join(data, 'atoll.json')
    writeFileSync(config, JSON.stringify({ platform: { fineTuning: { niceness: 0 } } }))
    const server = new ServerProcess({
      args: ['--data', data, '--port', '0', '--config', config],
      env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-example-scripts' },
    })
    const url = await server.ready()
    env = { PATH: process.env.PATH ?? '', OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: apiKey }
  })

  it('cover what a newcomer asks for', () => {
    const required = Object.keys(results).filter((name) => clients[name] === undefined)
    expect(scripts).toEqual(expect.arrayContaining(required.map((name) => `${name}.mjs`)))
  })

  for (const script of scripts) {
    it(`node examples/${script} works, as it stands`, async () => {
      const { stdout } = await run(process.execPath, [join('examples', script)], { cwd: root, env })
      for (const result of results[basename(script, '.mjs')] ?? [/\S/]) expect(stdout).toMatch(result)
    }, 120_000)
  }

  it('node examples/realtime.mjs works also where Node has no WebSocket of its own, as up to version 20', async () => {
    const args = ['--no-experimental-websocket', join('examples', 'realtime.mjs')]
    const { stdout } = await run(process.execPath, args, { cwd: root, env })
    for (const result of results.realtime ?? []) expect(stdout).toMatch(result)
  }, 120_000)

  it('node examples/fine-tuning.ts works, in a short form', async () => {
    const short = { ...env, SHORT: '1' }
    const { stdout } = await run(process.execPath, [join('examples', 'fine-tuning.ts')], { cwd: root, env: short })
    expect(stdout).toMatch(/^Before, atoll-chat:\n {2}At what time .*\n {4}\S/)
    expect(stdout).toMatch(/\nLearnt 10 examples, \d+ tokens, in \d+ s\.\nAfter, ft:atoll-chat:\S+:harbour-post:\w+:\n/)
  }, 600_000)

  for (const [name, client] of Object.entries(clients)) {
    it(`examples/${name} works with the package that it asks for`, async () => {
      const cwd = await tempDir()
      const { dependencies } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
      copyFileSync(join(folder, name, 'assistants.mjs'), join(cwd, 'assistants.mjs'))
      const installed = packageOf(client)
      expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).version).toBe(dependencies.openai)
      mkdirSync(join(cwd, 'node_modules'))
      symlinkSync(installed, join(cwd, 'node_modules', 'openai'))
      const { stdout } = await run(process.execPath, ['assistants.mjs'], { cwd, env })
      for (const result of results[name] ?? []) expect(stdout).toMatch(result)
    }, 120_000)
  }
})

/** As npm would put it there. */
function packageOf(client: string): string {
  const testkit = createRequire(createRequire(import.meta.url).resolve('@atoll/testkit/openai-clients'))
  return dirname(testkit.resolve(client))
}
