// Types and style, by the tools that know them best.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { root } from './source-files.ts'

const run = promisify(execFile)

/** The compiler ends after all that it has read anyway: to collect in between takes it a third more time. */
const plentyBytes = 8 * 1024 ** 3
const env = process.availableMemory() < plentyBytes ? process.env : { GOGC: 'off', GOMEMLIMIT: '4GiB', ...process.env }

async function output(tool: string, args: string[]): Promise<{ code: number; text: string }> {
  try {
    const { stdout, stderr } = await run(`${root}/node_modules/.bin/${tool}`, args, { cwd: root, env, maxBuffer: 1e8 })
    return { code: 0, text: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code: code || 1, text: `${stdout}${stderr}` }
  }
}

describe('the tools', () => {
  it('find no type error', async () => {
    // Several checkers would each work out the types they share: half as much processor time more, beside other tests.
    const { code, text } = await output('tsc', ['--pretty', 'false', '--singleThreaded'])
    expect(text.trim()).toBe('')
    expect(code).toBe(0)
  }, 300_000)

  it('find no type error in the console, which is for browsers', async () => {
    const { code, text } = await output('tsc', ['--pretty', 'false', '--singleThreaded', '-p', 'console'])
    expect(text.trim()).toBe('')
    expect(code).toBe(0)
  }, 300_000)

  it('find nothing to format or to lint', async () => {
    const { code, text } = await output('biome', ['check', '--diagnostic-level=error', '.'])
    expect(code, text).toBe(0)
  }, 300_000)

  it('find no unused file, export or dependency', async () => {
    const { code, text } = await output('knip', ['--no-progress'])
    expect(code, text).toBe(0)
  }, 300_000)
})
