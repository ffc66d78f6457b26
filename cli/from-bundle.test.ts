// Commands run from the code that `up` has put together, and find the rest where it is.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { root } from './places.ts'
import { runAtoll } from './run-atoll.ts'

it('runs a command from a fresh bundle, whether its code is in it or not', async () => {
  const cache = await tempDir()
  const folder = join(cache, `up-${Buffer.from(root).toString('base64url').slice(-40)}`)
  execFileSync(process.execPath, [join(root, 'bin/bundle.js'), root, folder, 'up'])
  const files = readdirSync(folder)
  const [reader = 'none'] = files.filter((name) => /^reader-process-.*\.mjs$/.test(name))
  const platform = files.find((name) => name.startsWith('start-platform-')) ?? ''
  expect(readFileSync(join(folder, platform), 'utf8')).toContain(reader)
  const env = { NODE_COMPILE_CACHE: cache }
  const data = join(cache, 'nothing')
  const inIt = await runAtoll(['keys', '--data', data], env)
  expect(inIt).toMatchObject({ code: 1, err: expect.stringContaining('./atoll up makes the first ones') })
  const elsewhere = await runAtoll(['models', 'list', '--data', data], env)
  expect(elsewhere).toMatchObject({ code: 0, out: expect.stringContaining('./atoll models pull') })
}, 120_000)
