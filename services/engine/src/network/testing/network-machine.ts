// Runs on an isolated host: networks with their interface on a socket, and containers that are just processes in
// network namespaces of their own.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createKernel } from '@atoll/kernel/create-kernel'
import type { Listener } from '@atoll/kernel/http/listen'
import type { Kernel } from '@atoll/kernel/kernel'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { type EngineEvent, EngineEvents } from '../../events/engine-events.ts'
import type { EndpointSettings } from '../../resources/containers/schema.ts'
import { createNetworks } from '../../resources/networks/create-networks.ts'
import { networksMigration } from '../../resources/networks/migration.ts'
import { networkRoutes } from '../../resources/networks/routes.ts'
import type { Networks } from '../../resources/networks/service.ts'
import { serveRoutes } from '../../testing/serve-routes.ts'
import type { BridgeNetworking } from '../bridge-networking.ts'
import { askedEndpoint } from '../endpoint-grant.ts'
import type { AttachedNetworks, NetworkedContainer, NetworkUsers } from '../networking.ts'

interface Container extends NetworkedContainer, AttachedNetworks {
  running: boolean
  process?: ChildProcess
}

export type Wish = Partial<
  Pick<NetworkedContainer, 'endpoints' | 'portBindings' | 'exposedPorts' | 'publishAllPorts' | 'hostname' | 'dns'>
>

const containers = new Map<string, Container>()
let kernel: Kernel
let events: EngineEvents
let networking: BridgeNetworking
let networks: Networks
let listener: Listener

const find = (name: string): Container => {
  const found = [...containers.values()].find((one) => one.name === name || one.id.startsWith(name))
  if (found === undefined) throw new Error(`no container ${name}`)
  return found
}

const users: NetworkUsers = {
  containersOn: (network) =>
    [...containers.values()].flatMap(({ id, name, running, endpoints }) => {
      const endpoint = endpoints[network]
      return endpoint === undefined ? [] : [{ id, name, running, endpoint }]
    }),
  find: (name) => [...containers.values()].find((one) => one.name === name || one.id.startsWith(name)),
  async setEndpoint(id, network, endpoint) {
    const container = find(id)
    if (endpoint === undefined) delete container.endpoints[network]
    else container.endpoints[network] = endpoint
  },
  networked: (id) => find(id),
}

/** Starts, or starts again after `crash`: with what is in the folder and the containers that run. */
export async function start(folder: string): Promise<void> {
  mkdirSync(`${folder}/engine`, { recursive: true })
  const log = createLog({ level: 'warn', destination: process.stderr })
  kernel = await createKernel({
    config: { data: folder, database: { poolSize: 2 }, blobs: {} },
    log,
    migrations: [networksMigration],
  })
  events = new EngineEvents(() => Date.now())
  ;({ networking, networks } = createNetworks({ kernel, events, folder: `${folder}/engine`, users: () => users }))
  await networks.load()
  await networking.restore([...containers.values()].filter(({ running }) => running))
  const options = { address: { socketPath: `${folder}/engine.sock` }, blobFolder: `${folder}/bodies`, log }
  listener = await serveRoutes({ routes: networkRoutes(networks) }, options)
}

/** What a killed engine leaves: links, rules and containers stay as they are. */
export async function crash(): Promise<void> {
  await listener.close(100)
  await networking.close()
  await kernel.close()
}

/** Makes a container that does not run. */
export function create(name: string, wish: Wish = {}): string {
  const id = randomBytes(32).toString('hex')
  containers.set(id, {
    id,
    name,
    hostname: '',
    pid: 0,
    endpoints: { bridge: {} as EndpointSettings },
    portBindings: {},
    exposedPorts: [],
    publishAllPorts: false,
    dns: { servers: [], search: [], options: [] },
    ports: {},
    running: false,
    ...wish,
  })
  return id
}

/** A machine outside, 198.51.100.2, that sends all it has for others to the host, 198.51.100.1. */
export async function startWorld(): Promise<void> {
  create('world', { endpoints: {} })
  const pid = await startProcess(find('world'))
  const inWorld = [`--net=/proc/${pid}/ns/net`, 'sh', '-c']
  await run('ip', ['link', 'add', 'uplink', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)])
  await run('ip', ['addr', 'add', '198.51.100.1/24', 'dev', 'uplink'])
  await run('ip', ['addr', 'add', '2001:db8::1/64', 'dev', 'uplink', 'nodad'])
  await run('ip', ['link', 'set', 'uplink', 'up'])
  const addresses = 'ip addr add 198.51.100.2/24 dev eth0; ip addr add 2001:db8::2/64 dev eth0 nodad'
  const routes = 'ip route add default via 198.51.100.1; ip route add default via 2001:db8::1'
  await run('nsenter', [...inWorld, `ip link set lo up; ${addresses}; ip link set eth0 up; ${routes}`])
}

/** Milliseconds that its networks took stand in `tookMs`. */
export async function startContainer(name: string): Promise<AttachedNetworks & { tookMs: number; pid: number }> {
  const container = find(name)
  await startProcess(container)
  try {
    const before = performance.now()
    const attached = await networking.attach(container)
    const tookMs = performance.now() - before
    Object.assign(container, attached, { running: true })
    return { ...attached, tookMs, pid: container.pid }
  } catch (problem) {
    container.process?.kill('SIGKILL')
    throw problem
  }
}

