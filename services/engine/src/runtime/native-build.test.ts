// Native programs are built once, and what is missing is said.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { programFolder } from '../testing/native-programs.ts'
import { buildNative } from './native-build.ts'

/** With a library of their own, for whoever looks for mistakes in them. */
const isSanitized = process.env.ATOLL_TEST_NATIVE_FLAGS?.includes('-fsanitize') === true

describe('native programs', () => {
  it('are built once for the same sources, also when asked for twice at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'engine-native-'))
    const [first, second] = await Promise.all([buildNative('shim', ['z'], folder), buildNative('shim', ['z'], folder)])
    expect(second).toBe(first)
    const built = statSync(first).mtimeMs
    expect(await buildNative('shim', ['z'], folder)).toBe(first)
    expect(statSync(first).mtimeMs).toBe(built)
    expect(readdirSync(folder)).toHaveLength(1)
    rmSync(folder, { recursive: true })
  }, 60_000)

  it.skipIf(isSanitized).each([
    ['shim', ['z'], []],
    ['files', ['archive', 'crypto'], ['libarchive.so', 'libcrypto.so']],
  ] as const)(
    'are hardened, and link what they must: %s',
    async (name, libraries, needed) => {
      const program = await buildNative(name, libraries, programFolder)
      const { stdout } = await promisify(execFile)('readelf', ['--wide', '-h', '-l', '-d', '-s', program])
      expect(stdout).toMatch(/Type:\s+DYN/)
      expect(stdout).toMatch(/GNU_RELRO/)
      expect(stdout).toMatch(/GNU_STACK .*RW +0x/)
      expect(stdout).toMatch(/FLAGS_1.*\bNOW\b.*\bPIE\b/)
      expect(stdout).toMatch(/__stack_chk_fail/)
      expect(stdout).toMatch(/__\w+_chk\b(?<!__stack_chk)/)
      const loaded = [...stdout.matchAll(/\(NEEDED\).*\[(lib(?!c\.)[a-z]+\.so)/g)].map(([, library]) => library)
      expect(loaded.sort()).toEqual([...needed])
    },
    60_000,
  )

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
