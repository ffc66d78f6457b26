// Starts Python processes that are ready for code. How this machine can hold them is found out once.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Log } from '@atoll/kernel/telemetry/log'
import { SandboxProblem } from '../sandbox.ts'
import { childEntry, programFiles, pyodideFolder, readableFiles } from './child-files.ts'
import type { Frame, Reply } from './frames.ts'
import type { SandboxLimits } from './limits.ts'
import { PythonProcess } from './python-process.ts'
import { Snapshot } from './snapshot.ts'
import { findIsolation } from './walls/find-isolation.ts'
import type { Isolation } from './walls/isolation.ts'
import { missingWalls } from './walls/wall.ts'

/** Besides Python's memory and files: what the engine asks for, used or not. */
const ownDataBytes = 1024 ** 3
/** In the whole life of a process; the limit of one run is kept by the server. */
const lifeCpuSeconds = 24 * 3600
const openFiles = 64
/** So that Python's own limit of recursion comes first. */
const stackKilobytes = 64 * 1024
/** On a very busy machine. */
const startMs = 120_000

export interface StarterOptions {
  log: Log
  limits: SandboxLimits
  packagesFolder?: string | undefined
  cacheFolder?: string | undefined
}

/** What was found by trying holds for every sandbox of this process that shows the same files. */
const isolations = new Map<string, Promise<Isolation>>()

function isolationFor(visible: string[]): Promise<Isolation> {
  const name = visible.join('\n')
  const isolation = isolations.get(name) ?? findIsolation(visible)
  isolations.set(name, isolation)
  isolation.catch(() => isolations.delete(name))
  return isolation
}

export class PythonStarter {
  readonly #options: StarterOptions
  readonly #snapshot: Snapshot
  #isolation: Promise<Isolation> | undefined

  constructor(options: StarterOptions) {
    this.#options = options
    this.#snapshot = new Snapshot(options.cacheFolder, () => this.#makeSnapshot())
  }

  /** Ready for code. */
  async start(): Promise<PythonProcess> {
    try {
      return await this.#startFromSnapshot()
    } catch (error) {
      // A file that a power cut left half written, for example.
      this.#options.log.warn({ err: error }, 'Python did not start from its snapshot: it is made anew')
      await this.#snapshot.forget()
      return await this.#startFromSnapshot()
    }
  }

  close(): Promise<void> {
    return this.#snapshot.close()
  }

  async #startFromSnapshot(): Promise<PythonProcess> {
    const file = await open(await this.#snapshot.file(), constants.O_RDONLY)
    try {
      const python = await this.#spawn(file)
      await this.#firstReply(python, 'ready')
      return python
    } finally {
      await file.close()
    }
  }

  async #makeSnapshot(): Promise<Uint8Array> {
    const python = await this.#spawn(undefined)
    const { bytes } = await this.#firstReply(python, 'snapshot')
    await python.ended
    return bytes
  }

  async #spawn(snapshot: FileHandle | undefined): Promise<PythonProcess> {
    const { limits, packagesFolder } = this.#options
    this.#isolation ??= this.#findIsolation()
    return new PythonProcess({
      isolation: await this.#isolation,
      resources: {
        dataBytes: limits.memoryMegabytes * 1024 ** 2 + limits.fileBytes + ownDataBytes,
        cpuSeconds: lifeCpuSeconds,
        openFiles,
        stackKilobytes,
      },
      memoryMegabytes: limits.memoryMegabytes,
      readable: readableFiles(packagesFolder),
      entry: childEntry,
      snapshot,
      settings: { ...limits, pyodideFolder, fromSnapshot: snapshot !== undefined, packagesFolder },
      maxReplyBytes: Math.max(limits.returnedBytes, limits.memoryMegabytes * 1024 ** 2),
    })
  }

  async #findIsolation(): Promise<Isolation> {
    const isolation = await isolationFor([...programFiles(), ...readableFiles(this.#options.packagesFolder)])
    const missing = missingWalls(isolation.walls)
    const text = `This machine has no wall between Python code and ${missing.join(', ')}; Node's permissions hold it`
    if (missing.length > 0) this.#options.log.warn({ missing }, text)
    return isolation
  }

  async #firstReply(python: PythonProcess, kind: Reply['is']): Promise<Frame<Reply>> {
    const { promise, resolve } = Promise.withResolvers<Frame<Reply> | undefined>()
    python.listen(resolve)
    void python.ended.then(() => resolve(undefined))
    const timer = setTimeout(() => void python.kill(), startMs)
    const frame = await promise
    clearTimeout(timer)
    python.listen(undefined)
    if (frame?.header.is === kind) return frame
    await python.kill()
    this.#options.log.error({ stderr: python.complaint }, 'Python did not start')
    throw new SandboxProblem('Python did not start.')
  }
}
