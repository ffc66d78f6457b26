// Lists everything of an engine, on its machine and on disk, that belongs to none of its containers.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { linkNameOf } from '@atoll/engine/network/endpoint-grant'
import type { EngineClient } from '@atoll/engine/testing/engine-client'
import type { EngineServer } from './engine-server.ts'
import { leakedProcesses } from './leaked-processes.ts'

export const leakKinds = ['process', 'namespace', 'mount', 'link', 'firewall', 'cgroup', 'folder'] as const
type LeakKind = (typeof leakKinds)[number]

export interface Leak {
  kind: LeakKind
  what: string
}

export interface Owner {
  Id: string
  State: { Running: boolean }
  HostConfig: { PortBindings?: Record<string, { HostPort: string }[]> | null }
  NetworkSettings: { Networks: Record<string, { EndpointID: string }> }
  Mounts: { Type: string; Name?: string }[]
}

const cgroupRoot = '/sys/fs/cgroup'
const folderName = /^[0-9a-f]{64}$/
/** What the engine removes in the background, and what the kernel takes apart after the last process. */
const settleMs = 10_000

interface Baseline {
  mounts: string[]
  links: string[]
  rules: string[]
  layers: string[]
}

export class LeakCheck {
  readonly #server: EngineServer
  readonly #client: EngineClient
  readonly #folder: string
  readonly #before: Baseline

  private constructor(server: EngineServer, client: EngineClient, folder: string, before: Baseline) {
    this.#server = server
    this.#client = client
    this.#folder = folder
    this.#before = before
  }

  /** While there are no containers: what there is now belongs to the engine itself. */
  static async begin(server: EngineServer, client: EngineClient): Promise<LeakCheck> {
    const folder = join(server.folder, 'data/engine')
    const before = {
      mounts: await mountsOf(server),
      links: (await linksOf(server)).map(({ name }) => name),
      rules: (await firewallOf(server)).rules,
      layers: readdirSync(join(folder, 'layers')),
    }
    return new LeakCheck(server, client, folder, before)
  }

  /** `ids`: of all containers that ever were, for what carries no other sign of ours. */
  async run(ids: ReadonlySet<string>): Promise<Leak[]> {
    const deadline = performance.now() + settleMs
    for (;;) {
      const leaks = await this.#look(ids)
      if (leaks.length === 0 || performance.now() > deadline) return leaks
      await pause(100)
    }
  }

