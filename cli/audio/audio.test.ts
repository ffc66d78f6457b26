// `./atoll say` and `./atoll transcribe` as a person runs them, against a real server and its built-in models.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { wordErrors } from '@atoll/models/testing/word-errors'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeAll, expect, it } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { runAtoll } from '../run-atoll.ts'

const apiKey = 'sk-audio-from-the-command-line'
const loadingMs = 180_000
let url: string
let folder: string

const atoll = (...args: string[]) => runAtoll(args, { OPENAI_BASE_URL: url, OPENAI_API_KEY: apiKey }, { cwd: folder })

beforeAll(async () => {
  folder = await tempDir()
  const server = new ServerProcess({
    args: ['--data', await tempDir(), '--port', '0'],
    env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-audio-from-the-command-line' },
  })
  url = `${await server.ready()}/v1`
})

it(
  'speaks into a file and writes it down again',
  async () => {
    const said = await atoll('say', 'We walk along the water together.', '-o', 'hello.flac', '--voice', 'ash')
    expect(said).toMatchObject({ code: 0, out: expect.stringMatching(/^hello\.flac: \d+ KB\n$/) })
    expect(statSync(join(folder, 'hello.flac')).size).toBeGreaterThan(10_000)
    const { code, out } = await atoll('transcribe', 'hello.flac')
    expect(code).toBe(0)
    expect(wordErrors('We walk along the water together.', out)).toBeLessThan(3)
    const subtitles = await atoll('transcribe', 'hello.flac', '--format', 'vtt', '--language', 'en')
    expect(subtitles.out).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> /)
  },
  loadingMs,
)

it(
  'says what is wrong',
  async () => {
    expect(await atoll('say', 'hello', '-o', 'hello.txt')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/must end in \.mp3/),
    })
    expect(await atoll('say', 'hello', '--voice', 'nobody')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/refused with 400: .*nobody/),
    })
    expect(await atoll('transcribe', 'nothing.wav')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no file nothing\.wav/),
    })
  },
  loadingMs,
)
