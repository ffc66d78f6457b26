// A swarm of one machine with the docker command, as its manual teaches it, and an engine that is killed meanwhile.
// The transcript is kept in reports/swarm-tour.txt.
import { join } from 'node:path'
import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { projectFolder } from './project-folder.ts'
import { stackProject } from './stack-project.ts'
import { Transcript } from './transcript.ts'

const lacks = lacking('etcd', 'curl')
let server: EngineServer
let tour: Transcript
const docker = (...args: string[]): Promise<string> => tour.docker(...args)
const states = (said: string): string[] => said.split('\n').filter(Boolean)
const runningTasks = (service: string, count: number) =>
  tour.until(
    (said) => states(said).filter((state) => state.startsWith('Running')).length === count,
    ...['service', 'ps', '--filter', 'desired-state=running', '--format', '{{.CurrentState}}', service],
  )
const ping = async (): Promise<string | undefined> => (await fetchHead()).headers.get('swarm') ?? undefined

async function fetchHead(): Promise<{ headers: Map<string, string> }> {
  const { stdout } = await server.host.run('curl', ['-sI', '--unix-socket', server.socketPath, 'http://engine/_ping'])
  const lines = stdout.split('\r\n').map((line) => line.split(': ') as [string, string])
  return { headers: new Map(lines.map(([name, value]) => [name.toLowerCase(), value])) }
}

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  tour = new Transcript(server)
}, 120_000)

afterAll(async () => {
  if (tour !== undefined) await tour.docker('swarm', 'leave', '--force').catch(() => {})
  tour?.write('swarm-tour.txt')
  await server?.stop()
}, 60_000)

const services = `  web:
    image: busybox
    command: ["httpd", "-f", "-p", "80", "-h", "/www"]
    stop_grace_period: 0s
    ports: ["8080:80"]
    deploy: { replicas: 2 }
    configs: [{ source: page, target: /www/index.html }]
    networks: [inside]
  client:
    image: busybox
    command: ["sleep", "3600"]
    stop_grace_period: 0s
    secrets: [password]
    networks: [inside]
`

