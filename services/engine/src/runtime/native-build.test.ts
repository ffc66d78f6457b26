// Native programs are built once, and what is missing is said.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildNative } from './native-build.ts'

describe('native programs', () => {
  it('are built once for the same sources, also when asked for twice at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'engine-native-'))
    const [first, second] = await Promise.all([buildNative('shim', [], folder), buildNative('shim', [], folder)])
    expect(second).toBe(first)
    const built = statSync(first).mtimeMs
    expect(await buildNative('shim', [], folder)).toBe(first)
    expect(statSync(first).mtimeMs).toBe(built)
    expect(readdirSync(folder)).toHaveLength(1)
    rmSync(folder, { recursive: true })
  }, 60_000)

  it('names the packages when a library is not there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'engine-native-'))
    await expect(buildNative('shim', ['no-such-library'], folder)).rejects.toMatchObject({
      status: 503,
      message: expect.stringMatching(/apt-get install gcc libc6-dev libno-such-library-dev/),
    })
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
  }, 60_000)
})
