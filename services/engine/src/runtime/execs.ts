// Further processes in running containers, each with a shim of its own.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict, noSuchExec } from '../errors.ts'
import { asStreams } from './attach-client.ts'
import { removeFiles, type ShimPlace } from './container-files.ts'
import { execSettings } from './exec-settings.ts'
import { startExecShim } from './exec-shim.ts'
import { startFailure } from './failure-words.ts'
import { FollowedProcess } from './followed-process.ts'
import { checked } from './run-folder.ts'
import type { AttachedStreams, ExecProcess, ExitRecord } from './runtime.ts'
import { findShim } from './shim-connection.ts'

/** Ended ones whose exit code can still be asked for. */
const maxEnded = 1000
const stateMilliseconds = 60_000

interface Followed {
  containerId: string
  process: FollowedProcess
}

export class Execs {
  private readonly running = new Map<string, Followed>()
  /** Oldest first. */
  private readonly ended = new Map<string, { containerId: string; exit: ExitRecord }>()

  async start(exec: ExecProcess, container: ShimPlace): Promise<{ pid: number; streams: AttachedStreams }> {
    const id = checked(exec.execId)
    if (this.running.has(id) || this.ended.has(id)) throw conflict(`exec ${id} has been started already`)
    const place = { ...container, folder: join(container.folder, 'execs', id) }
    try {
      const { connection, pid, client } = await startExecShim(container.folder, execSettings(exec, place))
      this.follow(id, exec.containerId, place.folder, pid, connection)
      return { pid, streams: asStreams(client) }
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      if (words === 'paused')
        throw conflict(`Container ${exec.containerId} is paused, unpause the container before exec`)
      if (words === 'the process has ended') throw conflict(`Container ${exec.containerId} is not running`)
      const failure = await startFailure('OCI runtime exec failed', join(place.folder, 'runtime.log'), words)
      await removeFiles(place.folder)
      throw failure
    }
  }

  async exited(id: string): Promise<ExitRecord> {
    const running = this.running.get(id)
    if (running !== undefined) return running.process.exited
    const ended = this.ended.get(id)
    if (ended === undefined) throw noSuchExec(id)
    return ended.exit
  }

  async command(id: string, line: string): Promise<void> {
    const running = this.running.get(id)
    if (running === undefined) throw this.ended.has(id) ? conflict(`exec ${id} has ended`) : noSuchExec(id)
    await running.process.command(line)
  }

  /** After a restart of the engine: those that still run are followed again. */
  async restore(containerId: string, containerFolder: string): Promise<void> {
    const folder = join(containerFolder, 'execs')
    for (const id of await readdir(folder).catch(() => [])) {
      const own = join(folder, id)
      const shim = await findShim(own).catch(() => undefined)
      const answer = await shim?.request('state', stateMilliseconds).catch(() => undefined)
      if (shim !== undefined && answer !== undefined)
        this.follow(id, containerId, own, Number(answer.split(' ')[1]), shim)
      else await removeFiles(own)
    }
  }

  /** The container goes: its execs have ended, or do so now. */
  async forget(containerId: string): Promise<void> {
    const own = [...this.running.values()].filter((each) => each.containerId === containerId)
    await Promise.all(
      own.map(async ({ process }) => {
        await process.command('signal 9').catch(() => {})
        await process.exited.catch(() => {})
      }),
    )
    for (const [id, each] of this.ended) if (each.containerId === containerId) this.ended.delete(id)
  }

  release(): void {
    for (const { process } of this.running.values()) process.release()
  }

  private follow(
    id: string,
    containerId: string,
    folder: string,
    pid: number,
    connection: ConstructorParameters<typeof FollowedProcess>[0]['connection'],
  ): void {
    // Whoever killed the shim took the exit code with it; the process itself ends with its streams or its container.
    const lost = async (): Promise<ExitRecord> => ({
      exitCode: 137,
      oomKilled: false,
      finishedAt: new Date().toISOString(),
    })
    const process = new FollowedProcess({ folder, pid, connection, lost })
    this.running.set(id, { containerId, process })
    void process.exited.then(async (exit) => {
      this.running.delete(id)
      this.ended.set(id, { containerId, exit })
      const oldest = this.ended.keys().next().value
      if (this.ended.size > maxEnded && oldest !== undefined) this.ended.delete(oldest)
      await removeFiles(folder)
    })
  }
}