describe.skipIf(lacks.length > 0)('a swarm with the docker command', { timeout: 120_000 }, () => {
  it('begins, tells its node and its tokens', async () => {
    tour.title('swarm init')
    expect(await docker('swarm', 'init', '--advertise-addr', '127.0.0.1')).toMatch(/Swarm initialized: current node/)
    expect(await docker('node', 'ls', '--format', '{{.Status}} {{.Availability}} {{.ManagerStatus}}')).toBe(
      'Ready Active Leader',
    )
    expect(await docker('swarm', 'join-token', '-q', 'worker')).toMatch(/^SWMTKN-1-/)
    expect(await docker('info', '--format', '{{.Swarm.LocalNodeState}} {{.Swarm.ControlAvailable}}')).toBe(
      'active true',
    )
    expect(await docker('node', 'inspect', '--pretty', 'self')).toMatch(/Leader:\s+Yes/)
    expect(await ping()).toBe('active/manager')
  })

  it('runs a service, changes its size, and tells of its tasks', async () => {
    tour.title('service create, scale, ps, logs, update, rollback, rm')
    const created = await docker(
      ...[
        'service',
        'create',
        '--name',
        'hello',
        '--replicas',
        '2',
        '--stop-grace-period',
        '0s',
        '--restart-delay',
        '10ms',
      ],
      ...['--update-monitor', '10ms', '--rollback-monitor', '10ms', 'busybox', 'sh', '-c', 'echo up; sleep 3600'],
    )
    expect(created).toMatch(/converged/)
    expect(await docker('service', 'ls', '--format', '{{.Name}} {{.Mode}} {{.Replicas}} {{.Image}}')).toBe(
      'hello replicated 2/2 busybox:latest',
    )
    await docker('service', 'scale', '--detach', 'hello=3')
    await runningTasks('hello', 3)
    expect(await docker('service', 'logs', '--raw', 'hello')).toBe('up\nup\nup')
    await docker('service', 'update', '--detach', '--env-add', 'A=1', '--update-parallelism', '3', 'hello')
    const updated = (state: string) => (said: string) => said === state
    await tour.until(updated('completed'), 'service', 'inspect', '--format', '{{.UpdateStatus.State}}', 'hello')
    await docker('service', 'rollback', '--detach', 'hello')
    await tour.until(
      updated('rollback_completed'),
      'service',
      'inspect',
      '--format',
      '{{.UpdateStatus.State}}',
      'hello',
    )
    expect(await docker('service', 'inspect', '--pretty', 'hello')).toMatch(/Name:\s+hello/)
  })

  it('is there again with all its tasks after the engine was killed, and so are its containers', async () => {
    tour.title('kill -9 of the engine')
    await docker(
      'secret',
      'create',
      'kept',
      join(projectFolder(server.folder, 'kept', { 'kept.txt': 'still here' }), 'kept.txt'),
    )
    const before = await docker('ps', '--quiet', '--no-trunc')
    const tasks = await docker('service', 'ps', '-q', '--no-trunc', '--filter', 'desired-state=running', 'hello')
    await server.end('SIGKILL')
    await server.start()
    expect(await docker('ps', '--quiet', '--no-trunc')).toBe(before)
    expect(await docker('service', 'ps', '-q', '--no-trunc', '--filter', 'desired-state=running', 'hello')).toBe(tasks)
    expect(await docker('secret', 'ls', '--format', '{{.Name}}')).toBe('kept')
    const [first = ''] = before.split('\n')
    await docker('kill', first)
    await tour.until((said) => !said.includes(first) && said.split('\n').length === 3, 'ps', '--quiet', '--no-trunc')
    await docker('service', 'rm', 'hello')
    await tour.until((said) => said === '', 'ps', '--all', '--quiet')
    const { code, stdout } = await server.host.run('pgrep', ['-c', 'etcd'])
    expect([code, stdout.trim()]).toEqual([0, '1'])
  })

  it('deploys a stack whose services find one another by name, and are reached from outside', async () => {
    tour.title('stack deploy')
    await docker('stack', 'deploy', '--compose-file', stackProject(server.folder, services), 'demo')
    await runningTasks('demo_web', 2)
    await runningTasks('demo_client', 1)
    const listed = await docker('stack', 'services', '--format', '{{.Name}} {{.Replicas}}', 'demo')
    expect(listed.split('\n').sort()).toEqual(['demo_client 1/1', 'demo_web 2/2'])
    const client = await docker('ps', '--quiet', '--filter', 'label=com.docker.swarm.service.name=demo_client')
    const inside = (script: string) => docker('exec', client, 'sh', '-c', script)
    expect(await inside('cat /run/secrets/password')).toBe('open sesame')
    for (const name of ['web', 'demo_web', 'tasks.demo_web']) {
      await tour.until((said) => said === 'a page of the stack', 'exec', client, 'wget', '-qO-', `http://${name}/`)
    }
    const addresses = (said: string) => new Set(said.match(/10\.0\.\d+\.\d+/g) ?? []).size
    const looked = await inside('nslookup tasks.demo_web 2>/dev/null | tail -n +3; echo')
    expect(addresses(looked)).toBeGreaterThanOrEqual(2)
    expect(await tour.onHost('curl', '-sS', 'http://127.0.0.1:8080/')).toBe('a page of the stack')
    expect(await docker('network', 'ls', '--filter', 'driver=overlay', '--format', '{{.Name}} {{.Scope}}')).toBe(
      'demo_inside swarm\ningress swarm',
    )
    expect(await tour.refused(1, 'network', 'rm', 'demo_inside')).toMatch(/in use by service|active endpoints/)
    await docker('stack', 'rm', 'demo')
    await tour.until((said) => said === '', 'ps', '--all', '--quiet')
  })

  it('speaks to programs as well', async () => {
    tour.title('dockerode')
    const client = new Docker({ socketPath: server.socketPath })
    const service = await client.createService({
      Name: 'program',
      TaskTemplate: { ContainerSpec: { Image: 'busybox', Command: ['sleep', '3600'], StopGracePeriod: 0 } },
      Mode: { Replicated: { Replicas: 1 } },
    } as Docker.CreateServiceOptions)
    await runningTasks('program', 1)
    const [listed] = await client.listServices({ filters: { name: ['program'] } })
    expect(listed?.Spec?.Name).toBe('program')
    expect((await client.listTasks({ filters: { service: ['program'] } })).length).toBe(1)
    expect((await client.listNodes()).length).toBe(1)
    await client.getService(service.id).remove()
    await tour.until((said) => said === '', 'ps', '--all', '--quiet')
  })

  it('ENG-033 is locked after a restart where that was asked for, and goes on with the key', async () => {
    tour.title('autolock')
    const told = await docker('swarm', 'update', '--autolock')
    const [key = ''] = /SWMKEY-1-\S+/.exec(told) ?? []
    expect(await docker('swarm', 'unlock-key', '-q')).toBe(key)
    await server.end('SIGKILL')
    await server.start()
    expect(await ping()).toBe('locked')
    expect(await tour.refused(1, 'service', 'ls')).toContain('Swarm is encrypted and needs to be unlocked')
    const unlock = (given: string, code = 0) => tour.run('docker', ['swarm', 'unlock'], { input: `${given}\n`, code })
    expect(await unlock('SWMKEY-1-wrong', 1)).toContain('invalid key provided')
    await unlock(key)
    expect(await docker('secret', 'ls', '--format', '{{.Name}}')).toBe('kept')
    expect(await docker('swarm', 'unlock-key', '-q')).toBe(key)
    await docker('swarm', 'update', '--autolock=false')
  })

  it('leaves nothing behind', async () => {
    tour.title('swarm leave')
    expect(await tour.refused(1, 'swarm', 'leave')).toContain('--force')
    expect(await docker('swarm', 'leave', '--force')).toBe('Node left the swarm.')
    expect(await ping()).toBe('inactive')
    const { stdout } = await server.host.run('sh', ['-c', 'pgrep -c etcd; grep -c swarm /proc/mounts'])
    expect(stdout.trim().split('\n')).toEqual(['0', '0'])
  })
})
