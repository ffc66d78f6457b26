// Starts and stops one PostgreSQL server in a temporary folder, on loopback.
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connect } from '@atoll/kernel/db/postgres/connection'
import { freePort } from './free-port.ts'
import { dataParent } from './memory-disk.ts'
import { shared } from './shared-folder.ts'

export interface PostgresInstall {
  bin: string
  /** PostgreSQL refuses to run as root; then its packages' own user runs it. */
  user: { uid: number; gid: number } | undefined
}

export interface PostgresServer {
  url: string
  /** Ends the server without ceremony and starts it again on the same port. */
  restart(): Promise<void>
  /** The same, with `work` done while there is no server. */
  without(work: () => Promise<void>): Promise<void>
  /** With the server's processes stopped: connections stay, and nothing is answered on them. */
  frozen(work: () => Promise<void>): Promise<void>
  stop(): Promise<void>
  /** Stops in an orderly way and leaves what another server can start from. */
  stopInto(place: string): Promise<void>
}

/** What servers of a whole run hold from their start. */
interface Content {
  name: string
  fill(url: string): Promise<void>
}

/** `settings` are the server's, e.g. `['fsync=off']`. */
export async function startPostgres(
  install: PostgresInstall,
  settings: string[],
  content?: Content,
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(dataParent(), 'atoll-postgres-'))
  const password = await initialise(install, folder, content && (await filled(install, settings, content)))
  const port = await freePort()
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const options = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', ...settings]
  const run = () => runServer(install, folder, options)
  let end = run()
  await untilAnswers(url, folder)
  const without = async (work: () => Promise<void>): Promise<void> => {
    await end('keep')
    try {
      await work()
    } finally {
      end = run()
      await untilAnswers(url, folder)
    }
  }
  return {
    url,
    restart: () => without(async () => undefined),
    without,
    frozen: (work) => frozen(folder, work),
    stop: () => end('remove'),
    async stopInto(place) {
      await end('finish')
      await promisify(execFile)('cp', ['-a', join(folder, 'data'), place])
      await writeFile(join(place, 'password'), password, { mode: 0o600 })
      await rm(folder, { recursive: true })
    },
  }
}

async function frozen(folder: string, work: () => Promise<void>): Promise<void> {
  const [first = ''] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')
  const backends = (await readFile(`/proc/${first}/task/${first}/children`, 'utf8')).trim().split(' ')
  const processes = [first, ...backends].map(Number)
  for (const id of processes) process.kill(id, 'SIGSTOP')
  try {
    await work()
  } finally {
    for (const id of processes) process.kill(id, 'SIGCONT')
  }
}

const filled = (install: PostgresInstall, settings: string[], { name, fill }: Content) =>
  shared(`postgres_${name}`, async (place) => {
    const server = await startPostgres(install, settings)
    await fill(server.url).catch(async (error) => {
      await server.stop()
      throw error
    })
    await server.stopInto(place)
  })

/** Returns the password. */
async function initialise(install: PostgresInstall, folder: string, given: string | undefined): Promise<string> {
  const { user } = install
  if (user) await chown(folder, user.uid, user.gid)
  const made = given ?? (await shared('postgres', (place) => initdb(install, place)))
  if (made === undefined) await initdb(install, folder)
  else await promisify(execFile)('cp', ['-r', join(made, 'data'), folder], { ...user, cwd: folder })
  return readFile(join(made ?? folder, 'password'), 'utf8')
}

/** ICU's English order differs from the order of bytes: what relies on the server's locale fails in the tests. */
async function initdb({ bin, user }: PostgresInstall, folder: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 })
  if (user) for (const path of [passwordFile, folder]) await chown(path, user.uid, user.gid)
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en']
  const access = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  const args = [`--pgdata=${join(folder, 'data')}`, '--no-sync', ...locale, ...access]
  await promisify(execFile)(join(bin, 'initdb'), args, { ...user, cwd: folder })
}

/** The shell ends the server when it is told to, and also when the test process is gone, however it went. */
const keeper = `
trap '' INT TERM
folder=$1; shift
"$@" >>"$folder/log" 2>&1 </dev/null &
read -r word
[ "$word" = finish ] && kill -INT $! || kill -QUIT $!
wait $!
case $word in keep | finish) ;; *) rm -rf "$folder" ;; esac
`

function runServer({ bin, user }: PostgresInstall, folder: string, options: string[]) {
  const settings = options.flatMap((option) => ['-c', option])
  const server = [join(bin, 'postgres'), '-D', join(folder, 'data'), ...settings]
  const child = spawn('/bin/sh', ['-c', keeper, 'keeper', folder, ...server], {
    ...user,
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.unref()
  return async (then: 'keep' | 'finish' | 'remove') => {
    const exited = once(child, 'exit')
    child.ref()
    child.stdin.end(`${then}\n`)
    await exited
  }
}

async function untilAnswers(url: string, folder: string): Promise<void> {
  const patienceMs = 30_000
  const giveUpAt = Date.now() + patienceMs
  for (;;) {
    try {
      await (await connect(url)).end()
      return
    } catch (error) {
      if (Date.now() < giveUpAt) await pause(20)
      else throw new Error(`PostgreSQL did not start: ${await readFile(join(folder, 'log'), 'utf8')}`, { cause: error })
    }
  }
}
