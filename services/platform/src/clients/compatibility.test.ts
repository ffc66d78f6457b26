// `docs/compatibility.md` says what these tests try, and nothing else.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { compatibilityPage, type ListedTest } from './testing/compatibility-page.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const page = fileURLToPath(new URL('../../../../docs/compatibility.md', import.meta.url))

it('the page of compatible clients is what their tests say', { timeout: 180_000 }, async () => {
  const vitest = fileURLToPath(new URL('../../../../node_modules/vitest/vitest.mjs', import.meta.url))
  const words = [vitest, 'list', 'services/platform/src/clients/', '--no-static-parse', '--json', '--maxWorkers=1']
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, maxBuffer: 16 * 1024 * 1024 })
  const tests = JSON.parse(stdout.slice(stdout.indexOf('['))) as ListedTest[]
  expect(tests.length).toBeGreaterThan(20)
  await expect(compatibilityPage(tests)).toMatchFileSnapshot(page)
})