  async #look(ids: ReadonlySet<string>): Promise<Leak[]> {
    const listed = await this.#client.ask<{ Id: string }[]>('GET', '/containers/json?all=1')
    const owners = await Promise.all(
      listed.map(({ Id }) => this.#client.ask<Owner>('GET', `/containers/${Id}/json`).catch(() => undefined)),
    )
    const present = owners.flatMap((owner) => owner ?? [])
    const running = present.filter(({ State }) => State.Running)
    const of = (kind: LeakKind, whats: readonly string[]): Leak[] => whats.map((what) => ({ kind, what }))
    const runningIds = new Set(running.map(({ Id }) => Id))
    return [
      ...of('process', await leakedProcesses(this.#server.host, runningIds)),
      ...of('namespace', await this.#namespaces(running.length)),
      ...of('mount', missingFrom(this.#before.mounts, await mountsOf(this.#server))),
      ...of('link', await this.#links(running)),
      ...of('firewall', await this.#firewall(running)),
      ...of('cgroup', cgroups(new Set([...ids].filter((id) => !runningIds.has(id))))),
      ...of('folder', this.#folders(present, runningIds)),
    ]
  }

  /** A network namespace lives as long as a process in it: there is that of the machine, and one for each container. */
  async #namespaces(running: number): Promise<string[]> {
    const script = 'readlink /proc/[0-9]*/ns/net | sort -u'
    const { stdout } = await this.#server.host.run('sh', ['-c', script])
    const found = stdout.split('\n').filter(Boolean)
    return found.length <= running + 1 ? [] : [`${found.length} network namespaces, ${running} containers run`]
  }

  async #links(running: readonly Owner[]): Promise<string[]> {
    const wires = running.flatMap(({ NetworkSettings }) =>
      Object.values(NetworkSettings.Networks).map(({ EndpointID }) => linkNameOf(EndpointID)),
    )
    const names = (await linksOf(this.#server)).map(({ name }) => name)
    return missingFrom([...this.#before.links, ...wires], names)
  }

  async #firewall(running: readonly Owner[]): Promise<string[]> {
    const ports = running.flatMap(({ HostConfig }) =>
      Object.values(HostConfig.PortBindings ?? {}).flatMap((bindings) => bindings.map(({ HostPort }) => HostPort)),
    )
    const { rules, published } = await firewallOf(this.#server)
    return [
      ...missingFrom(this.#before.rules, rules),
      ...published.filter(({ port }) => !ports.includes(port)).map(({ text }) => text),
    ]
  }

  #folders(present: readonly Owner[], running: ReadonlySet<string>): string[] {
    const ids = new Set(present.map(({ Id }) => Id))
    const volumes = present.flatMap(({ Mounts }) => Mounts.flatMap(({ Name }) => Name ?? []))
    const stray = (folder: string, isOwned: (name: string) => boolean): string[] =>
      namesIn(join(this.#folder, folder))
        .filter((name) => !isOwned(name))
        .map((name) => `${folder}/${name}`)
    const runtimes = namesIn(join(this.#folder, 'run/.runtimes'))
    return [
      ...stray('containers', (name) => ids.has(name)),
      ...stray('run', (name) => ids.has(name) || !folderName.test(name)),
      ...runtimes.flatMap((runtime) => stray(`run/.runtimes/${runtime}`, (name) => running.has(name))),
      ...stray('layers', (name) => this.#before.layers.includes(name)),
      ...stray('staging', () => false),
      ...stray('volumes', (name) => volumes.includes(name)),
    ]
  }
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

const missingFrom = (known: readonly string[], found: readonly string[]): string[] =>
  found.filter((each) => !known.includes(each))

/** In the mount namespace of the machine, where the engine itself is. */
async function mountsOf({ host }: EngineServer): Promise<string[]> {
  const { stdout } = await host.run('cat', ['/proc/self/mounts'])
  return stdout.split('\n').filter(Boolean)
}

async function linksOf({ host }: EngineServer): Promise<{ name: string }[]> {
  const { stdout } = await host.run('ip', ['-json', 'link'])
  return (JSON.parse(stdout) as { ifname: string }[]).map(({ ifname }) => ({ name: ifname }))
}

interface FirewallState {
  /** Tables, chains, sets and rules. */
  rules: string[]
  published: { port: string; text: string }[]
}

type NftObject = Record<string, { name?: string; elem?: unknown[]; handle?: number }>

async function firewallOf({ host }: EngineServer): Promise<FirewallState> {
  const { stdout } = await host.run('nft', ['--json', 'list', 'ruleset'])
  const state: FirewallState = { rules: [], published: [] }
  for (const object of (JSON.parse(stdout) as { nftables: NftObject[] }).nftables) {
    const [kind = '', value = {}] = Object.entries(object)[0] ?? []
    const { handle: _, elem, ...rest } = value
    if (kind === 'metainfo') continue
    if (value.name?.startsWith('published')) {
      for (const each of elem ?? []) state.published.push({ port: hostPortOf(each), text: JSON.stringify(each) })
      state.rules.push(JSON.stringify({ kind, ...rest }))
    } else state.rules.push(JSON.stringify({ kind, ...rest, elem }))
  }
  return state
}

/** Of `[{ concat: ['tcp', 18000] }, …]`: the key's last part. */
function hostPortOf(element: unknown): string {
  const [key] = element as [{ concat?: unknown[] }]
  return String(key.concat?.at(-1) ?? '')
}

/** Where nothing runs, none may be. */
function cgroups(ids: ReadonlySet<string>): string[] {
  const parents = ['', ...namesIn(cgroupRoot)].map((controller) => join(cgroupRoot, controller, 'atoll'))
  return parents.flatMap((parent) =>
    namesIn(parent)
      .filter((name) => ids.has(name))
      .map((name) => join(parent, name)),
  )
}
