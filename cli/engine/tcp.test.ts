// The engine over TCP: with certificates, and out of the reach of web pages.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificates } from '@atoll/kernel/http/testing/certificates'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../places.ts'
import { findPlugin } from './docker-plugins.ts'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'

const lacks = lacking('curl')
const buildx = findPlugin('docker-buildx')
let folder: string

beforeAll(() => {
  folder = mkdtempSync('/tmp/ae-tcp-')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function start(engine: object): Promise<EngineServer> {
  const config = join(folder, 'atoll.json')
  writeFileSync(config, JSON.stringify({ engine }))
  return startEngineServer({ ATOLL_CONFIG: config })
}

describe.skipIf(lacks.length > 0)('the engine over TCP', { timeout: 60_000 }, () => {
  let server: EngineServer
  beforeAll(async () => {
    server = await start({ tcp: '127.0.0.1:2375', hosts: ['docker.example.com'] })
  }, 120_000)
  afterAll(() => server?.stop(), 60_000)

  /** The answer with its head. */
  async function ask(method: string, path: string, headers: Record<string, string>, body?: object): Promise<string> {
    const all = { 'content-type': 'application/json', ...headers }
    const words = Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const data = body === undefined ? [] : ['-d', JSON.stringify(body)]
    const args = ['-sSi', '-m', '10', '-X', method, ...words, ...data, `http://127.0.0.1:2375${path}`]
    return (await server.host.run('curl', args)).stdout
  }

  const create = (headers: Record<string, string>): Promise<string> =>
    ask('POST', '/containers/create', headers, { Image: 'busybox' })

  it('warns at the start, and whoever asks', async () => {
    expect(server.log()).toContain('WARNING: API is accessible on http://127.0.0.1:2375 without encryption.')
    expect(await ask('GET', '/info', {})).toContain('WARNING: API is accessible on http://127.0.0.1:2375')
  })

  it.each([['https://evil.example'], ['http://127.0.0.1:8080'], ['null']])(
    'lets no web page of %s create containers',
    async (Origin) => {
      expect(await create({ Origin })).toMatch(/^HTTP\/1.1 403 [\s\S]*web pages of/)
      const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' }
      const key = { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' }
      expect(await ask('GET', '/containers/none/attach/ws', { Origin, ...upgrade, ...key })).toMatch(/^HTTP\/1.1 403 /)
      expect(await ask('POST', '/containers/none/attach', { Origin })).toMatch(/^HTTP\/1.1 403 /)
    },
  )

  it('answers no web page that a browser calls foreign', async () => {
    expect(await ask('GET', '/containers/json', { 'Sec-Fetch-Site': 'cross-site' })).toMatch(/^HTTP\/1.1 403 /)
  })

  it.each(['evil.example:2375', 'evil.example', '127.0.0.1.evil.example:2375', 'localhost.evil.example'])(
    'is not led on by the name %s',
    async (Host) => {
      expect(await create({ Host })).toMatch(/^HTTP\/1.1 403 [\s\S]*engine.hosts/)
      expect(await create({ Host, Origin: `http://${Host}` })).toMatch(/^HTTP\/1.1 403 /)
    },
  )

  it.each([
    'localhost:2375',
    '127.0.0.1:2375',
    '[::1]:2375',
    '192.0.2.7:2375',
    'docker:2375',
    'host.docker.internal:2375',
    'docker.example.com:2375',
  ])('is called %s', async (Host) => {
    expect(await create({ Host })).toMatch(/^HTTP\/1.1 201 /)
    expect(await create({ Host, Origin: `http://${Host}` })).toMatch(/^HTTP\/1.1 201 /)
  })

  it('serves the docker command and dockerode as before', async () => {
    const args = ['-H', 'tcp://127.0.0.1:2375', 'run', '--rm', '-i', 'busybox', 'cat']
    const run = await server.host.run('docker', args, { input: 'hello' })
    expect(run).toMatchObject({ code: 0, stdout: 'hello' })
    const script = `import Docker from 'dockerode'
      const docker = new Docker({ host: '127.0.0.1', port: 2375 })
      const container = await docker.createContainer({ Image: 'busybox', Cmd: ['true'] })
      await container.start()
      console.log((await container.wait()).StatusCode)`
    const file = join(root, 'cli', 'engine')
    const node = ['--input-type=module', '-e', script]
    const program = await server.host.run('sh', ['-c', 'cd "$0" && exec "$@"', file, process.execPath, ...node])
    expect(program).toMatchObject({ code: 0, stdout: '0\n' })
  })
})

describe.skipIf(lacks.length > 0)('the engine over TCP with TLS', { timeout: 60_000 }, () => {
  let server: EngineServer
  const tcp = '127.0.0.1:2376'

  beforeAll(async () => {
    const { authority, server: own, client } = await makeCertificates()
    const stranger = await makeCertificates()
    mkdirSync(join(folder, 'stranger'))
    for (const [name, text] of Object.entries({
      ...{ 'ca.pem': authority.cert, 'server.pem': own.cert, 'server-key.pem': own.key },
      ...{ 'cert.pem': client.cert, 'key.pem': client.key },
      ...{ 'stranger/cert.pem': stranger.client.cert, 'stranger/key.pem': stranger.client.key },
      'stranger/ca.pem': authority.cert,
    }))
      writeFileSync(join(folder, name), text)
    const tls = { ca: join(folder, 'ca.pem'), cert: join(folder, 'server.pem'), key: join(folder, 'server-key.pem') }
    server = await start({ tcp, tls })
  }, 120_000)
  afterAll(() => server?.stop(), 60_000)

  const docker = (certificates: string, ...args: string[]) => {
    const file = (name: string) => join(folder, certificates, name)
    const flags = ['--tlscacert', file('ca.pem'), '--tlscert', file('cert.pem'), '--tlskey', file('key.pem')]
    return server.host.run('docker', ['--tlsverify', ...flags, '-H', `tcp://${tcp}`, ...args], { input: 'hello' })
  }

  it('serves clients with a certificate of its authority', async () => {
    expect(await docker('.', 'run', '--rm', '-i', 'busybox', 'cat')).toMatchObject({ code: 0, stdout: 'hello' })
    expect(server.log()).not.toContain('WARNING: API')
    expect((await docker('.', 'info', '--format', '{{json .Warnings}}')).stdout).not.toContain('accessible')
  })

  it.skipIf(buildx === undefined)("carries BuildKit's connections", async () => {
    const project = join(folder, 'project')
    mkdirSync(join(folder, 'docker-config/cli-plugins'), { recursive: true })
    mkdirSync(project)
    symlinkSync(buildx ?? '', join(folder, 'docker-config/cli-plugins/docker-buildx'))
    writeFileSync(
      join(project, 'Dockerfile'),
      'FROM busybox\nCOPY file /file\nRUN cat /file > /again\nCMD cat /again\n',
    )
    writeFileSync(join(project, 'file'), 'over TLS\n')
    const flags = ['ca', 'cert', 'key'].map((name) => `--tls${name === 'ca' ? 'cacert' : name}=${folder}/${name}.pem`)
    const env = [`DOCKER_CONFIG=${folder}/docker-config`, `BUILDX_CONFIG=${folder}/buildx`, 'DOCKER_BUILDKIT=1']
    const args = [
      'docker',
      '--tlsverify',
      ...flags,
      '-H',
      `tcp://${tcp}`,
      'build',
      '--progress=plain',
      '-t',
      'tls',
      project,
    ]
    const built = await server.host.run('env', [...env, ...args])
    expect(built.code, built.stderr).toBe(0)
    expect(built.stderr).toContain('naming to docker.io/library/tls')
    expect((await docker('.', 'run', '--rm', 'tls')).stdout).toBe('over TLS\n')
  })

  it('lets in nobody else', async () => {
    const stranger = await docker('stranger', 'version')
    expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('error during connect') })
    expect(stranger.stdout).not.toContain('Server')
    const plain = await server.host.run('docker', ['-H', `tcp://${tcp}`, 'ps'])
    expect(plain.code).toBe(1)
    const insecure = ['-H', `tcp://${tcp}`, '--tls', 'ps']
    expect((await server.host.run('docker', insecure)).code).toBe(1)
  })
})
