// The engine as a whole, with the docker command: what it tells of itself, what it is not, and a configuration that is
// read again while it runs.
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { writeSamplePlugin } from '@atoll/engine/plugins/testing/sample-plugin'
import { EngineClient } from '@atoll/engine/testing/engine-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { startRegistry } from './registry.ts'
import { Transcript } from './transcript.ts'

const lacks = lacking('docker-registry')
const settings = mkdtempSync(join(tmpdir(), 'engine-settings-'))
const configFile = join(settings, 'atoll.yaml')
const notManager = 'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join"'
const talk = 'echo kept by a plugin > /data/file; cat /data/file; sleep 3600'
let server: EngineServer
let tour: Transcript
let client: EngineClient
const docker = (...args: string[]): Promise<string> => tour.docker(...args)

beforeAll(async () => {
  if (lacks.length > 0) return
  writeFileSync(configFile, 'engine: {labels: [zone=cellar]}\n')
  server = await startEngineServer({ ATOLL_CONFIG: configFile })
  tour = new Transcript(server)
  client = new EngineClient(server.socketPath)
}, 120_000)

afterAll(async () => {
  client?.close()
  tour?.write('docker-system.txt')
  await server?.stop()
  rmSync(settings, { recursive: true, force: true })
}, 60_000)

const answered = async (method: string, path: string, body?: unknown) => {
  const answer = await client.call(method, path, body)
  return { status: answer.status, told: answer.body.toString() }
}

