// How the operating system holds a Python process: no network, no sight of other processes, no rights, another user.
// What a machine does not allow is left out, and said.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const probeMs = 10_000
/** The user without rights, `nobody` everywhere. */
const nobody = 65534
const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

export interface Isolation {
  /** Put before the command. */
  prefix: string[]
  /** The prefix stays as the parent of the process. */
  forks: boolean
  /** What this machine could not give, in words. */
  missing: string[]
}

/** The strongest that works here, tried out by reading `files`, which the process must be able to read. */
export async function findIsolation(files: string[], isRoot = process.getuid?.() === 0): Promise<Isolation> {
  for (const candidate of candidates(isRoot)) if (await works(candidate, files)) return candidate
  return { prefix: [], forks: false, missing: ['its own network', 'its own user', 'an end together with the server'] }
}

function* candidates(isRoot: boolean): Generator<Isolation> {
  const unshare = find('unshare')
  const setpriv = find('setpriv')
  if (setpriv === undefined) return
  // Ends with its parent, whatever happens to that.
  const bound = [setpriv, '--pdeathsig', 'KILL']
  const plain = [...bound, '--no-new-privs', '--inh-caps=-all']
  const powerless = [...plain, '--bounding-set=-all']
  const other = [...powerless, `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
  const noUser = 'its own user'
  const noNetwork = 'its own network'
  if (unshare !== undefined) {
    const apart = ['--net', '--pid', '--ipc', '--uts', '--kill-child']
    const alone = [...bound, unshare, ...apart]
    if (isRoot) yield { prefix: [...alone, ...other], forks: true, missing: [] }
    if (isRoot) yield { prefix: [...alone, ...powerless], forks: true, missing: [noUser] }
    yield { prefix: [...bound, unshare, '--user', ...apart, ...plain], forks: true, missing: [] }
  }
  if (isRoot) yield { prefix: other, forks: false, missing: [noNetwork] }
  if (isRoot) yield { prefix: powerless, forks: false, missing: [noNetwork, noUser] }
  yield { prefix: plain, forks: false, missing: [noNetwork, noUser] }
}

async function works({ prefix: [command, ...args] }: Isolation, files: string[]): Promise<boolean> {
  if (command === undefined) return false
  try {
    const test = 'for file in "$@"; do test -r "$file" || exit 1; done'
    await run(command, [...args, '/bin/sh', '-c', test, 'sh', ...files], { env: {}, timeout: probeMs })
    return true
  } catch {
    return false
  }
}

const find = (name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => existsSync(path))

export interface ResourceLimits {
  /** Of data that the process may write to: its heaps, Python's memory, its files. Reserved addresses do not count. */
  dataBytes: number
  /** In the whole life of the process; a last resort. */
  cpuSeconds: number
  openFiles: number
  stackKilobytes: number
}

/** The shell sets these, then becomes the command. */
export const limitedCommand = (
  { dataBytes, cpuSeconds, openFiles, stackKilobytes }: ResourceLimits,
  command: string[],
): string[] => [
  '/bin/sh',
  '-c',
  `ulimit -c 0; ulimit -f 0; ulimit -s ${stackKilobytes}; ulimit -n ${openFiles}; ulimit -d ${Math.ceil(dataBytes / 1024)}; ulimit -t ${cpuSeconds}; exec "$@"`,
  'sh',
  ...command,
]
