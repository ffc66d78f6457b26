// A log driver that is a plugin: it reads lines from a pipe, and may be asked for them again.
import { randomBytes } from 'node:crypto'
import { constants, fstatSync, open as openFile } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { LogDriver, LogLine, LogSink } from '../log-drivers/log-driver.ts'
import type { LogKeeper } from '../resources/containers/logs/log-keeper.ts'
import type { ContainerRecord } from '../resources/containers/record.ts'
import { never } from '../resources/containers/timestamps.ts'
import { runProgram } from '../runtime/run-program.ts'
import { decodeEntries, encodeLine } from './log-frames.ts'
import type { PluginProcess } from './plugin-process.ts'
import type { PluginRecord } from './plugin-record.ts'
import { loggingFolderInside } from './plugin-spec.ts'

const openFd = promisify(openFile)
const maxAnswerBytes = 64 * 1024
const retryWaitMs = 500
const maxLinesInMemory = 1_000
const pipeSeconds = 10
/** Once it has said that it reads, it opens the pipe soon. */
const readerMs = 5_000
const lookAgainMs = 10
/** A pipe that is full means that it does not read. */
const writeMs = 30_000

const Capable = z.object({ Cap: z.object({ ReadLogs: z.boolean().default(false) }) })

interface LogPluginParts {
  plugin(): PluginRecord
  process: PluginProcess
}

/** Whatever its options are, the plugin itself says what is wrong with them. */
export const logDriver = (parts: LogPluginParts): LogDriver => ({
  options: {},
  forward: (_, container) => ({
    sink: new PluginSink(parts, container),
    isAsync: false,
    retry: { waitMs: retryWaitMs, maxRetries: Number.POSITIVE_INFINITY },
    maxLines: maxLinesInMemory,
  }),
})

const limitsOf = ({ plugin }: LogPluginParts) => ({ timeoutMs: plugin().timeoutMs, maxBytes: maxAnswerBytes })

interface OpenPipe {
  name: string
  path: string
  writer: Socket
}

class PluginSink implements LogSink {
  readonly #parts: LogPluginParts
  readonly #container: () => ContainerRecord
  #pipe: OpenPipe | undefined
  #opening: Promise<OpenPipe> | undefined

  constructor(parts: LogPluginParts, container: () => ContainerRecord) {
    this.#parts = parts
    this.#container = container
  }

  async open(): Promise<void> {
    await this.#opened()
  }

  async send(lines: readonly LogLine[]): Promise<void> {
    const { writer } = await this.#opened()
    await write(writer, Buffer.concat(lines.map(encodeLine)))
  }

  close(): void {
    const pipe = this.#pipe
    this.#pipe = undefined
    if (pipe === undefined) return
    // What is in the pipe stays there for its reader.
    pipe.writer.end()
    pipe.writer.destroySoon()
    this.#stop(pipe).catch(() => undefined)
  }

  async #stop({ name, path }: Pick<OpenPipe, 'name' | 'path'>): Promise<void> {
    const socket = await this.#parts.process.socket()
    const body = { File: join(loggingFolderInside, name) }
    await socket.call('LogDriver.StopLogging', body, limitsOf(this.#parts)).finally(() => rm(path, { force: true }))
  }

  async #opened(): Promise<OpenPipe> {
    if (this.#pipe !== undefined && !this.#pipe.writer.destroyed) return this.#pipe
    this.close()
    this.#opening ??= this.#begin().finally(() => {
      this.#opening = undefined
    })
    this.#pipe = await this.#opening
    return this.#pipe
  }

  async #begin(): Promise<OpenPipe> {
    const { process } = this.#parts
    const socket = await process.socket()
    const name = randomBytes(32).toString('hex')
    const path = join(process.folders().logging, name)
    const made = await runProgram('mkfifo', ['-m', '600', path], { seconds: pipeSeconds })
    if (made.code !== 0) throw new Error(`mkfifo: ${made.stderr.trim().slice(0, 500)}`)
    try {
      const body = { File: join(loggingFolderInside, name), Info: logInfo(this.#container()) }
      await socket.call('LogDriver.StartLogging', body, limitsOf(this.#parts))
      return { name, path, writer: await openWriter(path) }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }
}

/** The plugin can put something else in its place: only a pipe is written to, and no link followed. */
async function openWriter(path: string): Promise<Socket> {
  const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW
  for (const until = Date.now() + readerMs; ; ) {
    try {
      const fd = await openFd(path, flags)
      if (!fstatSync(fd).isFIFO()) throw new Error(`${path} is no pipe any more`)
      const writer = new Socket({ fd, readable: false, writable: true })
      writer.on('error', () => undefined)
      writer.unref()
      return writer
    } catch (error) {
      // Nobody reads yet.
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO' || Date.now() > until) throw error
      await delay(lookAgainMs)
    }
  }
}

/** Resolves when the pipe has taken all of it. */
function write(writer: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => {
      writer.destroy()
      reject(new Error(`the plugin reads nothing for ${writeMs / 1000} s`))
    }
    const timer = setTimeout(late, writeMs).unref()
    writer.write(bytes, (error) => {
      clearTimeout(timer)
      if (error === null || error === undefined) resolve()
      else reject(error)
    })
  })
}

/** What a plugin is told of a container. */
const logInfo = ({ id, name, path, args, imageId, imageName, created, config, hostConfig }: ContainerRecord) => ({
  Config: hostConfig.LogConfig?.Config ?? {},
  ContainerID: id,
  ContainerName: `/${name}`,
  ContainerEntrypoint: path,
  ContainerArgs: args,
  ContainerImageID: imageId,
  ContainerImageName: config.Image ?? imageName,
  ContainerCreated: created,
  ContainerEnv: config.Env ?? [],
  ContainerLabels: config.Labels ?? {},
  LogPath: '',
  DaemonName: 'docker',
})

export const logKeeper = (parts: LogPluginParts, container: ContainerRecord): LogKeeper => ({
  async canRead() {
    const socket = await parts.process.socket()
    const told = Capable.safeParse(await socket.call('LogDriver.Capabilities', {}, limitsOf(parts)))
    return told.success && told.data.Cap.ReadLogs
  },
  async *entries({ since, until, tail, follow }, signal) {
    const socket = await parts.process.socket()
    const ReadConfig = { Since: since ?? never, Until: until ?? never, Tail: tail ?? -1, Follow: follow }
    const answer = await socket.open('LogDriver.ReadLogs', { ReadConfig, Info: logInfo(container) }, signal)
    yield* decodeEntries(answer)
  },
})
