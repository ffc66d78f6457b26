// HAProxy in front of a group: the API by the nodes' /readyz, the database by who is primary, and the bucket.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { commonAddress } from './machines.ts'

export const apiPort = 8080
export const databasePort = 5432
export const storePort = 9000
const startMs = 10_000

export interface DatabaseServer {
  port: number
  /** Where Patroni tells whether this one is the primary; absent where there is only one. */
  checkPort?: number
}

interface Behind {
  nodes: readonly { name: string; address: string; port: number }[]
  databases: readonly DatabaseServer[]
  storePort: number
  /** What an answer of /readyz may take; a machine that is busy takes longer than one that has stopped. */
  checkSeconds?: number
}

/** Returns the way to stop it. */
export async function startBalancer(folder: string, behind: Behind): Promise<() => Promise<void>> {
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, configOf(behind))
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let told = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told = (told + text).slice(-4_000)
  })
  await untilListening(child, () => told)
  return async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
}

async function untilListening(child: ChildProcess, told: () => string): Promise<void> {
  const giveUpAt = performance.now() + startMs
  while (!(await listens())) {
    if (child.exitCode !== null || performance.now() > giveUpAt) throw new Error(`HAProxy did not start: ${told()}`)
    await pause(20)
  }
}

function listens(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(apiPort, commonAddress)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** A request that a node has begun to read is never sent to another: it may have taken effect. */
const configOf = ({ nodes, databases, storePort: storeAt, checkSeconds = 2 }: Behind): string => `
global
  maxconn 4000
  nbthread 1
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 20s
  timeout check ${checkSeconds}s
  timeout queue 5s
  timeout http-keep-alive 30s
  option redispatch 1
  retries 3
  retry-on conn-failure
listen api
  bind ${commonAddress}:${apiPort}
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  default-server check inter 300ms fastinter 200ms fall 2 rise 1
${nodes.map(({ name, address, port }) => `  server ${name} ${address}:${port}`).join('\n')}
listen database
  bind ${commonAddress}:${databasePort}
  mode tcp
  timeout client 1h
  timeout server 1h
${databaseLines(databases)}
listen store
  bind ${commonAddress}:${storePort}
  timeout server 1h
  server store 127.0.0.1:${storeAt}
`

function databaseLines(servers: readonly DatabaseServer[]): string {
  const lines = servers.map(({ port, checkPort }, at) => {
    const check = checkPort === undefined ? '' : ` check port ${checkPort} inter 300ms fall 2 rise 1`
    return `  server database${at} 127.0.0.1:${port}${check} on-marked-down shutdown-sessions`
  })
  const asking = servers.some(({ checkPort }) => checkPort !== undefined) ? ['  option httpchk GET /primary'] : []
  return [...asking, ...lines].join('\n')
}
