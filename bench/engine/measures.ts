// What is measured of each engine, one after the other in a round.
import { createReadStream } from 'node:fs'
import { request } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { IsolatedHost } from '@atoll/engine/testing/isolated'
import { median } from '../measure.ts'
import { bigName } from './images.ts'
import type { Peer } from './peers.ts'

const runRepeats = 5
const lifeRepeats = 4
const execRepeats = 3
const eventRepeats = 30
const loadSeconds = 1
/** A round ends with a restart: without it the first second of a new process would be measured. */
const warmUpSeconds = 2
const wholeFleet = 100
const keptContainers = 5

/** Ends at once when asked to. */
const patient = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.05; done']

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

export async function runByCli(peer: Peer): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < runRepeats; index++) {
    times.push(await timed(() => peer.cli('run', '--rm', 'busybox', 'true')))
  }
  return median(times)
}

export interface Life {
  start: number
  exec: number
  stop: number
}

/** Start, exec and stop of containers on the default network. */
export async function lives({ client }: Peer): Promise<Life> {
  const starts: number[] = []
  const execs: number[] = []
  const stops: number[] = []
  for (let index = 0; index < lifeRepeats; index++) {
    const { Id } = await client.ask<{ Id: string }>('POST', '/containers/create', { Image: 'busybox', Cmd: patient })
    starts.push(await timed(() => client.ask('POST', `/containers/${Id}/start`)))
    for (let exec = 0; exec < execRepeats; exec++) {
      execs.push(await timed(() => client.exec(Id, ['true'])))
    }
    stops.push(await timed(() => client.ask('POST', `/containers/${Id}/stop?t=10`)))
    await client.ask('DELETE', `/containers/${Id}?force=1`)
  }
  return { start: median(starts), exec: median(execs), stop: median(stops) }
}

/** A hundred containers at rest. */
export async function makeFleet({ client }: Peer): Promise<void> {
  for (let index = 0; index < wholeFleet; index++) {
    await client.ask('POST', `/containers/create?name=fleet-${index}`, { Image: 'busybox', Cmd: patient })
  }
}

export interface Rate {
  perSecond: number
  /** Of the engine's own processes: unlike the rate, other programs on this machine hardly change it. */
  cpuMicros: number
}

/** Asked for where the engine is, once it is warm. Undefined: it listens on no port. */
export async function rate(
  host: IsolatedHost,
  peer: Peer,
  path: string,
  connections: number,
): Promise<Rate | undefined> {
  const { name, tcpPort } = peer
  if (tcpPort === undefined) return undefined
  const load = async (seconds: number): Promise<string> => {
    const url = `http://127.0.0.1:${tcpPort}${path}`
    const { stdout } = await host.run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, url])
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${name} did not answer every request:\n${stdout}`)
    return stdout
  }
  await load(warmUpSeconds)
  const before = peer.cpuSeconds
  const told = await load(loadSeconds)
  const cpuMicros = (peer.cpuSeconds - before) * 1e6
  const perSecond = /Requests\/sec:\s+([\d.]+)/.exec(told)?.[1]
  const count = /(\d+) requests in/.exec(told)?.[1]
  if (perSecond === undefined || count === undefined) throw new Error(`wrk said nothing of a rate:\n${told}`)
  return { perSecond: Number(perSecond), cpuMicros: cpuMicros / Number(count) }
}

/** From asking for a change (a rename) until the event that tells of it is here. */
export async function eventLatency({ client }: Peer): Promise<number> {
  const filters = encodeURIComponent(JSON.stringify({ event: ['rename'] }))
  const stream = await client.open('GET', `/events?filters=${filters}`)
  const times: number[] = []
  try {
    for (let index = 0; index < eventRepeats; index++) {
      const heard = new Promise<void>((resolve) => stream.once('data', () => resolve()))
      const from = index % 2 === 0 ? 'fleet-0' : 'fleet-renamed'
      const to = index % 2 === 0 ? 'fleet-renamed' : 'fleet-0'
      const began = performance.now()
      const answered = client.ask('POST', `/containers/${from}/rename?name=${to}`)
      await heard
      times.push(performance.now() - began)
      await answered
    }
  } finally {
    stream.destroy()
  }
  return median(times)
}

/** A tar archive in the body of a request, to its end. */
export function send(peer: Peer, path: string, archive: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-tar' }
    const sent = request({ method: 'POST', path, socketPath: peer.client.socketPath, headers })
    sent.once('error', reject)
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('end', () => {
        if (response.statusCode === 200 && !text.includes('errorDetail')) resolve()
        else reject(new Error(`${peer.name} answered ${path} with ${response.statusCode}: ${text}`))
      })
    })
    pipeline(createReadStream(archive, { highWaterMark: 1024 * 1024 }), sent).catch(reject)
  })
}

export async function loadImage(peer: Peer, archive: string): Promise<number> {
  const time = await timed(() => send(peer, '/images/load?quiet=1', archive))
  await peer.client.ask('DELETE', `/images/${bigName}?force=1`)
  return time
}

/** An engine that has found its hundred containers again, and what it takes then. */
export async function restart(peer: Peer): Promise<{ start: number; megabytes: number }> {
  await peer.stop()
  const start = await peer.start()
  await peer.client.ask('GET', '/containers/json?all=1')
  return { start, megabytes: peer.daemonMegabytes }
}

/** What stays for each running container. */
export async function keeperMemory(peer: Peer): Promise<number> {
  const { client } = peer
  const ids: string[] = []
  for (let index = 0; index < keptContainers; index++) {
    const { Id } = await client.ask<{ Id: string }>('POST', '/containers/create', { Image: 'busybox', Cmd: patient })
    ids.push(Id)
    await client.ask('POST', `/containers/${Id}/start`)
  }
  const megabytes = peer.keeperMegabytes / keptContainers
  for (const id of ids) await client.ask('DELETE', `/containers/${id}?force=1`)
  return megabytes
}
