// How a start ends: each refusal is a line for people, at most a stack for those who asked.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { chosenServices } from './chosen-services.ts'
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
  const platform = { name: 'platform', url: 'https://127.0.0.1:8080' }
  const config = {
    tls: 'self-signed' as const,
    data: '/data',
    platform: { chatModel: undefined },
    hooks: { path: '/hooks' },
  }
  const started = { services: [platform], firstKeys: {}, notes: [], problems: [] }

  it('gives the keys of a first start in a form to copy', () => {
    const text = welcome({ ...started, firstKeys: { apiKey: 'sk-a', adminKey: 'sk-b' }, notes: ['One note.'] }, config)
    expect(text).toContain('\n  export OPENAI_BASE_URL=https://127.0.0.1:8080/v1\n  export OPENAI_API_KEY=sk-a\n')
    expect(text).toContain('\n  export OPENAI_ADMIN_KEY=sk-b\n')
    expect(text).toContain('\nOne note.\n')
  })

  it('tells how clients trust a certificate that nobody has signed', () => {
    expect(welcome(started, config)).toContain('\n  export NODE_EXTRA_CA_CERTS=/data/self-signed.pem\n')
    expect(welcome(started, { ...config, tls: 'off' })).not.toContain('NODE_EXTRA_CA_CERTS')
  })

  it('says what to do next with every service, at every start', () => {
    const services = [
      platform,
      { name: 'engine', url: 'unix:/data/engine.sock' },
      { name: 'engine', url: 'http://127.0.0.1:2375' },
      { name: 'hooks', url: 'https://127.0.0.1:8081' },
      { name: 'cluster', url: 'https://127.0.0.1:8082' },
    ]
    const [, steps = ''] = welcome({ ...started, services }, config).split('Then try:\n\n')
    expect(steps.split('\n')).toEqual([
      '  curl --insecure -H "Authorization: Bearer $OPENAI_API_KEY" https://127.0.0.1:8080/v1/models',
      '  export DOCKER_HOST=unix:///data/engine.sock',
      '  docker info',
      `  curl --insecure -H "Authorization: Bearer $ATOLL_HOOKS_TOKEN" -d '{"text": "Hello."}' https://127.0.0.1:8081/hooks/wake`,
      '  ./atoll cluster create orders   # and then redis-cli, as it prints',
      '',
    ])
  })

  it('says ready of nothing that is not', () => {
    const text = welcome({ ...started, problems: [{ service: 'engine', reason: 'It needs root.' }] }, config)
    expect(text).toMatch(/^\nAtoll runs, but not all of it is ready:\n\n {2}engine {5}It needs root\.\n/)
  })
})

describe('the services of a start', () => {
  it('are the usual ones, more with --with, and all with --all', () => {
    expect(chosenServices(['platform', 'hooks'], {})).toEqual(['platform', 'hooks'])
    expect(chosenServices(['platform', 'hooks'], { with: 'cluster, engine' })).toHaveLength(4)
    expect(chosenServices(['hooks'], { all: true })).toEqual(['platform', 'engine', 'hooks', 'cluster'])
    expect(() => chosenServices([], { with: 'engin' })).toThrow('there is no service engin; did you mean engine?')
  })
})
