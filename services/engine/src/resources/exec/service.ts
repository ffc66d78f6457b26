// Running further processes in containers.
import { type Duplex, Readable } from 'node:stream'
import { conflict, invalidParameter, noSuchExec } from '../../errors.ts'
import type { EngineEvents } from '../../events/engine-events.ts'
import { exitCodeOfFailure } from '../../runtime/failure-words.ts'
import type { ExecRequest } from '../../runtime/oci/process.ts'
import type { OciProcess, Runtime } from '../../runtime/runtime.ts'
import { sent } from '../../streams/answer-head.ts'
import { ClientSession } from '../../streams/client-session.ts'
import { parseDetachKeys } from '../../streams/detach-keys.ts'
import { frameHeader, stdoutStream } from '../../streams/frames.ts'
import type { ContainerRecord } from '../containers/record.ts'
import type { ResizeQuery } from '../containers/resize/schema.ts'
import { Exec } from './exec.ts'
import { ExecTable } from './exec-table.ts'
import type { CreateExec, ExecInspect, StartExec } from './schema.ts'

export interface ExecParts {
  /** Throws noSuchContainer. */
  find(idOrName: string): ContainerRecord
  runtime: Pick<Runtime, 'exec' | 'execExited' | 'execResize'>
  /** What the runtime is told: users and groups looked up, capabilities chosen (`buildExecProcess`). */
  execProcess(container: ContainerRecord, exec: ExecRequest): Promise<OciProcess>
  events: EngineEvents
  emit(container: ContainerRecord, action: string, attributes?: Record<string, string>): void
  /** 64 hexadecimal digits. */
  newId(): string
}

export interface StartedExec {
  tty: boolean
  /** From here on the client's bytes are the process'. */
  serve(client: Duplex): void
}

export class Execs {
  readonly #parts: ExecParts
  readonly #table = new ExecTable()

  constructor(parts: ExecParts) {
    this.#parts = parts
    parts.events.listen(({ Type, Action, Actor }) => {
      if (Type === 'container' && Action === 'destroy') this.#table.forget(Actor.ID)
    })
  }

  create(idOrName: string, request: CreateExec): string {
    const container = this.#activeContainer(idOrName)
    const { Cmd: command = [], DetachKeys, Env = [] } = request
    if (command.length === 0) throw invalidParameter('No exec command specified')
    const broken = Env.find((variable) => variable === '' || variable.startsWith('='))
    if (broken !== undefined) throw invalidParameter(`invalid environment variable: ${broken}`)
    const detachKeys = parseDetachKeys(DetachKeys)
    if (detachKeys === undefined) throw invalidParameter(`Invalid escape keys (${DetachKeys}) provided`)
    const exec = new Exec(this.#parts.newId(), container.id, { ...request, Cmd: command }, detachKeys)
    this.#table.add(exec)
    this.#parts.emit(container, `exec_create: ${exec.command}`, { execID: exec.id })
    return exec.id
  }

  /** Runs it for nobody to see. */
  async startDetached(id: string, request: StartExec): Promise<void> {
    const { exec, container } = this.#startable(id)
    const connection = await this.#run(exec, container, request, false)
    connection.destroy()
  }

  /** The process begins when the client is served: it has the head of its answer by then. */
  start(id: string, request: StartExec): StartedExec {
    const { exec, container } = this.#startable(id)
    return { tty: request.Tty === true, serve: (client) => void this.#serve(client, exec, container, request) }
  }

  inspect(id: string): ExecInspect {
    const exec = this.#found(id)
    const { config, containerId, exitCode, isRunning, pid } = exec
    const [entrypoint = '', ...args] = config.Cmd
    const container = this.#parts.find(containerId)
    return {
      ID: exec.id,
      Running: isRunning,
      ExitCode: exitCode,
      ProcessConfig: {
        tty: exec.tty,
        entrypoint,
        arguments: args,
        privileged: config.Privileged === true,
        ...(config.User ? { user: config.User } : {}),
      },
      OpenStdin: config.AttachStdin === true,
      OpenStderr: config.AttachStderr === true,
      OpenStdout: config.AttachStdout === true,
      CanRemove: exitCode !== null,
      ContainerID: containerId,
      DetachKeys: config.DetachKeys ?? '',
      Pid: pid,
      NetworkSettings: { Networks: container.endpoints },
    }
  }

  async resize(id: string, { h, w }: ResizeQuery): Promise<void> {
    const exec = this.#found(id)
    if (!exec.isRunning) throw conflict(`Error: Exec command ${id} is not running`)
    if (exec.tty && h > 0 && w > 0) await this.#parts.runtime.execResize(id, h, w)
  }

  /** Of those that were made and have not ended: what a container tells as its ExecIDs. */
  idsOf(containerId: string): string[] {
    return this.#table.of(containerId).flatMap(({ id, exitCode }) => (exitCode === null ? [id] : []))
  }

  #found(id: string): Exec {
    const exec = this.#table.find(id)
    if (exec === undefined) throw noSuchExec(id)
    return exec
  }

  #startable(id: string): { exec: Exec; container: ContainerRecord } {
    const exec = this.#found(id)
    const container = this.#activeContainer(exec.containerId)
    exec.claim()
    return { exec, container }
  }

