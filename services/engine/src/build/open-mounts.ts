// The mounts of one step, from when they are made until they are given back.
import { BuildFailure } from './failure.ts'
import type { Mount, OpenMount, StepMount } from './run-mounts.ts'

interface OpenMounts extends AsyncDisposable {
  mounts: Mount[]
  env: string[]
  /** The command, with what has to come before it. */
  command(argv: readonly string[]): string[]
}

/** One after the other and always in the same order: two steps never wait for one another's caches. */
export async function openMounts(mounts: readonly StepMount[], signal: AbortSignal): Promise<OpenMounts> {
  const names = mounts.map(({ identity }) => JSON.stringify(identity))
  if (new Set(names).size < names.length) throw new BuildFailure('RUN has the same --mount twice')
  const open = new Map<StepMount, OpenMount>()
  const close = async () => {
    for (const each of open.values()) await each.close?.()
  }
  const ordered = mounts.map((mount, at) => ({ mount, name: names[at] ?? '' }))
  try {
    for (const { mount } of ordered.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      open.set(mount, await mount.open(signal))
    }
  } catch (error) {
    await close()
    throw error
  }
  const inOrder = mounts.map((mount) => open.get(mount) ?? {})
  return {
    mounts: inOrder.flatMap(({ mounts = [] }) => mounts),
    env: inOrder.flatMap(({ env = [] }) => env),
    command: (argv) =>
      withPreludes(
        inOrder.flatMap(({ prelude }) => (prelude === undefined ? [] : [prelude])),
        argv,
      ),
    [Symbol.asyncDispose]: close,
  }
}

const withPreludes = (paths: readonly string[], argv: readonly string[]): string[] =>
  paths.length === 0
    ? [...argv]
    : ['/bin/sh', '-c', `${paths.map((path) => `. ${path}`).join(' && ')} && exec "$@"`, 'sh', ...argv]
