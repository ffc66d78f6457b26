// The machine is prepared while the first tests run. Stands in for apt-get: a script that notes what it is asked for.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { untilPrepared } from '@atoll/testkit/prepared'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach, expect, it, vi } from 'vitest'
import { root } from '../places.ts'
import { findProgram } from '../programs/search.ts'

vi.setConfig({ testTimeout: 120_000 })
afterEach(() => void vi.unstubAllEnvs())

const isRoot = process.getuid?.() === 0

/** Its `apt-get` installs nothing, and ends when `go` is there, or the whole folder gone. */
async function poorMachine(): Promise<string> {
  const folder = await tempDir()
  const script = `#!/bin/sh
echo "$@" >>"${folder}/asked"
echo "apt-get is at work" >&2
until [ -e "${folder}/go" -o ! -d "${folder}" ]; do ${findProgram('sleep')} 0.05; done
`
  writeFileSync(join(folder, 'apt-get'), script)
  chmodSync(join(folder, 'apt-get'), 0o755)
  return folder
}

/** Prints where the mark is, at once. */
function prepare(folder: string, filters: string[]): ChildProcess {
  const program = `
    const { prepareBeside } = await import(${JSON.stringify(join(root, 'cli/test/prepare-beside.ts'))})
    const prepared = prepareBeside(${JSON.stringify(filters)}, true)
    console.log(process.env.ATOLL_TEST_PREPARING ?? 'nothing is missing')
    await prepared`
  const env = { PATH: folder }
  return spawn(process.execPath, ['--input-type=module', '-e', program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function said(stream: Readable | null, words: string): Promise<void> {
  let heard = ''
  for await (const piece of stream ?? []) {
    heard += piece
    if (heard.includes(words)) return
  }
  throw new Error(`It never said ${words}: ${heard}`)
}

it.skipIf(!isRoot)('asks for everything at once, and leaves a mark until it is there', async () => {
  const folder = await poorMachine()
  const preparing = prepare(folder, ['cli/console', 'services/hooks', 'cli/engine/docker-tour'])
  const ended = once(preparing, 'exit')
  const [line] = await once(preparing.stdout ?? preparing, 'data')
  const mark = String(line).trim()
  await said(preparing.stderr, 'apt-get is at work')
  const patterns = readFileSync(mark, 'utf8').split('\n')
  expect(patterns.some((pattern) => new RegExp(pattern).test('cli/console/console.test.ts'))).toBe(true)
  expect(patterns.some((pattern) => new RegExp(pattern).test('architecture/checks.test.ts'))).toBe(false)
  const [first = ''] = readFileSync(join(folder, 'asked'), 'utf8').split('\n')
  expect(first).toMatch(/install .*docker\.io.* prosody.* chromium/)
  writeFileSync(join(folder, 'go'), '')
  expect(await ended).toEqual([0, null])
  expect(existsSync(mark)).toBe(false)
})

it.skipIf(!isRoot)('leaves none where nothing is missing', async () => {
  const preparing = prepare(await poorMachine(), ['architecture', 'packages/models'])
  expect(await text(preparing.stdout ?? expect.fail())).toBe('nothing is missing\n')
})

it('a file of tests that needs programs waits until the mark is gone, and no other does', async () => {
  const mark = join(await tempDir(), 'mark')
  writeFileSync(mark, '^services/hooks/\n^cli/console/')
  vi.stubEnv('ATOLL_TEST_PREPARING', mark)
  let isThere = false
  const waiting = untilPrepared(join(root, 'cli/console/media.test.ts')).then(() => {
    isThere = true
  })
  await untilPrepared(join(root, 'architecture/checks.test.ts'))
  expect(isThere).toBe(false)
  rmSync(mark)
  await waiting
  await untilPrepared(join(root, 'cli/console/media.test.ts'))
})
