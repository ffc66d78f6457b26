// Stands for an attacker who left Python, WebAssembly and Node's permissions behind: JavaScript that may do whatever its
// process may. It tries each attack and tells what came of it: `got`, or the error.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

export interface Targets {
  secret: string
  port: number
  /** Of the server that started it. */
  server: number
  writable: string
}

const targets = JSON.parse(process.argv[2] ?? '{}') as Targets
const ownFile = fileURLToPath(new URL('./escaped-attacker-was-here', import.meta.url))

async function attempt(work: () => unknown): Promise<string> {
  try {
    await work()
    return 'got'
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    return code ?? name
  }
}

const happens = (start: (resolve: () => void, reject: (error: Error) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => start(resolve, reject))

const attacks: Record<string, () => unknown> = {
  'a secret of its user': () => readFileSync(targets.secret),
  'the password file': () => readFileSync('/etc/passwd'),
  'the list of processes': () => readdirSync('/proc'),
  "the server's memory map": () => readFileSync(`/proc/${targets.server}/maps`),
  'a folder to write to': () => {
    writeFileSync(targets.writable, '')
    rmSync(targets.writable)
  },
  'its own code': () => {
    writeFileSync(ownFile, '')
    rmSync(ownFile)
  },
  'a port of the machine': () =>
    happens((resolve, reject) => connect(targets.port, '127.0.0.1', resolve).once('error', reject)),
  'a port of its own': () =>
    happens((resolve, reject) => createServer().once('error', reject).listen(0, '127.0.0.1', resolve)),
  'a socket by name': () =>
    happens((resolve, reject) =>
      createServer().once('error', reject).listen(`\0atoll-escaped-${targets.server}`, resolve),
    ),
  'a signal to the server': () => process.kill(targets.server, 0),
  'a process': () => {
    const { error } = spawnSync(process.execPath, ['--version'])
    if (error !== undefined) throw error
  },
  'more memory than it may take': () => new ArrayBuffer(3 * 2 ** 30),
}

const found: Record<string, string> = {}
for (const [name, work] of Object.entries(attacks)) found[name] = await attempt(work)
process.stdout.write(JSON.stringify(found), () => process.exit(0))
