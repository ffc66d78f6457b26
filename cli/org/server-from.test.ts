import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { serverFrom } from './server-from.ts'
import { startOf } from './since.ts'

const key = { OPENAI_ADMIN_KEY: 'sk-admin-of-the-environment' }

describe('the server that ./atoll org speaks to', () => {
  it('needs an address and a key, and says which is missing', async () => {
    const folder = await tempDir()
    const [empty, several] = [join(folder, 'empty'), join(folder, 'several')]
    writeFileSync(empty, '\n')
    writeFileSync(several, 'sk-admin-one\nsk-admin-two\n')
    expect(() => serverFrom({}, {})).toThrow('OPENAI_ADMIN_KEY is not set')
    expect(() => serverFrom({}, { OPENAI_ADMIN_KEY: ' ', ATOLL_ADMIN_KEY: '' })).toThrow('OPENAI_ADMIN_KEY is not set')
    expect(() => serverFrom({ adminKeyFile: join(folder, 'gone') }, key)).toThrow('cannot be read (ENOENT)')
    for (const adminKeyFile of [empty, several]) {
      expect(() => serverFrom({ adminKeyFile }, key)).toThrow('does not hold an admin key')
    }
    for (const url of ['nonsense', 'ftp://127.0.0.1', '127.0.0.1:8080']) {
      expect(() => serverFrom({ url }, key)).toThrow('is not an address of a server')
    }
    expect(() => serverFrom({ url: 'http://me:secret@127.0.0.1' }, key)).toThrow('may not hold a password')
  })
})

describe('the time of --since', () => {
  const now = Date.UTC(2026, 5, 15, 12)

  it('is some time ago or a date', () => {
    const seconds = (time: number) => time / 1000
    expect(startOf('90m', now)).toBe(seconds(now) - 90 * 60)
    expect(startOf('24h', now)).toBe(seconds(now) - 24 * 3600)
    expect(startOf('7d', now)).toBe(seconds(now) - 7 * 86_400)
    expect(startOf('2026-01-31', now)).toBe(seconds(Date.UTC(2026, 0, 31)))
    expect(startOf('2026-01-31T10:00:00Z', now)).toBe(seconds(Date.UTC(2026, 0, 31, 10)))
    for (const text of ['yesterday', '7', '7w', '-1d', '2026-13-45', '']) {
      expect(() => startOf(text, now)).toThrow('is no time')
    }
  })
})
