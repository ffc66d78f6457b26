// Two PostgreSQL servers under Patroni, a primary and a synchronous standby, with one member of etcd.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { lacking } from '@atoll/testkit/lacking'
import { postgresInstall } from '@atoll/testkit/postgres'
import type { GroupDatabase } from './database.ts'

const startMs = 90_000
const failoverMs = 90_000
const lookMs = 100
const etcdPort = 2379
const members = [0, 1].map((number) => ({ port: 5440 + number, checkPort: 8440 + number, name: `postgres${number}` }))

/** For the name of what is skipped; empty when nothing lacks. */
export const lackingPatroni = (): string => lacking('patroni', 'etcd')

interface ClusterState {
  members?: { role: string; state: string }[]
}

export async function startPatroni(): Promise<GroupDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-patroni-'))
  await chmod(folder, 0o755)
  const password = randomBytes(16).toString('hex')
  const processes = [startEtcd(folder)]
  for (const member of members) processes.push(await startMember(folder, member, password))
  await until('a primary with a synchronous standby', isWhole, startMs)
  return {
    what: 'PostgreSQL under Patroni with a synchronous standby',
    servers: members,
    url: (host, port) => `postgres://postgres:${password}@${host}:${port}/postgres`,
    async killPrimary() {
      await until('a primary with a synchronous standby', isWhole, failoverMs)
      const { name = '' } = (await primary()) ?? {}
      const killed = await postmaster(folder, name)
      process.kill(killed, 'SIGKILL')
      const isAnother = async () => {
        const now = await primary()
        return now !== undefined && (await postmaster(folder, now.name).catch(() => killed)) !== killed
      }
      await until('another primary', isAnother, failoverMs)
    },
    async freeze(work) {
      const { name = '' } = (await primary()) ?? {}
      const first = await postmaster(folder, name)
      const children = (await readFile(`/proc/${first}/task/${first}/children`, 'utf8')).trim().split(' ').map(Number)
      for (const id of [first, ...children]) signal(id, 'SIGSTOP')
      try {
        await work()
      } finally {
        for (const id of [first, ...children]) signal(id, 'SIGCONT')
      }
    },
    async stop() {
      for (const child of processes.reverse()) await ended(child)
      for (const { name } of members) signal(await postmaster(folder, name).catch(() => 0), 'SIGQUIT')
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

function startEtcd(folder: string): ChildProcess {
  const address = `http://127.0.0.1:${etcdPort}`
  const args = ['--data-dir', join(folder, 'etcd'), '--listen-client-urls', address, '--advertise-client-urls', address]
  // Debian's says that it is not tried on other processors than AMD's and Intel's.
  const env = { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch }
  return logged(join(folder, 'etcd.log'), 'etcd', [...args, '--listen-peer-urls', 'http://127.0.0.1:2380'], { env })
}

async function startMember(folder: string, member: (typeof members)[number], password: string): Promise<ChildProcess> {
  const { bin, user } = postgresInstall()
  const home = join(folder, member.name)
  await mkdir(home)
  const config = join(home, 'patroni.json')
  await writeFile(config, JSON.stringify(settings(home, member, bin, password)), { mode: 0o600 })
  if (user) for (const path of [home, config]) await chown(path, user.uid, user.gid)
  return logged(join(folder, `${member.name}.log`), 'patroni', [config], { cwd: home, ...user })
}

function settings(home: string, { name, port, checkPort }: (typeof members)[number], bin: string, password: string) {
  const rest = `127.0.0.1:${checkPort}`
  const own = `127.0.0.1:${port}`
  return {
    scope: 'chaos',
    name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { hosts: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      // The quickest that Patroni takes; a primary that is dead is not waited for.
      dcs: {
        ...{ ttl: 20, loop_wait: 1, retry_timeout: 3, primary_start_timeout: 0, synchronous_mode: true },
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 200, max_wal_senders: 10 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'no-sync'],
    },
    postgresql: {
      ...{ listen: own, connect_address: own, data_dir: join(home, 'data'), bin_dir: bin, pgpass: join(home, 'pass') },
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'replicator', password },
      },
      parameters: { unix_socket_directories: home },
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication replicator 127.0.0.1/32 scram-sha-256'],
      basebackup: [{ checkpoint: 'fast' }],
    },
  }
}

function logged(file: string, command: string, args: string[], options: object): ChildProcess {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const log = createWriteStream(file)
  child.stdout?.pipe(log)
  child.stderr?.pipe(log)
  return child
}

/** A standby that Patroni itself knows to be synchronous: none else takes over. */
async function isWhole(): Promise<boolean> {
  const answers = members.map(async ({ checkPort }) => {
    const answer = await fetch(`http://127.0.0.1:${checkPort}/cluster`, { signal: AbortSignal.timeout(2_000) })
    return (await answer.json()) as ClusterState
  })
  const [state = {}] = (await Promise.allSettled(answers)).flatMap((one) => ('value' in one ? [one.value] : []))
  return state.members?.some(({ role, state: how }) => role === 'sync_standby' && how === 'running') ?? false
}

async function primary(): Promise<(typeof members)[number] | undefined> {
  for (const member of members) {
    const { status } = await fetch(`http://127.0.0.1:${member.checkPort}/primary`, {
      signal: AbortSignal.timeout(2_000),
    }).catch(() => ({ status: 0 }))
    if (status === 200) return member
  }
  return undefined
}

async function until(what: string, look: () => Promise<boolean>, ms: number): Promise<void> {
  const giveUpAt = performance.now() + ms
  while (!(await look())) {
    if (performance.now() > giveUpAt) throw new Error(`Patroni did not come to ${what} in ${ms / 1000} s.`)
    await pause(lookMs)
  }
}

const postmaster = async (folder: string, name: string): Promise<number> =>
  Number((await readFile(join(folder, name, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])

/** It may have ended a moment ago. */
function signal(id: number, name: NodeJS.Signals): void {
  try {
    if (id > 1) process.kill(id, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
