// What the shim of an exec is told: how to make the process itself, and the same as the runtime takes it.
import { basename, join } from 'node:path'
import { consoleSettings, placeSettings, type ShimPlace, withTerminal } from './container-files.ts'
import { capabilityNames } from './oci/capability-names.ts'
import { encodeSettings, type ShimSetting } from './run-folder.ts'
import type { ExecProcess, OciProcess } from './runtime.ts'

/** Only crun keeps the seccomp filter that it compiled for the container. */
const keepsFilter = (runtime: string): boolean => basename(runtime) === 'crun'

type Capabilities = NonNullable<OciProcess['capabilities']>

/** A bit for each; undefined: one of them has no number here. */
function maskOf(names: readonly string[]): bigint | undefined {
  let mask = 0n
  for (const name of names) {
    const number = capabilityNames.indexOf(name)
    if (number < 0) return undefined
    mask |= 1n << BigInt(number)
  }
  return mask
}

function capabilitySettings(capabilities: Partial<Capabilities>): ShimSetting[] | undefined {
  const kinds = ['bounding', 'effective', 'permitted', 'inheritable', 'ambient'] as const
  const settings: ShimSetting[] = []
  for (const kind of kinds) {
    const mask = maskOf(capabilities[kind] ?? [])
    if (mask === undefined) return undefined
    settings.push([`cap-${kind}`, String(mask)])
  }
  return settings
}

/** Undefined where only the runtime knows how. */
function nativeSettings(process: OciProcess, place: ShimPlace, containerId: string): ShimSetting[] | undefined {
  const { user, capabilities, rlimits = [], apparmorProfile } = process
  const granted = capabilities === undefined ? undefined : capabilitySettings(capabilities)
  if (granted === undefined || apparmorProfile !== undefined || !keepsFilter(place.runtime)) return undefined
  return [
    ['native', true],
    ...process.args.map((arg): ShimSetting => ['arg', arg]),
    ...process.env.map((variable): ShimSetting => ['env', variable]),
    ['cwd', process.cwd],
    ['uid', user.uid],
    ['gid', user.gid],
    ...(user.additionalGids ?? []).map((gid): ShimSetting => ['group', gid]),
    ...(user.umask === undefined ? [] : ([['umask', user.umask]] satisfies ShimSetting[])),
    ...granted,
    ...rlimits.map(
      ({ type, soft, hard }): ShimSetting => [
        'limit',
        `${type.replace(/^RLIMIT_/, '')}:${writtenLimit(soft)}:${writtenLimit(hard)}`,
      ],
    ),
    ['no-new-privileges', process.noNewPrivileges === true],
    ['seccomp', join(place.root, containerId, 'seccomp.bpf')],
  ]
}

/** Numbers beyond 2^53 are rounded, and mean: none. */
const writtenLimit = (limit: number): string => (Number.isSafeInteger(limit) ? String(limit) : '-1')

/** `place.folder` is the exec's own; the shim makes it. */
export function execSettings(exec: ExecProcess, place: ShimPlace): Buffer {
  const process = withTerminal(exec.process, exec)
  const isPlain = [...process.args, ...process.env, process.cwd].every((text) => !text.includes('\0'))
  const settings: ShimSetting[] = [
    ...placeSettings(place, exec.containerId),
    ['process', JSON.stringify(process)],
    ...consoleSettings(exec),
    ['stdin', exec.openStdin],
    ['stdin-once', true],
    ...((isPlain ? nativeSettings(process, place, exec.containerId) : undefined) ?? []),
  ]
  return Buffer.from(encodeSettings(settings))
}