describe.skipIf(lacks.length > 0)('the whole engine', { timeout: 60_000 }, () => {
  it('ENG-002 ENG-015 serves every family of objects, with a version in front and without', async () => {
    const families: [string, number][] = [
      ...['/containers/json', '/images/json', '/networks', '/volumes', '/plugins'].map((p): [string, number] => [
        p,
        200,
      ]),
      ...['/events?until=1', '/info', '/version', '/system/df', '/_ping'].map((p): [string, number] => [p, 200]),
      ...['/secrets', '/configs', '/services', '/tasks', '/nodes', '/swarm'].map((p): [string, number] => [p, 503]),
    ]
    for (const [path, status] of families) {
      for (const version of ['/v1.30', '/v1.47', '']) {
        expect((await answered('GET', `${version}${path}`)).status, version + path).toBe(status)
      }
    }
  })

  it('ENG-013 gives all versions what the document gives to all', async () => {
    await answered('POST', '/networks/create', { Name: 'once' })
    for (const version of ['v1.21', 'v1.24', 'v1.43', 'v1.47']) {
      const again = await answered('POST', `/${version}/networks/create`, { Name: 'once', CheckDuplicate: false })
      expect(again, version).toMatchObject({ status: 409, told: expect.stringContaining('already exists') })
      const wrong = { Name: 'w', IPAM: { Config: [{ Subnet: 'x' }, { Subnet: 'y' }] } }
      const refused = await answered('POST', `/${version}/networks/create`, wrong)
      expect(refused.status).toBe(400)
      for (const subnet of ['x', 'y']) expect(refused.told, version).toMatch(new RegExp(`subnet.*${subnet}`, 'i'))
    }
    for (const version of ['v1.18', 'v1.30', 'v1.47']) {
      const { headers } = (await client.open('GET', `/${version}/_ping`)).resume()
      expect([headers['builder-version'], headers.swarm], version).toEqual(['2', 'inactive'])
      const older = encodeURIComponent(JSON.stringify({ until: ['2001-01-01'] }))
      expect(await answered('GET', `/${version}/images/json?filters=${older}`)).toEqual({ status: 200, told: '[]' })
    }
  })

  it('says to the docker command that it is in no swarm', async () => {
    tour.title('outside a swarm')
    const commands = ['node ls', 'service ls', 'stack ls', 'secret ls', 'config ls', 'swarm join-token worker']
    for (const command of commands) expect(await tour.refused(1, ...command.split(' '))).toContain(notManager)
    expect(await tour.refused(1, 'swarm', 'leave')).toContain('This node is not part of a swarm')
    // There is no way out of this network.
    expect(await tour.refused(1, 'swarm', 'init')).toContain("could not find the system's IP address")
    expect(await tour.refused(1, 'network', 'create', '-d', 'overlay', 'far')).toContain(notManager)
    expect(await tour.refused(1, 'network', 'create', '--ingress', 'in')).toMatch(/ingress network.*overlay driver/)
    expect(await docker('plugin', 'ls', '--format', '{{.Name}}')).toBe('')
    const install = ['plugin', 'install', '--grant-all-permissions', 'vieux/sshfs']
    expect(await tour.refused(1, ...install)).toMatch(/lookup registry-1\.docker\.io: no such host/)
    expect(await tour.refused(1, 'plugin', 'inspect', 'vieux/sshfs')).toMatch(/plugin:? "?vieux\/sshfs/i)
  })

  it('has plugins that the docker command makes, pushes, installs, uses and upgrades', async () => {
    tour.title('plugins')
    const registry = await startRegistry(server)
    const [name, folder] = [`${registry.address}/team/sample`, join(settings, 'sample')]
    await writeSamplePlugin(folder)
    await docker('plugin', 'create', name, folder)
    await docker('plugin', 'push', name)
    await docker('plugin', 'rm', name)
    const install = ['plugin', 'install', '--grant-all-permissions', '--alias', 'mine', name, 'DEBUG=told']
    expect(await docker(...install)).toContain(`Installed plugin ${name}`)
    expect(await docker('plugin', 'ls', '--format', '{{.Name}} {{.Enabled}}')).toBe('mine:latest true')
    expect(await docker('plugin', 'inspect', '-f', '{{.Settings.Env}}', 'mine')).toContain('DEBUG=told')
    await docker('volume', 'create', '-d', 'mine', 'data')
    const mounted = ['--mount', 'source=data,target=/data']
    await docker('run', '-d', '--name', 'talker', '--log-driver', 'mine', ...mounted, 'busybox', 'sh', '-c', talk)
    await expect.poll(() => docker('logs', 'talker'), { timeout: 20_000 }).toBe('kept by a plugin')
    expect(await tour.refused(1, 'plugin', 'disable', 'mine')).toContain('is in use')
    await docker('rm', '-f', 'talker')
    await docker('volume', 'rm', 'data')
    await docker('plugin', 'disable', 'mine')
    await docker('plugin', 'set', 'mine', 'DEBUG=0')
    await docker('plugin', 'upgrade', '--grant-all-permissions', 'mine')
    await docker('plugin', 'enable', 'mine')
    await docker('plugin', 'rm', '-f', 'mine')
    await registry.stop()
  })

  it('tells of itself to the docker command', async () => {
    tour.title('info and disk usage')
    const info = await docker('info')
    for (const line of [/Swarm: inactive/, /Labels:\n {2}zone=cellar/, /Storage Driver: overlay2/, /Images: 1/]) {
      expect(info).toMatch(line)
    }
    expect(await docker('system', 'df')).toMatch(/Images +1 [\s\S]*Build Cache +0/)
    expect(await docker('system', 'df', '-v')).toMatch(/busybox +latest/)
  })

  it('searches the registries that it can reach, and says when it reaches none', async () => {
    tour.title('search')
    const none = await tour.refused(1, 'search', 'busybox')
    expect(none).toMatch(/docker\.io cannot be searched: .*lookup index\.docker\.io: no such host/)
    const registry = await startRegistry(server)
    const name = `${registry.address}/team/busybox`
    await docker('tag', 'busybox', name)
    await docker('push', name)
    const found = ['search', '--format', '{{.Name}} {{.IsOfficial}} {{.StarCount}}']
    expect(await docker(...found, `${registry.address}/busy`)).toBe(`${name}  0`)
    expect(await docker(...found, `${registry.address}/nothing`)).toBe('')
    await docker('rmi', name)
    await registry.stop()
  })

  it('ENG-644 ENG-645 ENG-646 ENG-647 ENG-648 ENG-649 tells of everything that is pruned, from 1.41 on', async () => {
    const since = Date.now() / 1000
    await docker('run', '--name', 'ended', 'busybox', 'sh', '-c', 'echo written > /there')
    await docker('volume', 'create', 'spare')
    await docker('network', 'create', 'spare')
    const volumes = `/volumes/prune?filters=${encodeURIComponent('{"all":["true"]}')}`
    for (const path of ['/containers/prune', volumes, '/networks/prune', '/images/prune', '/build/prune']) {
      expect((await answered('POST', path)).status, path).toBe(200)
    }
    const prunes = async (version: string) => {
      const filters = encodeURIComponent('{"event":["prune"]}')
      const span = `since=${since}&until=${Date.now() / 1000 + 0.001}`
      const { told } = await answered('GET', `/${version}/events?${span}&filters=${filters}`)
      return told
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    }
    const told = await prunes('v1.41')
    const kinds = ['container', 'volume', 'network', 'image', 'builder']
    expect(told.map(({ Type }: { Type: string }) => Type)).toEqual(kinds)
    for (const { Actor } of told)
      expect(Actor).toEqual({ ID: '', Attributes: { reclaimed: expect.stringMatching(/^\d+$/) } })
    expect(Number(told[0].Actor.Attributes.reclaimed)).toBeGreaterThan(0)
    expect(await prunes('v1.40')).toEqual([])
  })

  it('ENG-693 tells in disk usage when a volume was made', async () => {
    const before = Date.now()
    await docker('volume', 'create', 'dated')
    const volumes = async (version: string) => JSON.parse((await answered('GET', `/${version}/system/df`)).told).Volumes
    const [dated] = await volumes('v1.31')
    expect(Date.parse(dated.CreatedAt)).toBeGreaterThanOrEqual(before)
    expect((await volumes('v1.30'))[0]).not.toHaveProperty('CreatedAt')
    await docker('volume', 'rm', 'dated')
  })

  it('ENG-036 serves clients that get no word of a swarm', async () => {
    const socketPath = join(server.folder, 'without-swarm.sock')
    const proxy = createServer((asked, reply) => {
      const { method, url: path, headers } = asked
      const passed = request({ socketPath: server.socketPath, method, path, headers }, (answer) => {
        const { swarm: _, ...rest } = answer.headers
        reply.writeHead(answer.statusCode ?? 0, rest)
        answer.pipe(reply)
      })
      asked.pipe(passed)
    }).listen(socketPath)
    await once(proxy, 'listening')
    const env = { DOCKER_HOST: `unix://${socketPath}` }
    expect(await tour.run('docker', ['images', '--format', '{{.Repository}}'], { env })).toBe('busybox')
    expect(await tour.run('docker', ['node', 'ls'], { env, code: 1 })).toContain(notManager)
    proxy.close()
    proxy.closeAllConnections()
  })
})

describe.skipIf(lacks.length > 0)('a configuration that is read again', { timeout: 60_000 }, () => {
  const info = async () => JSON.parse((await answered('GET', '/info')).told)

  it('ENG-671 is taken on by a hangup and told of; one that is wrong changes nothing', async () => {
    const filters = encodeURIComponent('{"type":["daemon"]}')
    const stream = (await client.open('GET', `/v1.24/events?filters=${filters}`)).on('error', () => undefined)
    const lines = createInterface(stream)[Symbol.asyncIterator]()
    const next = async () => JSON.parse((await lines.next()).value ?? '{}')
    const since = Date.now() / 1000

    writeFileSync(configFile, 'engine: {labels: [no label], registry: {mirrors: [nowhere]}}\n')
    server.signal('SIGHUP')
    await said(/all stays as it was\.\n {2}engine\.labels\[0\]: expected a label[^\n]*\n {2}engine\.registry\.mirrors/)
    expect((await info()).Labels).toEqual(['zone=cellar'])

    writeFileSync(
      configFile,
      [
        'log: {level: debug}',
        'shutdown: {graceSeconds: 7}',
        'engine:',
        '  runtime: runc',
        '  labels: [zone=attic, floor=3]',
        '  builderVersion: "1"',
        '  registry: {mirrors: ["http://127.0.0.1:5000"], insecure: ["10.0.0.0/8"]}',
      ].join('\n'),
    )
    server.signal('SIGHUP')
    expect(await next()).toMatchObject({ Type: 'daemon', Action: 'reload' })
    const { ID, DefaultRuntime, Labels, Debug, RegistryConfig } = await info()
    expect(Labels).toEqual(['zone=attic', 'floor=3'])
    expect(Debug).toBe(true)
    expect(RegistryConfig.Mirrors).toEqual(['http://127.0.0.1:5000'])
    expect(RegistryConfig.IndexConfigs['10.0.0.0/8']).toMatchObject({ Secure: false })
    expect((await client.open('HEAD', '/_ping')).resume().headers['builder-version']).toBe('1')
    expect(DefaultRuntime).toBe('crun')
    await said(/Taken on at the next start: engine\.runtime\n/)

    const span = `since=${since}&until=${Date.now() / 1000 + 0.001}&filters=${filters}`
    const told = (await answered('GET', `/v1.24/events?${span}`)).told.trim().split('\n')
    expect(told).toHaveLength(1)
    expect(JSON.parse(told[0] ?? '')).toMatchObject({
      ...{ Type: 'daemon', Action: 'reload' },
      Actor: {
        ID,
        Attributes: {
          ...{ debug: 'true', labels: '["zone=attic","floor=3"]', 'shutdown-timeout': '7' },
          ...{ 'registry-mirrors': '["http://127.0.0.1:5000"]', 'insecure-registries': '["10.0.0.0/8"]' },
        },
      },
    })
    expect((await answered('GET', `/v1.23/events?${span}`)).told).toBe('')
    stream.destroy()
  })

  it('serves from then on: pulls ask the new mirror, and the other builder is recommended', async () => {
    const registry = await startRegistry(server)
    await docker('tag', 'busybox', `${registry.address}/library/mirrored`)
    await docker('push', `${registry.address}/library/mirrored`)
    expect(await docker('pull', 'mirrored')).toContain('Downloaded newer image for mirrored:latest')
    expect(await docker('search', '--format', '{{.Name}} {{.IsOfficial}}', 'mirror')).toBe('mirrored ')
    // The mirror answered; that docker.io itself cannot be reached is no failure then.
    expect(await docker('search', '--format', '{{.Name}}', 'nothing-like-it')).toBe('')
    await registry.stop()
    // Clients that know no BuildKit go on as before.
    const context = join(server.folder, 'context')
    mkdirSync(context)
    writeFileSync(join(context, 'Dockerfile'), 'FROM busybox\n')
    const built = await tour.run('docker', ['build', context], { code: 0, env: { DOCKER_BUILDKIT: '0' } })
    expect(built).toContain('Successfully built')
  })
})

/** Until the engine has written this. */
async function said(words: RegExp): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!words.test(server.log())) {
    if (Date.now() > deadline) throw new Error(`The engine did not say ${words}: ${server.log().slice(-2_000)}`)
    await setTimeout(10)
  }
}