async function startProcess(container: Container): Promise<number> {
  const child = spawn('unshare', ['--net', 'sleep', '3600'], { stdio: 'ignore' })
  await once(child, 'spawn')
  container.process = child
  container.pid = child.pid ?? 0
  await waitForNamespace(container.pid)
  return container.pid
}

async function waitForNamespace(pid: number): Promise<void> {
  const mine = await run('readlink', ['/proc/self/ns/net'])
  while ((await run('readlink', [`/proc/${pid}/ns/net`])) === mine) {
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

export async function runContainer(name: string, wish: Wish = {}): Promise<AttachedNetworks & { tookMs: number }> {
  create(name, wish)
  return startContainer(name)
}

export async function stopContainer(name: string): Promise<void> {
  const container = find(name)
  container.process?.kill('SIGKILL')
  await networking.detach(container.id)
  container.running = false
  container.ports = {}
  container.endpoints = Object.fromEntries(
    Object.entries(container.endpoints).map(([network, endpoint]) => [network, askedEndpoint(endpoint)]),
  )
}

export async function removeContainer(name: string): Promise<void> {
  const container = find(name)
  if (container.running) await stopContainer(name)
  containers.delete(container.id)
}

/** A process that dies while the engine is down. */
export function loseContainer(name: string): void {
  const container = find(name)
  container.process?.kill('SIGKILL')
  container.running = false
}

export const idOf = (name: string): string => find(name).id
export const endpointsOf = (name: string): Record<string, EndpointSettings> => find(name).endpoints
export const check = (endpoints: Record<string, EndpointSettings>): Promise<string[]> => networking.check(endpoints)
export const resolvConf = (name: string): Promise<string> => networking.resolvConf(find(name))
export const stats = (name: string) => networking.stats(find(name).id)
export const rename = (name: string, next: string) => {
  const container = find(name)
  container.name = next
  return networking.renamed(container.id, next)
}
export const pastEvents = (): EngineEvent[] => events.past.map(({ event }) => event)

function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: 15_000 }, (problem, stdout, stderr) =>
      resolve(problem === null ? stdout : `failed: ${stdout}${stderr}${problem.code}`),
    )
  })
}

/** On the host. */
export const onHost = (command: string, ...args: string[]): Promise<string> => run(command, args)
/** In the network of a container. */
export const inside = (name: string, command: string, ...args: string[]): Promise<string> =>
  run('nsenter', [`--net=/proc/${find(name).pid}/ns/net`, command, ...args])

/** A page on port 80 of a container that says its name. */
export async function serve(name: string, folder: string, port = 80): Promise<void> {
  const pages = `${folder}/pages-${name}`
  mkdirSync(pages, { recursive: true })
  writeFileSync(`${pages}/index.html`, name)
  const net = `--net=/proc/${find(name).pid}/ns/net`
  spawn('nsenter', [net, 'busybox', 'httpd', '-f', '-p', `${port}`, '-h', pages], { stdio: 'ignore' })
  await waitFor(name, () => run('nsenter', [net, 'busybox', 'wget', '-qO-', `http://127.0.0.1:${port}/`]))
}

const udpEcho = `const s=require('dgram').createSocket('udp4');s.on('message',(m,f)=>s.send('echo '+m,f.port,f.address));s.bind(Number(process.argv[1]),()=>console.log('ready'))`

const whoAsks = `require('http').createServer((q,a)=>a.end(q.socket.remoteAddress)).listen(Number(process.argv[1]),()=>console.log('ready'))`

/** A page that says the address of whoever asks for it. */
export async function serveWhoAsks(name: string, port: number): Promise<void> {
  const net = `--net=/proc/${find(name).pid}/ns/net`
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  const child = spawn('nsenter', [net, process.execPath, '-e', whoAsks, `${port}`], { stdio: [...stdio] })
  if (child.stdout !== null) await once(child.stdout, 'data')
}

const tcpQuestion = `
const [server, name] = process.argv.slice(1)
const labels = Buffer.concat(name.split('.').map((l) => Buffer.from(String.fromCharCode(l.length) + l)))
const head = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
const query = Buffer.concat([head, labels, Buffer.from([0, 0, 1, 0, 1])])
const socket = require('net').connect(53, server, () => socket.write(Buffer.concat([Buffer.from([0, query.length]), query])))
let got = Buffer.alloc(0)
socket.on('data', (d) => {
  got = Buffer.concat([got, d])
  if (got.length < 2 || got.length < 2 + got.readUInt16BE(0)) return
  console.log(got.subarray(-4).join('.'))
  socket.end()
})`

/** Asks for an IPv4 address over TCP; the last address of the answer. */
export const askByTcp = (name: string, server: string, host: string): Promise<string> =>
  inside(name, process.execPath, '-e', tcpQuestion, server, host)

export async function serveUdp(name: string, port: number): Promise<void> {
  const net = `--net=/proc/${find(name).pid}/ns/net`
  const child = spawn('nsenter', [net, process.execPath, '-e', udpEcho, `${port}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout, 'data')
}

async function waitFor(answer: string, look: () => Promise<string>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if ((await look()) === answer) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('nobody listens')
}
