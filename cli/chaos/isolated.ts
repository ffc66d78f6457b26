// Runs a program of this folder in new network and process namespaces: nothing it starts is seen outside, or outlives it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lacking } from '@atoll/testkit/lacking'
import { postgresAvailable } from '@atoll/testkit/postgres'
import { lackingS3 } from '@atoll/testkit/s3-server'

/** What a group needs and this machine lacks, in words; empty when nothing. */
export function lackingForGroup(): string {
  if (process.getuid?.() !== 0) return 'root'
  const lacks = [lacking('haproxy', 'nft', 'tc', 'ip', 'unshare', 'nsenter', 'faketime', 'mkfs.ext4'), lackingS3]
  if (!postgresAvailable.available) lacks.push('postgresql')
  return lacks.filter((what) => what !== '').join(', ')
}

/** Resolves to its exit code. Its output goes where `hear` says, or to this process's own. */
export async function runIsolated(
  program: string,
  args: readonly string[],
  hear?: (text: string) => void,
): Promise<number> {
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child=KILL']
  // The shell is the first process, which orphans become children of; the kill takes all of them.
  const shell = ['sh', '-c', '"$@"; exit $?', 'sh']
  const child = spawn('unshare', [...namespaces, '--', ...shell, process.execPath, program, ...args], {
    stdio: ['ignore', hear ? 'pipe' : 'inherit', hear ? 'pipe' : 'inherit'],
  })
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => hear?.(text))
  const [code] = await once(child, 'close')
  return typeof code === 'number' ? code : 1
}
