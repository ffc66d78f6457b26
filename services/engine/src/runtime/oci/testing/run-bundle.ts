// Runs a configuration with a real runtime: in mount and network namespaces that end with it.
import { type ExecFileException, execFile } from 'node:child_process'
import { chmod, mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { oncePerFile } from '@atoll/testkit/after-tests'
import { tempDir } from '@atoll/testkit/temp-dir'
import type { OciSpec } from '../../runtime.ts'
import { capabilityNames } from '../capability-names.ts'
import { findDevices } from '../devices.ts'
import { type HostFacts, readHostFacts } from '../host.ts'
import { buildSpec } from '../spec.ts'
import { type Asked, specInput } from './spec-input.ts'

const run = promisify(execFile)

export const runtimes = ['crun', 'runc']
export const canRun = process.getuid?.() === 0

/** crun refuses machines with both kinds of control groups: the newer kind is taken out of its sight. */
const script = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$1" --root "$2" run --bundle "$3" "$4" 2>&1'

/** The root of a small container: busybox and the folders it needs. */
const makeRoot = oncePerFile(async () => {
  const root = await tempDir()
  await chmod(root, 0o755)
  for (const name of ['bin', 'etc', 'proc', 'sys', 'dev', 'tmp', 'root', 'data']) await mkdir(join(root, name))
  await run('cp', ['/bin/busybox', join(root, 'bin')])
  await run('chroot', [root, '/bin/busybox', '--install', '-s', '/bin'])
  return root
})

/** Containers of tests are below it: it goes with them. */
export const testCgroup = `atoll-test-${process.pid}`

let count = 0
let host: Promise<HostFacts> | undefined

interface Ended {
  output: string
  /** Its number, or the signal that ended it. */
  exitCode: number | string
}

/** What the command wrote, and how it ended. */
export async function runInContainer(
  runtime: string,
  command: string,
  asked: Asked = {},
): Promise<Ended & { warnings: string[] }> {
  host ??= readHostFacts()
  const hostConfig = { CgroupParent: testCgroup, CgroupnsMode: 'private', ...asked.hostConfig }
  // In one stream from the start: runc carries two of them, in no order.
  const args = ['-c', `exec 2>&1; ${command}`]
  const input = specInput({ host: await host, args, ...asked, hostConfig })
  const { spec, warnings } = buildSpec({ ...input, devices: await findDevices(input.container.hostConfig) })
  return { ...(await runSpec(runtime, spec)), warnings }
}

export async function runSpec(runtime: string, spec: OciSpec): Promise<Ended> {
  const bundle = await tempDir()
  const written = { ...spec, root: { ...spec.root, path: await makeRoot() } }
  await writeFile(join(bundle, 'config.json'), JSON.stringify(written))
  const id = `atoll-test-${process.pid}-${++count}`
  const args = ['--mount', '--net', 'sh', '-c', script, 'sh', runtime, join(bundle, 'state'), bundle, id]
  const ended = await run('unshare', args, { timeout: 60_000 }).then(
    ({ stdout }) => ({ output: stdout, exitCode: 0 }),
    ({ stdout, code, signal }: ExecFileException & { stdout: string }) => ({
      output: stdout,
      exitCode: code ?? `ended by ${signal}`,
    }),
  )
  await removeGroups(testCgroup)
  return ended
}

async function removeGroups(parent: string): Promise<void> {
  const controllers = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'freezer', 'blkio', 'pids', 'systemd', '']
  for (const controller of controllers) await rmdir(join('/sys/fs/cgroup', controller, parent)).catch(() => undefined)
}

/** The names behind the bits of /proc/self/status. */
export const capabilitiesOf = (bits: string): string[] =>
  capabilityNames.filter((_, index) => (BigInt(`0x${bits}`) >> BigInt(index)) & 1n)
