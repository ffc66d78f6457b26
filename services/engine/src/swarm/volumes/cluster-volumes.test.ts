// Volumes of a cluster, by a CSI plugin that runs on each of two machines.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '@atoll/kernel/programs/find-program'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { csiArchive } from '../../plugins/csi/testing/csi-archive.ts'
import type { Answer } from '../../testing/ask-json.ts'
import { pastEvents } from '../../testing/past-events.ts'
import { hasVxlan, startNodes, type TestNode, type TestNodes } from '../testing/start-nodes.ts'
import { hasEtcd, until } from '../testing/start-swarm.ts'
import {
  idOf,
  isRunning,
  join as joinSwarm,
  nanos,
  running,
  serve,
  type Task,
  tasksOf,
} from '../testing/swarm-calls.ts'

let machines: TestNodes
let [first, second] = [] as unknown as [TestNode, TestNode]
let state: string
const nodeOf = new Map<string, TestNode>()

beforeAll(async () => {
  if (!hasEtcd || !hasVxlan) return
  state = mkdtempSync('/tmp/atoll-csi-')
  mkdirSync(join(state, 'volumes'))
  machines = await startNodes(2)
  ;[first, second] = machines.nodes as [TestNode, TestNode]
  const begun = await first.call('POST', '/swarm/init', { ListenAddr: '0.0.0.0:2377', AdvertiseAddr: first.address })
  expect([begun.status, begun.body]).toEqual([200, expect.any(String)])
  expect((await joinSwarm(second, first, 'Worker')).status).toBe(200)
  for (const [node, name, zone] of [
    [first, 'one', 'a'],
    [second, 'two', 'b'],
  ] as const) {
    nodeOf.set(await idOf(node), node)
    const archive = csiArchive({ node: name, zone, state })
    expect((await node.call('POST', '/plugins/create?name=csi', archive)).body).toBe('')
    expect((await node.call('POST', '/plugins/csi/enable?timeout=20')).body).toBe('')
  }
}, 180_000)
afterAll(async () => {
  await machines?.stop()
  if (state !== undefined) rmSync(state, { recursive: true, force: true })
}, 60_000)

const calls = (name: string): { by: string; method: string; [field: string]: unknown }[] =>
  readFileSync(join(state, 'calls'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ id, name: made }) => id === `made-${name}` || made === name)
const methodsOf = (name: string, by?: string): string[] =>
  calls(name).flatMap((call) => (by === undefined || call.by === by ? (call.method.split('/')[1] ?? []) : []))

const create = (Name: string, spec: object, more: object = {}): Promise<Answer> =>
  first.call('POST', '/volumes/create', { Name, Driver: 'csi', ClusterVolumeSpec: spec, ...more })
const made = async (Name: string, spec: object, more?: object): Promise<void> => {
  expect(await create(Name, spec, more)).toMatchObject({ status: 201 })
  await until(first, `/volumes/${Name}`, ({ ClusterVolume }) => ClusterVolume.Info !== undefined)
}
const use = (name: string, source: string, replicas: number, template: object = {}): Promise<Answer> =>
  serve(
    first,
    name,
    { Mode: { Replicated: { Replicas: replicas } } },
    {
      ContainerSpec: {
        ...{ Image: 'busybox', Command: ['sleep', '3600'], StopGracePeriod: 0.1 * nanos },
        Mounts: [{ Type: 'cluster', Source: source, Target: '/data' }],
      },
      ...{ RestartPolicy: { Condition: 'any', Delay: 0 }, ...template },
    },
  )
const inside = (task: Task, script: string): Promise<string> =>
  (nodeOf.get(task.NodeID) as TestNode).inside(task.Status.ContainerStatus?.ContainerID ?? '', script)
const setAvailability = async (name: string, Availability: string): Promise<void> => {
  const { Spec, Version } = (await first.call('GET', `/volumes/${name}`)).body.ClusterVolume
  const path = `/volumes/${name}?version=${Version.Index}`
  expect(await first.call('PUT', path, { Spec: { ...Spec, Availability } })).toMatchObject({ status: 200 })
}
const leftAlone = (name: string) =>
  until(first, `/volumes/${name}`, ({ ClusterVolume }) => ClusterVolume.PublishStatus === undefined)
