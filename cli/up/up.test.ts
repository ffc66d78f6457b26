// How a start ends: each refusal is a line for people, at most a stack for those who asked.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startFailure } from './start-failure.ts'
import { welcome } from './welcome.ts'

const folder = mkdtempSync(join(tmpdir(), 'atoll-up-'))
afterAll(() => rmSync(folder, { recursive: true }))

const config = { data: folder, host: '127.0.0.1', log: { level: 'info' as const } }

describe('a failed start', () => {
  it('names a port that is in use, in one line', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const second = createServer().listen(port, '127.0.0.1')
    const [error] = await once(second, 'error')
    server.close()
    expect(startFailure(error, config)).toBe(
      `Atoll did not start: port ${port} on 127.0.0.1 is in use by another program. Choose another with --port.\n`,
    )
  })

  it('shows no stack and no secret, and the stack to those who log at debug', () => {
    const error = new Error('password authentication failed for postgres://atoll:hunter2@db/atoll')
    const line = 'Atoll did not start: password authentication failed for postgres://atoll:[redacted]@db/atoll\n'
    expect(startFailure(error, config)).toBe(line)
    const detailed = startFailure(error, { ...config, log: { level: 'debug' } })
    expect(detailed).toContain('up.test.ts')
    expect(detailed).not.toContain('hunter2')
  })
})

describe('the welcome', () => {
  const services = [{ name: 'platform', url: 'https://127.0.0.1:8080' }]

  it('gives the keys of a first start in a form to copy', () => {
    const firstKeys = { apiKey: 'sk-a', adminKey: 'sk-b' }
    const text = welcome(
      { services, firstKeys, notes: ['One note.'] },
      { tls: 'self-signed', platform: { chatModel: undefined } },
    )
    expect(text).toContain('\n  export OPENAI_BASE_URL=https://127.0.0.1:8080/v1\n  export OPENAI_API_KEY=sk-a\n')
    expect(text).toContain('\n  export OPENAI_ADMIN_KEY=sk-b\n')
    expect(text).toContain('\n  curl --insecure -H "Authorization: Bearer $OPENAI_API_KEY" "$OPENAI_BASE_URL/models"\n')
    expect(text).toContain('\nOne note.\n')
  })

  it('speaks of no keys later', () => {
    const text = welcome({ services, firstKeys: {}, notes: [] }, { tls: 'off', platform: { chatModel: undefined } })
    expect(text).toBe('\nAtoll is ready.\n\n  platform   https://127.0.0.1:8080\n\n')
  })
})
