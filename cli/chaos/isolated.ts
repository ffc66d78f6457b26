// Runs a program of this folder in new network and process namespaces: nothing it starts is seen outside, or outlives it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lacking } from '@atoll/testkit/lacking'
import { postgresAvailable } from '@atoll/testkit/postgres'
import { lackingS3 } from '@atoll/testkit/s3-server'

const signals = ['SIGINT', 'SIGTERM'] as const

/** What a group needs and this machine lacks, in words; empty when nothing. */
export function lackingForGroup(): string {
  if (process.getuid?.() !== 0) return 'root'
  const lacks = [lacking('haproxy', 'nft', 'tc', 'ip', 'unshare', 'nsenter', 'faketime', 'mkfs.ext4'), lackingS3]
  if (!postgresAvailable.available) lacks.push('postgresql')
  return lacks.filter((what) => what !== '').join(', ')
}

interface Hearing {
  /** In place of this process's own output. */
  hear?: ((text: string) => void) | undefined
  /** The program comes to an end of its own when its input ends: so the first signal asks it. */
  endsByItself?: boolean
}

/** Resolves to its exit code. */
export async function runIsolated(
  program: string,
  args: readonly string[],
  { hear, endsByItself = false }: Hearing = {},
): Promise<number> {
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child=KILL']
  // The shell is the first process, which orphans become children of; the kill takes all of them.
  const shell = ['sh', '-c', '"$@"; exit $?', 'sh']
  const child = spawn('unshare', [...namespaces, '--', ...shell, process.execPath, program, ...args], {
    stdio: ['pipe', hear ? 'pipe' : 'inherit', hear ? 'pipe' : 'inherit'],
    // Away from the terminal, whose signals would end the parts of a group in any order.
    detached: true,
  })
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => hear?.(text))
  let isAsked = false
  const end = (): void => {
    if (endsByItself && !isAsked) child.stdin?.end()
    else child.kill('SIGKILL')
    isAsked = true
  }
  for (const signal of signals) process.on(signal, end)
  const [code] = await once(child, 'close')
  for (const signal of signals) process.off(signal, end)
  return typeof code === 'number' ? code : 1
}
