// Fields of services in all versions: taken by create and update from their version on, shown by services and tasks
// from then on, and what they do to a task.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSwarm, hasEtcd, until } from '../../swarm/testing/start-swarm.ts'
import type { Answer } from '../../testing/ask-json.ts'
import { at } from '../../testing/by-version.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
let configId = ''
const call = (method: string, path: string, body?: unknown) => engine.call(method, path, body)
const get = async (path: string) => (await call('GET', path)).body
const before = (version: string): string => `1.${Number(version.slice(2)) - 1}`

interface Field {
  ids: string
  since: string
  place: string
  value: unknown | (() => unknown)
  /** What has to be there as well. */
  container?: object
}

const bind = { Mounts: [{ Type: 'bind', Source: '/tmp', Target: '/bound' }] }
const tmpfs = { Mounts: [{ Type: 'tmpfs', Target: '/cache' }] }
const ofContainer = (place: string) => `ContainerSpec.${place}`

const fields: Field[] = [
  {
    ...{ ids: 'ENG-508 ENG-578', since: '1.46', place: ofContainer('Mounts.0.TmpfsOptions.Options') },
    ...{ value: [['uid', '7'], ['exec']], container: tmpfs },
  },
  { ids: 'ENG-509 ENG-510 ENG-579', since: '1.46', place: ofContainer('OomScoreAdj'), value: 300 },
  {
    ...{ ids: 'ENG-511 ENG-512 ENG-580', since: '1.44', place: ofContainer('Privileges.Seccomp') },
    value: { Mode: 'unconfined' },
  },
  {
    ...{ ids: 'ENG-513 ENG-514 ENG-581', since: '1.44', place: ofContainer('Privileges.AppArmor') },
    value: { Mode: 'disabled' },
  },
  {
    ...{ ids: 'ENG-519 ENG-520 ENG-521 ENG-599', since: '1.41' },
    ...{ place: ofContainer('Mounts.0.BindOptions.NonRecursive'), value: true, container: bind },
  },
  { ids: 'ENG-522 ENG-523 ENG-524 ENG-600', since: '1.41', place: ofContainer('CapAdd'), value: ['CAP_NET_ADMIN'] },
  { ids: '', since: '1.41', place: ofContainer('CapabilityAdd'), value: ['CAP_NET_ADMIN'] },
  { ids: 'ENG-525 ENG-526 ENG-527 ENG-601', since: '1.41', place: ofContainer('CapDrop'), value: ['CAP_CHOWN'] },
  { ids: '', since: '1.41', place: ofContainer('CapabilityDrop'), value: ['CAP_CHOWN'] },
  {
    ...{ ids: 'ENG-528 ENG-529 ENG-530 ENG-602', since: '1.41', place: ofContainer('Ulimits') },
    value: [{ Name: 'nofile', Soft: 100, Hard: 200 }],
  },
  { ids: 'ENG-531 ENG-532 ENG-533 ENG-603', since: '1.41', place: 'Resources.Limits.Pids', value: 50 },
  {
    ...{ ids: 'ENG-541 ENG-542 ENG-543 ENG-605', since: '1.40', place: ofContainer('Sysctls') },
    value: { 'net.ipv4.ip_default_ttl': '42' },
  },
  {
    ...{ ids: 'ENG-544 ENG-545 ENG-546 ENG-606', since: '1.40' },
    ...{ place: ofContainer('Privileges.CredentialSpec.Config'), value: () => configId },
  },
  {
    ...{ ids: 'ENG-550 ENG-551 ENG-552 ENG-608', since: '1.40', place: 'Placement.MaxReplicas', value: 2 },
  },
  {
    ...{ ids: 'ENG-592 ENG-595 ENG-596', since: '1.35', place: ofContainer('Isolation'), value: 'default' },
  },
  { ids: 'ENG-593', since: '1.35', place: ofContainer('Isolation'), value: 'process' },
  { ids: 'ENG-594', since: '1.35', place: ofContainer('Isolation'), value: 'hyperv' },
  {
    ...{ ids: 'ENG-555 ENG-584', since: '1.30', place: 'Placement.Platforms' },
    value: [{ Architecture: 'amd64', OS: 'linux' }],
  },
  {
    ...{ ids: 'ENG-557 ENG-558 ENG-585', since: '1.29', place: ofContainer('Privileges.CredentialSpec') },
    value: { File: 'spec.json' },
  },
  {
    ...{ ids: 'ENG-559', since: '1.29', place: ofContainer('Privileges.SELinuxContext') },
    value: { Disable: true, User: 'u', Role: 'r', Type: 't', Level: 'l' },
  },
  { ids: 'ENG-560 ENG-586', since: '1.28', place: ofContainer('ReadOnly'), value: true },
  { ids: 'ENG-567 ENG-590', since: '1.25', place: ofContainer('TTY'), value: true },
  {
    ...{ ids: 'ENG-568 ENG-569 ENG-570 ENG-571 ENG-591', since: '1.25', place: ofContainer('DNSConfig') },
    value: { Nameservers: ['10.9.8.7'], Search: ['example.com'], Options: ['ndots:3'] },
  },
]

