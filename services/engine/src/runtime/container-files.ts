// What is written for a container before its shim starts, and what is removed after it.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeSettings, type ShimSetting } from './run-folder.ts'
import type { ContainerProcess, OciSpec } from './runtime.ts'
import { shareMounts } from './shared-mounts.ts'
import { runtimeMilliseconds } from './shim-process.ts'

/** Shared by a container's shim and those of its execs. */
export interface ShimPlace {
  folder: string
  bundle: string
  /** Path of the OCI runtime, and the folder of its own state. */
  runtime: string
  root: string
  /** How long an attached client may read nothing while output waits for it. */
  clientMilliseconds: number
}

type Console = { tty: boolean; consoleSize?: [rows: number, columns: number] }

export const consoleSettings = ({ tty, consoleSize }: Console): ShimSetting[] => [
  ['tty', tty],
  ...(tty && consoleSize !== undefined
    ? ([
        ['rows', consoleSize[0]],
        ['columns', consoleSize[1]],
      ] satisfies ShimSetting[])
    : []),
]

export function withTerminal<P extends object>(process: P, { tty, consoleSize }: Console): P {
  if (!tty || consoleSize === undefined) return { ...process, terminal: tty }
  return { ...process, terminal: tty, consoleSize: { height: consoleSize[0], width: consoleSize[1] } }
}

export const placeSettings = (place: ShimPlace, id: string): ShimSetting[] => [
  ['folder', place.folder],
  ['id', id],
  ['runtime', place.runtime],
  ['root', place.root],
  ['runtime-ms', runtimeMilliseconds],
  ['client-ms', place.clientMilliseconds],
]

/** An image without a layer has an empty folder in its place: an overlay needs one. */
async function lowerFolders(container: ContainerProcess, bundle: string): Promise<string[]> {
  if (container.rootfs.lower.length > 0) return container.rootfs.lower
  const empty = join(bundle, 'empty')
  await mkdir(empty, { recursive: true })
  return [empty]
}

export async function writeContainer(container: ContainerProcess, place: ShimPlace): Promise<void> {
  await Promise.all([
    mkdir(join(place.bundle, 'rootfs'), { recursive: true }),
    mkdir(join(place.folder, 'execs'), { recursive: true, mode: 0o700 }),
  ])
  const lower = await lowerFolders(container, place.bundle)
  const { mounts, sources } = await shareMounts(container.spec.mounts, place.bundle)
  const { log } = container
  const settings: ShimSetting[] = [
    ...placeSettings(place, container.id),
    ['bundle', place.bundle],
    ...lower.map((folder): ShimSetting => ['lower', folder]),
    ['upper', container.rootfs.upper],
    ['work', container.rootfs.work],
    ...sources.map((source): ShimSetting => ['shared', source]),
    ...consoleSettings(container),
    ['stdin', container.openStdin],
    ['stdin-once', container.stdinOnce],
    ...(log.path === undefined ? [] : ([['log', log.path]] satisfies ShimSetting[])),
    ['log-bytes', Math.max(0, Math.trunc(log.maxBytes))],
    ['log-files', Math.max(1, Math.trunc(log.maxFiles))],
    ['log-compress', log.compress === true],
    ['log-buffer', Math.max(0, Math.trunc(log.bufferBytes ?? 0))],
  ]
  const spec: OciSpec = { ...container.spec, mounts, process: withTerminal(container.spec.process, container) }
  await Promise.all([
    writeFile(join(place.bundle, 'config.json'), JSON.stringify(spec), { mode: 0o600 }),
    writeFile(join(place.folder, 'shim.conf'), encodeSettings(settings), { mode: 0o600 }),
  ])
}

/** Undefined when the bundle is gone. */
export async function cgroupsPathOf(bundle: string): Promise<string | undefined> {
  try {
    const spec = JSON.parse(await readFile(join(bundle, 'config.json'), 'utf8')) as OciSpec
    return spec.linux.cgroupsPath
  } catch {
    return undefined
  }
}

export async function removeFiles(...folders: string[]): Promise<void> {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
}