const removeService = (name: string) => first.call('DELETE', `/services/${name}`)
const removed = async (name: string): Promise<void> => {
  await leftAlone(name)
  expect(await first.call('DELETE', `/volumes/${name}`)).toMatchObject({ status: 204 })
  await until(first, `/volumes/${name}`, ({ message }) => message !== undefined)
}

describe.skipIf(!hasEtcd || !hasVxlan)('volumes of a cluster', () => {
  it.skipIf(findProgram('docker') === undefined)(
    "are made, shown, changed and removed with docker's client",
    async () => {
      const docker = async (...args: string[]): Promise<string> => {
        const { code, stdout, stderr } = await first.host.run('docker', ['-H', `unix://${first.socketPath}`, ...args])
        expect([code, stderr]).toEqual([0, ''])
        return stdout
      }
      const how = [
        '--type',
        'mount',
        '--scope',
        'multi',
        '--sharing',
        'all',
        '--group',
        'team',
        '--required-bytes',
        '1000',
      ]
      const where = ['--topology-required', 'zone=b', '--limit-bytes', '2000']
      expect(await docker('volume', 'create', '--driver', 'csi', ...how, ...where, 'byhand')).toBe('byhand\n')
      const { ClusterVolume } = await until(first, '/volumes/byhand', (body) => body.ClusterVolume.Info !== undefined)
      expect(ClusterVolume).toMatchObject({
        Spec: { Group: 'team', AccessMode: { Scope: 'multi', Sharing: 'all' }, CapacityRange: { LimitBytes: 2000 } },
        Info: { CapacityBytes: 1000, AccessibleTopology: [{ Segments: { zone: 'b' } }] },
      })
      expect(await docker('volume', 'ls', '--cluster')).toMatch(/byhand +team +csi:latest +active +created/)
      await docker('volume', 'update', '--availability', 'pause', 'byhand')
      expect(await docker('volume', 'ls', '--cluster')).toMatch(/byhand .* pause /)
      expect(await docker('volume', 'rm', 'byhand')).toBe('byhand\n')
      await until(first, '/volumes/byhand', ({ message }) => message !== undefined)
    },
  )

  it('ENG-475 ENG-476 ENG-477 ENG-479 ENG-480 ENG-692 are made by a plugin, brought to tasks of all nodes, and removed', {
    timeout: 120_000,
  }, async () => {
    const Data = Buffer.from('open sesame').toString('base64')
    await first.call('POST', '/secrets/create', { Name: 'key', Data })
    const AccessMode = { Scope: 'multi', Sharing: 'all', MountVolume: { FsType: 'ext4' } }
    const Secrets = [{ Key: 'password', Secret: 'key' }]
    const CapacityRange = { RequiredBytes: 4_000_000_000, LimitBytes: 8_000_000_000 }
    await made(
      'shared',
      { AccessMode, Secrets, CapacityRange },
      { DriverOpts: { tier: 'fast' }, Labels: { team: 'x' } },
    )
    expect(calls('shared')).toEqual([
      {
        ...{ by: 'one', method: 'Controller/CreateVolume', name: 'shared', required: 4e9, limit: 8e9, requisite: [] },
        ...{ capability: { mode: 5, fsType: 'ext4' }, parameters: { tier: 'fast' } },
        secrets: { password: 'open sesame' },
      },
    ])
    expect((await use('users', 'shared', 2, { Placement: { MaxReplicas: 1 } })).status).toBe(201)
    const tasks = await running(first, 'users', 2)
    expect(new Set(tasks.map(({ NodeID }) => NodeID)).size).toBe(2)
    const [writer, reader] = tasks as [Task, Task]
    await inside(writer, 'echo said here > /data/word')
    expect(await inside(reader, 'cat /data/word')).toBe('said here\n')
    const { body } = await first.call('GET', '/volumes/shared')
    expect(body).toMatchObject({
      ...{ Name: 'shared', Driver: 'csi:latest', Scope: 'global', Options: { tier: 'fast' }, Labels: { team: 'x' } },
      ClusterVolume: {
        Spec: { AccessMode, Secrets, Availability: 'active' },
        Info: { VolumeID: 'made-shared', CapacityBytes: 4e9, VolumeContext: { path: '/state/volumes/made-shared' } },
        PublishStatus: [{ State: 'published' }, { State: 'published' }],
      },
    })
    expect(JSON.stringify(body)).not.toContain('sesame')
    const listed = (await first.call('GET', '/volumes?filters={"label":["team=x"]}')).body.Volumes
    expect(listed).toEqual([body])
    expect((await first.call('GET', '/v1.41/volumes')).body.Volumes[0]).not.toHaveProperty('ClusterVolume')
    const used = (await first.call('GET', '/system/df?type=volume')).body.Volumes
    expect(used).toEqual([{ ...body, UsageData: { Size: -1, RefCount: 2 } }])
    expect(calls('shared').find(({ by, method }) => by === 'two' && method === 'Node/NodeStageVolume')).toMatchObject({
      ...{ published: { for: 'csi-two' }, secrets: { password: 'open sesame' } },
      context: { path: '/state/volumes/made-shared' },
    })
    const busy = await first.call('DELETE', '/volumes/shared')
    expect([busy.status, busy.body.message]).toEqual([409, expect.stringContaining('volume is in use')])
    for (const node of [first, second]) {
      const disabled = await node.call('POST', '/plugins/csi/disable')
      expect([disabled.status, disabled.body.message]).toEqual([409, expect.stringContaining('in use: volume shared')])
    }
    expect((await first.call('DELETE', '/secrets/key')).body.message).toContain('in use by volumes: shared')
    await removeService('users')
    await removed('shared')
    expect(methodsOf('shared', 'two')).toEqual([
      ...['NodeStageVolume', 'NodePublishVolume', 'NodeUnpublishVolume', 'NodeUnstageVolume'],
    ])
    const byController = methodsOf('shared').filter((method) => !method.startsWith('Node'))
    expect(byController).toEqual([
      ...['CreateVolume', 'ControllerPublishVolume', 'ControllerPublishVolume'],
      ...['ControllerUnpublishVolume', 'ControllerUnpublishVolume', 'DeleteVolume'],
    ])
    expect(readdirSync(join(state, 'volumes'))).toEqual([])
    expect((await first.call('DELETE', '/secrets/key')).status).toBe(204)
    const told = (await pastEvents(first)).filter(
      ({ Type, Actor }) => Type === 'volume' && Actor.Attributes.name === 'shared',
    )
    expect([told[0]?.Action, told.at(-1)?.Action]).toEqual(['create', 'destroy'])
  })

  it('ENG-478 are left by their tasks when they are drained, and used again when they are active', {
    timeout: 120_000,
  }, async () => {
    await made('drained', { AccessMode: { Scope: 'single', Sharing: 'onewriter' } })
    expect((await use('writer', 'drained', 2)).status).toBe(201)
    await running(first, 'writer', 1)
    const waiting = (all: Task[]) => all.filter(({ Status }) => Status.State === 'pending')
    const [task] = waiting(await until(first, tasksOf('writer'), (all) => waiting(all).length === 1))
    expect(task?.Status).toMatchObject({
      Err: expect.stringContaining('no volume of the cluster can be used on 2 nodes'),
    })
    await setAvailability('drained', 'drain')
    await leftAlone('drained')
    expect((await until(first, tasksOf('writer'), (all) => all.filter(isRunning).length === 0)).length).toBeGreaterThan(
      1,
    )
    const { ClusterVolume } = (await first.call('GET', '/volumes/drained')).body
    const path = `/volumes/drained?version=${ClusterVolume.Version.Index}`
    const renamed = await first.call('PUT', path, { Spec: { ...ClusterVolume.Spec, Group: 'other' } })
    expect([renamed.status, renamed.body.message]).toEqual([400, 'only updates to Availability are allowed'])
    const late = await first.call('PUT', '/volumes/drained?version=1', { Spec: ClusterVolume.Spec })
    expect([late.status, late.body.message]).toEqual([400, 'update out of sequence'])
    await setAvailability('drained', 'active')
    const [kept] = await running(first, 'writer', 1)
    // Neither the manager nor the node remembers what it has done: the volume stays, and is let go of all the same.
    for (const node of [first, second]) await node.restart()
    expect((await running(first, 'writer', 1)).map(({ ID }) => ID)).toEqual([kept?.ID])
    await inside(kept as Task, 'touch /data/still-there')
    await removeService('writer')
    await removed('drained')
  })

  it('are used where they can be reached, one for each task of a group', { timeout: 120_000 }, async () => {
    const AccessibilityRequirements = { Requisite: [{ Segments: { zone: 'b' } }] }
    for (const name of ['left', 'right']) await made(name, { Group: 'pair', AccessibilityRequirements })
    expect((await use('pairs', 'group:pair', 3)).status).toBe(201)
    const tasks = await running(first, 'pairs', 2)
    expect(tasks.map(({ NodeID }) => nodeOf.get(NodeID))).toEqual([second, second])
    for (const [at, task] of tasks.entries()) await inside(task, `echo ${at} > /data/number`)
    const words = ['left', 'right'].map((name) =>
      readFileSync(join(state, 'volumes', `made-${name}`, 'number'), 'utf8'),
    )
    expect(words.sort()).toEqual(['0\n', '1\n'])
    await removeService('pairs')
    for (const name of ['left', 'right']) await removed(name)
  })

  it('tell what keeps their plugin from making them, and are made when it can', { timeout: 60_000 }, async () => {
    expect((await create('late', {}, { DriverOpts: { needs: 'room' } })).status).toBe(201)
    const { Status } = await until(first, '/volumes/late', (body) => body.Status !== undefined)
    expect(Status.Problem).toBe('CreateVolume: plugin csi:latest: there is no room left'.replace('C', 'Controller/C'))
    writeFileSync(join(state, 'room'), '')
    const { Status: after } = await until(
      first,
      '/volumes/late',
      ({ ClusterVolume }) => ClusterVolume.Info !== undefined,
    )
    expect(after).toBeUndefined()
    expect((await first.call('DELETE', '/volumes/late?force=1')).status).toBe(204)
    expect((await first.call('GET', '/volumes/late')).status).toBe(404)
    // Whatever the plugin has of it.
    expect(readdirSync(join(state, 'volumes'))).toEqual(['made-late'])
  })

  it('are refused where they make no sense', async () => {
    const refused: [spec: object, more: object, status: number, words: string][] = [
      [{ AccessMode: { BlockVolume: {} } }, {}, 501, 'block devices are not supported'],
      [{ CapacityRange: { RequiredBytes: 2, LimitBytes: 1 } }, {}, 400, 'less than the 2 bytes'],
      [{ Secrets: [{ Key: 'a', Secret: 'none' }] }, {}, 400, 'secret not found: none'],
      [{ Availability: 'gone' }, {}, 400, 'Availability'],
      [{}, { Driver: '' }, 400, 'needs a driver'],
      [{}, { Name: '../x' }, 400, 'invalid characters'],
    ]
    for (const [spec, more, status, words] of refused) {
      const answer = await create('odd', spec, more)
      expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(words)])
    }
    expect((await first.call('GET', '/volumes')).body.Volumes).toEqual([])
    const elsewhere = await second.call('POST', '/volumes/create', { Name: 'x', Driver: 'csi', ClusterVolumeSpec: {} })
    expect([elsewhere.status, elsewhere.body.message]).toEqual([503, expect.stringContaining('not a swarm manager')])
    const HostConfig = { Mounts: [{ Type: 'cluster', Source: 'shared', Target: '/data' }] }
    const alone = await first.call('POST', '/containers/create', { Image: 'busybox', HostConfig })
    expect([alone.status, alone.body.message]).toEqual([400, expect.stringContaining('is for services')])
  })
})
