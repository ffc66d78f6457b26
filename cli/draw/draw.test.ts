// `./atoll draw` as a person runs it, against a real server and its built-in illustrator.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeAll, expect, it, vi } from 'vitest'
import { ServerProcess } from '../nodes/server-process.ts'
import { runAtoll } from '../run-atoll.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const apiKey = 'sk-drawn-from-the-command-line'
let url: string
let folder: string

const atoll = (...args: string[]) => runAtoll(args, { OPENAI_BASE_URL: url, OPENAI_API_KEY: apiKey }, { cwd: folder })

beforeAll(async () => {
  folder = await tempDir()
  const server = new ServerProcess({
    args: ['--data', await tempDir(), '--port', '0'],
    env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-admin-drawn-from-the-command-line' },
  })
  url = `${await server.ready()}/v1`
})

/** Width and height, as a PNG says them itself. */
const sizeOf = (file: string): [number, number] => {
  const png = readFileSync(join(folder, file))
  expect(png.toString('latin1', 1, 4)).toBe('PNG')
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}

it('writes a picture into a file, and tells what is on it', async () => {
  const drawn = await atoll('draw', 'three red apples', '-o', 'apples.png', '--size', '1792x1024', '--style', 'natural')
  expect(drawn).toMatchObject({
    code: 0,
    out: expect.stringMatching(/three red apples.*\napples\.png: 1792x1024, \d+ kB/),
  })
  expect(sizeOf('apples.png')).toEqual([1792, 1024])
  expect(await atoll('draw', 'a cat', '--model', 'dall-e-2', '--size', '256x256')).toMatchObject({ code: 0 })
  expect(sizeOf('picture.png')).toEqual([256, 256])
})

it('says what is wrong', async () => {
  const cases: [args: string[], words: RegExp][] = [
    [['a cat', '--size', '3x3'], /refused with 400: .*3x3/],
    [['a cat', '--style', 'baroque'], /refused with 400: .*baroque/],
    [['a cat', '-o', 'nowhere/cat.png'], /nowhere/],
    [['a cat', '--url', 'http://127.0.0.1:9/v1'], /127\.0\.0\.1:9/],
  ]
  for (const [args, words] of cases) {
    const told = await atoll('draw', ...args)
    expect(told, args.join(' ')).toMatchObject({ code: 1, err: expect.stringMatching(words) })
    expect(told.err).not.toMatch(/\n\s+at /)
  }
})