/** Nobody takes it: there is a task to look at, and nothing runs. */
const idle = (Name: string, container: object = {}) => ({
  ...{ Name, Mode: { Replicated: { Replicas: 1 } } },
  TaskTemplate: {
    ContainerSpec: { Image: 'busybox', ...container },
    Placement: { Constraints: ['node.labels.none==such'] },
  },
})

function withValue(body: object, place: string, value: unknown): Answer['body'] {
  const copy = structuredClone(body) as Answer['body']
  const steps = place.split('.')
  const last = steps.pop() ?? ''
  let parent = copy
  for (const step of steps) {
    parent[step] ??= {}
    parent = parent[step]
  }
  parent[last] = value
  return copy
}

beforeAll(async () => {
  if (!hasEtcd) return
  engine = await startWholeEngine()
  await beginSwarm(engine)
  configId = (await call('POST', '/configs/create', { Name: 'some', Data: 'eA==' })).body.ID
}, 120_000)
afterAll(async () => {
  await engine?.call('POST', '/swarm/leave?force=1')
  await engine?.stop()
}, 60_000)

const remove = async (name: string) => {
  await call('DELETE', `/services/${name}`)
  await until(engine, '/tasks', (tasks) => tasks.length === 0)
}

describe.skipIf(!hasEtcd)('fields of services', { timeout: 90_000 }, () => {
  for (const { ids, since, place, value: given, container } of fields) {
    it(`${ids} ${place} are taken and shown from ${since} on`, async () => {
      const value = typeof given === 'function' ? given() : given
      const ofService = `Spec.TaskTemplate.${place}`
      const body = (name: string) => withValue(idle(name, container), `TaskTemplate.${place}`, value)
      const kept = async (name: string) => at(await get(`/services/${name}`), ofService)
      for (const [name, api] of [
        ['newer', since],
        ['older', before(since)],
      ] as const) {
        expect((await call('POST', `/v${api}/services/create`, body(name))).status, api).toBe(201)
      }
      expect([await kept('newer'), await kept('older')]).toEqual([value, undefined])
      for (const api of [before(since), since]) {
        const { Version } = await get('/services/older')
        const path = `/v${api}/services/older/update?version=${Version.Index}`
        expect((await call('POST', path, body('older'))).status).toBe(200)
        expect(await kept('older'), `updated in ${api}`).toEqual(api === since ? value : undefined)
      }
      const [task] = await until(engine, '/tasks?filters={"service":["newer"]}', (tasks) => tasks.length > 0)
      const told = async (api: string) => [
        at(await get(`/v${api}/services/newer`), ofService),
        at((await get(`/v${api}/services?filters={"name":["newer"]}`))[0], ofService),
        at(await get(`/v${api}/tasks/${task.ID}`), `Spec.${place}`),
        at((await get(`/v${api}/tasks?filters={"id":["${task.ID}"]}`))[0], `Spec.${place}`),
      ]
      expect(await told(since)).toEqual([value, value, value, value])
      expect(await told(before(since))).toEqual([undefined, undefined, undefined, undefined])
      for (const name of ['newer', 'older']) await call('DELETE', `/services/${name}`)
      await until(engine, '/tasks', (tasks) => tasks.length === 0)
    })
  }

  it('ENG-547 ENG-548 ENG-549 ENG-607 Configs may be for the runtime alone, from 1.40 on', async () => {
    const Configs = [{ ConfigID: configId, ConfigName: 'some', Runtime: {}, File: { Name: 'x' } }]
    await call('POST', '/v1.40/services/create', idle('newer', { Configs }))
    await call('POST', '/v1.39/services/create', idle('older', { Configs }))
    const place = 'Spec.TaskTemplate.ContainerSpec.Configs.0.Runtime'
    const told = async (name: string, api = '1.47') => at(await get(`/v${api}/services/${name}`), place)
    expect([await told('newer'), await told('older'), await told('newer', '1.39')]).toEqual([{}, undefined, undefined])
    const { Version } = await get('/services/older')
    await call('POST', `/v1.40/services/older/update?version=${Version.Index}`, idle('older', { Configs }))
    expect(await told('older')).toEqual({})
    const [task] = await until(engine, '/tasks?filters={"service":["newer"]}', (tasks) => tasks.length > 0)
    const ofTask = async (api: string) =>
      at(await get(`/v${api}/tasks/${task.ID}`), 'Spec.ContainerSpec.Configs.0.Runtime')
    expect([await ofTask('1.40'), await ofTask('1.39')]).toEqual([{}, undefined])
    await call('DELETE', '/services/newer')
    await remove('older')
  })

  it('ENG-561 ENG-565 ENG-587 ENG-588 how to update and go back are taken and shown from their versions on', async () => {
    const RollbackConfig = { Parallelism: 2 }
    const UpdateConfig = { Parallelism: 3, Monitor: 1_000_000, MaxFailureRatio: 0.5, MonitorMaxFailureRatio: 0.5 }
    const body = { ...idle('paced'), RollbackConfig, UpdateConfig }
    const versions = ['1.24', '1.25', '1.27', '1.28']
    for (const api of versions) {
      await call('POST', `/v${api}/services/create`, body)
      const { Spec, Version } = await get('/services/paced')
      const shown = { update: Spec.UpdateConfig, rollback: Spec.RollbackConfig }
      const isNew = { update: api !== '1.24', rollback: api === '1.28' }
      const expected = {
        update: isNew.update ? UpdateConfig : { Parallelism: 3 },
        rollback: isNew.rollback ? RollbackConfig : undefined,
      }
      expect(shown, api).toEqual(expected)
      await call('POST', `/v${api}/services/paced/update?version=${Version.Index}`, body)
      const { Spec: again } = await get('/services/paced')
      expect({ update: again.UpdateConfig, rollback: again.RollbackConfig }, api).toEqual(expected)
      if (api !== '1.28') await remove('paced')
    }
    const told = async (api: string) => (await get(`/v${api}/services/paced`)).Spec
    expect((await told('1.28')).RollbackConfig).toEqual(RollbackConfig)
    expect((await told('1.27')).RollbackConfig).toBeUndefined()
    expect((await told('1.25')).UpdateConfig).toEqual(UpdateConfig)
    expect((await told('1.24')).UpdateConfig).toEqual({ Parallelism: 3 })
    await remove('paced')
  })

  it('ENG-554 ENG-583 may be plugins from 1.31 on', async () => {
    const PluginSpec = { Name: 'p', Remote: 'example/p:1', Disabled: false, PluginPrivilege: [{ Name: 'network' }] }
    const TaskTemplate = { PluginSpec, Runtime: 'plugin', Placement: { Constraints: ['node.labels.none==such'] } }
    expect((await call('POST', '/v1.31/services/create', { Name: 'plug', TaskTemplate })).status).toBe(201)
    expect((await get('/v1.31/services/plug')).Spec.TaskTemplate).toMatchObject({ PluginSpec, Runtime: 'plugin' })
    const older = (await get('/v1.30/services/plug')).Spec.TaskTemplate
    expect([older.PluginSpec, older.Runtime]).toEqual([undefined, undefined])
    expect((await call('POST', '/v1.30/services/create', { Name: 'plug2', TaskTemplate })).status).toBe(400)
    await remove('plug')
  })

  it('ENG-534 ENG-535 ENG-556 ENG-563 ENG-564 ENG-574 ENG-575 lists, defaults and warnings', async () => {
    const created = async (api: string, name: string) =>
      (await call('POST', `/v${api}/services/create`, idle(name))).body
    expect(await created('1.25', 'one')).toEqual({ ID: expect.any(String), Warnings: null })
    expect(await created('1.24', 'two')).toEqual({ ID: expect.any(String) })
    await call('POST', '/services/create', { ...idle('all'), Mode: { Global: {} } })
    const change = async (api: string) => {
      const { Spec, Version } = await get('/services/one')
      return (await call('POST', `/v${api}/services/one/update?version=${Version.Index}`, Spec)).body
    }
    expect([await change('1.25'), await change('1.24')]).toEqual([{ Warnings: null }, {}])
    const list = async (api: string, query: string) => await get(`/v${api}/services?${query}`)
    const status = { RunningTasks: 0, DesiredTasks: 1, CompletedTasks: 0 }
    const [listed] = await list('1.41', 'status=true&filters={"name":["one"]}')
    expect(listed.ServiceStatus).toEqual(status)
    for (const [api, query] of [
      ['1.41', ''],
      ['1.41', 'status=false'],
      ['1.40', 'status=true'],
    ] as const) {
      for (const service of await list(api, query)) expect(service).not.toHaveProperty('ServiceStatus')
    }
    const names = async (api: string, mode: string) =>
      (await list(api, `filters={"mode":["${mode}"]}`)).map(({ Spec }: Answer['body']) => Spec.Name).sort()
    expect(await names('1.28', 'global')).toEqual(['all'])
    expect(await names('1.28', 'replicated')).toEqual(['one', 'two'])
    expect(await names('1.27', 'global')).toEqual(['all', 'one', 'two'])
    const inspected = async (api: string, query = '') => (await get(`/v${api}/services/one${query}`)).Spec
    expect(await inspected('1.29', '?insertDefaults=true')).toMatchObject({
      TaskTemplate: { RestartPolicy: { Condition: 'any', Delay: 5e9, MaxAttempts: 0 }, ForceUpdate: 0 },
      UpdateConfig: { Parallelism: 1, FailureAction: 'pause', Order: 'stop-first' },
      EndpointSpec: { Mode: 'vip' },
    })
    for (const spec of [await inspected('1.29'), await inspected('1.28', '?insertDefaults=true')]) {
      expect(spec).not.toHaveProperty('UpdateConfig')
    }
    for (const name of ['one', 'two']) await call('DELETE', `/services/${name}`)
    await remove('all')
  })

  it('ENG-572 ENG-573 run where the platform is as asked', async () => {
    const { Architecture } = (await get('/nodes/self')).Description.Platform
    const arch = { x86_64: 'amd64', aarch64: 'arm64' }[Architecture as string] ?? Architecture
    const service = (name: string, Constraints: string[]) => ({
      Name: name,
      TaskTemplate: {
        ContainerSpec: { Image: 'busybox', Args: ['sleep', '99'], StopGracePeriod: 0 },
        Placement: { Constraints },
      },
    })
    const here = [`node.platform.arch==${arch}`, 'node.platform.os==linux']
    expect((await call('POST', '/v1.25/services/create', service('here', here))).status).toBe(201)
    for (const constraint of ['node.platform.arch==s390x', 'node.platform.os==windows']) {
      const { Version, Spec } = await get('/services/here')
      expect(Spec.TaskTemplate.Placement.Constraints).toEqual(here)
      await call('POST', '/v1.25/services/create', service('elsewhere', [constraint]))
      const [task] = await until(engine, '/tasks?filters={"service":["elsewhere"]}', (tasks) => tasks.length === 1)
      expect(task.Status).toMatchObject({ State: 'pending', Err: expect.stringContaining('constraints not satisfied') })
      await call('DELETE', '/services/elsewhere')
      expect(Version.Index).toBeGreaterThan(0)
    }
    const isUp = (tasks: Answer['body']) => tasks.some(({ Status }: Answer['body']) => Status.State === 'running')
    await until(engine, '/tasks?filters={"service":["here"]}', isUp)
    await remove('here')
    const wrong = await call('POST', '/services/create', service('odd', ['node.colour==red']))
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining('node.colour')])
  })

  it('change what a task is like from within', async () => {
    const container = {
      ...{ Image: 'busybox', Args: ['sleep', '3600'], StopGracePeriod: 0, ReadOnly: true, OomScoreAdj: 300 },
      ...{ CapAdd: ['CAP_NET_ADMIN'], CapabilityDrop: ['CAP_CHOWN'], Sysctls: { 'net.ipv4.ip_default_ttl': '42' } },
      Ulimits: [{ Name: 'nofile', Soft: 100, Hard: 200 }],
      DNSConfig: { Nameservers: ['10.9.8.7'], Search: ['example.com'], Options: ['ndots:3'] },
      Mounts: [{ Type: 'tmpfs', Target: '/cache', TmpfsOptions: { Options: [['uid', '7']] } }],
      ...{ Hosts: ['10.1.2.3 db'], Privileges: { NoNewPrivileges: true, Seccomp: { Mode: 'unconfined' } } },
    }
    const TaskTemplate = {
      ContainerSpec: container,
      Resources: { Limits: { Pids: 50, MemoryBytes: 64 * 1024 * 1024 } },
    }
    expect((await call('POST', '/services/create', { Name: 'shaped', TaskTemplate })).status).toBe(201)
    const [task] = await until(engine, '/tasks', ([one]) => one?.Status.State === 'running')
    const id = task.Status.ContainerStatus.ContainerID
    const inside = async (script: string) => (await engine.inside(id, script)).trim()
    expect(await inside('touch /x 2>&1 || true')).toContain('Read-only')
    expect(await inside('cat /proc/1/oom_score_adj /proc/sys/net/ipv4/ip_default_ttl')).toBe('300\n42')
    expect(await inside('grep "open files" /proc/1/limits')).toMatch(/100 +200/)
    expect(await inside('cat /etc/resolv.conf')).toMatch(/search example.com[\s\S]*ndots:3/)
    expect(await inside('stat -c %u /cache')).toBe('7')
    expect(await inside('grep -c "10.1.2.3.*db" /etc/hosts')).toBe('1')
    expect(await inside('grep -E "^(NoNewPrivs|Seccomp):" /proc/1/status')).toBe('NoNewPrivs:\t1\nSeccomp:\t0')
    const bounding = BigInt(`0x${(await inside('grep CapBnd /proc/1/status')).split('\t')[1]}`)
    expect([(bounding >> 12n) & 1n, bounding & 1n]).toEqual([1n, 0n])
    const { HostConfig } = await get(`/containers/${id}/json`)
    expect([HostConfig.PidsLimit, HostConfig.Memory]).toEqual([50, 64 * 1024 * 1024])
    await remove('shaped')
  })
})