  #activeContainer(idOrName: string): ContainerRecord {
    const container = this.#parts.find(idOrName)
    const { status } = container.state
    if (status === 'paused') throw conflict(`Container ${idOrName} is paused, unpause the container before exec`)
    if (status === 'restarting') {
      throw conflict(`Container ${idOrName} is restarting, wait until the container is running`)
    }
    if (status !== 'running') throw conflict(`Container ${container.id} is not running`)
    return container
  }

  async #run(exec: Exec, container: ContainerRecord, request: StartExec, openStdin: boolean): Promise<Duplex> {
    const { id: execId, tty, config } = exec
    const asked = request.Tty === true ? request.ConsoleSize : undefined
    const consoleSize = tty ? (asked ?? config.ConsoleSize) : undefined
    const size = consoleSize === undefined ? {} : { consoleSize }
    try {
      const process = await this.#parts.execProcess(container, { ...requestOf(exec), ...size })
      const started = { execId, containerId: container.id, process, tty, openStdin, ...size }
      const { pid, streams } = await this.#parts.runtime.exec(started)
      exec.began(pid)
      this.#parts.emit(container, `exec_start: ${exec.command}`, { execID: execId })
      void this.#awaitEnd(exec, container)
      return streams.connection
    } catch (error) {
      if (isBadCommand(error)) exec.ended(exitCodeOfFailure(error.message))
      else exec.unclaim()
      throw error
    }
  }

  async #awaitEnd(exec: Exec, container: ContainerRecord): Promise<void> {
    const { exitCode } = await this.#parts.runtime.execExited(exec.id).catch(() => ({ exitCode: lostExitCode }))
    exec.ended(exitCode)
    this.#parts.emit(container, 'exec_die', { execID: exec.id, exitCode: String(exitCode) })
  }

  async #serve(client: Duplex, exec: Exec, container: ContainerRecord, request: StartExec): Promise<void> {
    const isPlain = request.Tty === true
    const session = this.#session(client, exec, container, isPlain)
    await sent(client)
    try {
      session.join(await this.#run(exec, container, request, exec.config.AttachStdin === true))
    } catch (error) {
      // A command that cannot be run is told to the client as a shell would: in words, and by its exit code.
      const words = error instanceof Error ? error.message : String(error)
      await session.finishWith(wordsOf(isPlain, `${words}\r\n`))
    }
  }

  /** Who starts it says whether its output comes as plain bytes, or in frames; both of a terminal and of pipes. */
  #session(client: Duplex, exec: Exec, container: ContainerRecord, isPlain: boolean): ClientSession {
    const { AttachStdin: stdin = false, AttachStdout: stdout = false, AttachStderr = false } = exec.config
    const { tty, detachKeys } = exec
    return new ClientSession(client, {
      ...{ tty, stdin, stdout, detachKeys },
      // Plain bytes have no place for a second stream.
      stderr: AttachStderr && !(isPlain && !tty),
      unframed: isPlain,
      framed: tty && !isPlain,
      onDetach: () => this.#parts.emit(container, 'exec_detach', { execID: exec.id }),
      settled: exec.whenEnded,
    })
  }
}

/** When nobody can tell how it ended: its shim was killed. */
const lostExitCode = 137

/** What the runtime refused for good, in contrast to what it did not answer. */
const isBadCommand = (error: unknown): error is Error =>
  error instanceof Error && 'status' in error && (error.status === 400 || error.status === 500)

const requestOf = ({ config, tty }: Exec): ExecRequest => ({
  cmd: config.Cmd,
  tty,
  ...(config.Env === undefined ? {} : { env: config.Env }),
  ...(config.User === undefined ? {} : { user: config.User }),
  ...(config.WorkingDir === undefined ? {} : { workingDir: config.WorkingDir }),
  ...(config.Privileged === undefined ? {} : { privileged: config.Privileged }),
})

function wordsOf(isPlain: boolean, words: string): Readable {
  const text = Buffer.from(words)
  return Readable.from(isPlain ? [text] : [frameHeader(stdoutStream, text.length), text])
}
