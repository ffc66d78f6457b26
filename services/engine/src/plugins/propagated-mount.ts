// A folder of the host that a plugin shares with it: what the plugin mounts there is mounted on the host too.
import { mkdir, realpath } from 'node:fs/promises'
import { systemError } from '../errors.ts'
import { readMounts } from '../mounts/mount-table.ts'
import { runProgram } from '../runtime/run-program.ts'

const mountSeconds = 30

/** Sharing needs a mount of its own: the folder is mounted on itself, once. */
export async function sharePropagated(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  const place = await realpath(folder)
  const found = (await readMounts('self')).findLast((mounted) => mounted.place === place)
  if (found?.isShared) return
  if (found === undefined) await run('mount', ['--bind', place, place])
  // Private first: as part of the host's own group it would pass everything on to whoever follows the host twice.
  await run('mount', ['--make-private', place])
  await run('mount', ['--make-shared', place])
}

/** With all that is still mounted below it. Containers that have some of it keep it. */
export async function unsharePropagated(folder: string): Promise<void> {
  const place = await realpath(folder).catch(() => undefined)
  if (place === undefined) return
  const isMounted = (await readMounts('self')).some((mounted) => mounted.place === place)
  if (isMounted) await run('umount', ['--recursive', '--lazy', place])
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runProgram(program, args, { seconds: mountSeconds })
  if (code !== 0) throw systemError(`${program} ${args.join(' ')}: ${stderr.trim().slice(0, 500) || `status ${code}`}`)
}
