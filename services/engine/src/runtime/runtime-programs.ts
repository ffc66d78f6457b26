// The OCI runtimes of the machine (crun, runc, others of the configuration) and direct calls of them.
import { access, constants, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { invalidParameter, unavailable } from '../errors.ts'
import { type ProgramResult, runProgram } from './run-program.ts'

const callSeconds = 30
const searched = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/bin', '/sbin', '/usr/local/sbin']

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** crun and runc where they are installed; crun is the faster one and comes first. */
export async function findRuntimes(): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of ['crun', 'runc']) {
    for (const folder of searched.filter((each) => each.startsWith('/'))) {
      if (found[name] === undefined && (await isProgram(join(folder, name)))) found[name] = join(folder, name)
    }
  }
  if (Object.keys(found).length > 0) return found
  throw unavailable('no OCI runtime on this machine; install one: apt-get install crun')
}

export class RuntimePrograms {
  private readonly shim: string
  private readonly paths: Record<string, string>
  private readonly rootFolder: string
  private known: Promise<Record<string, { path: string; version: string }>> | undefined

  /** @param rootFolder where the runtimes keep their own state, a folder for each */
  constructor(shim: string, paths: Record<string, string>, rootFolder: string) {
    this.shim = shim
    this.paths = paths
    this.rootFolder = rootFolder
  }

  path(name: string): string {
    const path = Object.hasOwn(this.paths, name) ? this.paths[name] : undefined
    if (path === undefined) throw invalidParameter(`unknown or invalid runtime name: ${name}`)
    return path
  }

  get names(): string[] {
    return Object.keys(this.paths)
  }

  root(name: string): string {
    return join(this.rootFolder, name)
  }

  async prepare(): Promise<void> {
    for (const name of Object.keys(this.paths)) await mkdir(this.root(name), { recursive: true, mode: 0o700 })
  }

  /** In a mount namespace like the shims' own, where crun accepts the machine's cgroups. */
  call(name: string, args: readonly string[]): Promise<ProgramResult> {
    const command = ['in-namespace', '--', this.path(name), '--root', this.root(name), ...args]
    return runProgram(this.shim, command, { seconds: callSeconds })
  }

  async knows(id: string): Promise<boolean> {
    return (await this.thatKnow(id)).length > 0
  }

  /** Ends and forgets a container in every runtime that knows it, also one that was killed while it made or removed it. */
  async forget(id: string): Promise<void> {
    for (const name of await this.thatKnow(id)) {
      await this.call(name, ['delete', '--force', id])
      await rm(join(this.root(name), id), { recursive: true, force: true })
    }
  }

  private async thatKnow(id: string): Promise<string[]> {
    const names = Object.keys(this.paths)
    const known = await Promise.all(names.map((name) => isThere(join(this.root(name), id))))
    return names.filter((_, index) => known[index])
  }

  versions(): Promise<Record<string, { path: string; version: string }>> {
    this.known ??= this.readVersions()
    return this.known
  }

  private async readVersions(): Promise<Record<string, { path: string; version: string }>> {
    const entries = Object.entries(this.paths).map(async ([name, path]) => {
      const { stdout } = await runProgram(path, ['--version'], { seconds: 10 })
      return [name, { path, version: /version (\S+)/.exec(stdout)?.[1] ?? '' }] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }
}
