// Runs the examples of the README as a reader would: each block after a `<!-- run: NAME -->` line, on a real server.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { writeRandomModel } from '@atoll/models/testing/random-gguf'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeAll, describe, expect, it } from 'vitest'
import { Client } from './crash/client.ts'
import { ServerProcess } from './nodes/server-process.ts'
import { root } from './places.ts'
import { findProgram } from './programs/search.ts'

interface Example {
  name: string
  language: string
  code: string
}

const readme = join(root, 'README.md')
const run = promisify(execFile)

const required = ['first-request-curl', 'first-request-openai', 'upload-file-curl', 'chat-openai']

/** What a reader sees of those examples of which more can be said than that they print something. */
const outcomes: Record<string, (stdout: string, client: Client) => Promise<void>> = {
  async 'first-request-curl'(stdout) {
    expect(JSON.parse(stdout)).toMatchObject({ object: 'list', data: expect.any(Array) })
  },
  async 'first-request-openai'(stdout, client) {
    const { data } = await client.json('GET', '/v1/models')
    expect(stdout.trim().split('\n')).toEqual(data.map(({ id }) => id))
  },
  async 'chat-openai'(stdout) {
    expect(stdout).toMatch(/^random /)
  },
  async 'upload-file-curl'(stdout, client) {
    const [file] = (await client.json('GET', '/v1/files')).data
    expect(stdout).toBe((await client.send('GET', `/v1/files/${file?.id}/content`)).bytes.toString())
  },
}

const marked = /^<!-- run: (\S+) -->\n```(\w+)\n([\s\S]*?)^```$/gm

function examplesIn(text: string): Example[] {
  return Array.from(text.matchAll(marked), ([, name = '', language = '', code = '']) => ({ name, language, code }))
}

function readExamples(): Example[] {
  try {
    return examplesIn(readFileSync(readme, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [] // the first test below says so
    throw error
  }
}

/** A folder as a reader may have it, with the client installed. */
async function readersFolder(): Promise<string> {
  const folder = await tempDir()
  const testkit = createRequire(createRequire(import.meta.url).resolve('@atoll/testkit/openai-clients'))
  const client = dirname(testkit.resolve('openai-6'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(client, join(folder, 'node_modules', 'openai'))
  copyFileSync(readme, join(folder, 'README.md'))
  return folder
}

function commandOf({ language, code, name }: Example, folder: string): [program: string, args: string[]] {
  if (language === 'bash' || language === 'sh') return [language, ['-euc', code]]
  if (language !== 'javascript' && language !== 'js')
    throw new Error(`No way to run ${language}, the language of ${name}`)
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, code)
  return [process.execPath, [file]]
}

const examples = readExamples()

describe('the examples of the README', () => {
  let env: Record<string, string>
  let client: Client
  beforeAll(async () => {
    const apiKey = 'sk-examples'
    const file = join(await tempDir(), 'random.gguf')
    writeRandomModel(file)
    const server = new ServerProcess({
      args: ['--data', await tempDir(), '--port', '0', '--model', file],
      env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-examples' },
    })
    const url = await server.ready()
    env = { PATH: process.env.PATH ?? '', OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: apiKey }
    client = new Client(url, apiKey)
  })

  it('are all there', () => {
    expect(examples.map(({ name }) => name)).toEqual(expect.arrayContaining(required))
  })

  for (const example of examples) {
    const lacks = /\bcurl\b/.test(example.code) && !findProgram('curl') ? 'curl is not installed' : undefined
    const title = lacks ? `${example.name} works, skipped: ${lacks}` : `${example.name} works`
    it.skipIf(lacks !== undefined)(title, async () => {
      const folder = await readersFolder()
      const [program, args] = commandOf(example, folder)
      const { stdout } = await run(program, args, { cwd: folder, env }) // rejects unless it ends with 0
      expect(stdout).toMatch(/\S/)
      expect(stdout).not.toContain('"error"')
      await outcomes[example.name]?.(stdout, client)
    })
  }
})
