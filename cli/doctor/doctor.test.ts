// What ./atoll doctor tells: every service, for whoever asks.
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { serviceNames } from '../config.ts'
import { runAtoll } from '../run-atoll.ts'

const nobody = 65_534
const isRoot = process.getuid?.() === 0

describe('./atoll doctor', () => {
  it('knows every service and how it is started, and says nothing is "later"', async () => {
    const { code, out } = await runAtoll(['doctor', '--data', join(await tempDir(), 'data')])
    expect(code).toBe(0)
    for (const name of serviceNames)
      expect(out).toMatch(new RegExp(`^${name} +\\S.*(started by|apt-get|needs root)`, 'm'))
    expect(out).not.toContain('later')
    expect(out).toMatch(/^onnxruntime +transcription, realtime +ok +\d+\.\d+/m)
  }, 60_000)

  it('tells an ordinary user what needs root, and still says that Atoll can run', async () => {
    const data = await tempDir()
    if (isRoot) chownSync(data, nobody, nobody)
    const { code, out } = await runAtoll(['doctor', '--data', data], {}, isRoot ? { user: nobody } : {})
    expect(out).toMatch(/^engine +who wants it +absent +needs root: sudo \.\/atoll up --with engine/m)
    expect(out).toContain('Atoll can run here.')
    expect(code).toBe(0)
  }, 60_000)

  it.skipIf(!isRoot)(
    'tells a data folder that lies below one closed to this user',
    async () => {
      const closed = await tempDir()
      chmodSync(closed, 0o700)
      const { code, out, err } = await runAtoll(['doctor', '--data', join(closed, 'data')], {}, { user: nobody })
      expect({ code, err }).toEqual({ code: 1, err: '' })
      expect(out).toContain(`${join(closed, 'data')} cannot be written to; choose another with --data`)
    },
    60_000,
  )

  it('tells a data folder that is a file, and one that stands open', async () => {
    const folder = await tempDir()
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const wrong = await runAtoll(['doctor', '--data', file])
    expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining(`${file} is a file, not a folder`) })
    chmodSync(folder, 0o755)
    expect((await runAtoll(['doctor', '--data', folder])).out).toContain('open to others; closed by a start')
  }, 60_000)
})
