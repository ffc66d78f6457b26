// Steps of builds in containers of this engine.
import { Duplex } from 'node:stream'
import type { StepCommand, StepRunner, StepWatch } from '../../build/step-runner.ts'
import type { Attachments } from '../containers/attach/service.ts'
import { CreateContainer } from '../containers/schema.ts'
import type { Containers } from '../containers/service.ts'

const noWays: ReadonlySet<string> = new Set()
const headerBytes = 8
const everything = { stream: true, stdout: true, stderr: true, stdin: false, logs: false, detachKeys: undefined }

export class ContainerSteps implements StepRunner {
  readonly #containers: Containers
  readonly #attachments: Attachments

  constructor(containers: Containers, attachments: Attachments) {
    this.#containers = containers
    this.#attachments = attachments
  }

  async run(command: StepCommand, watch: StepWatch, signal: AbortSignal): Promise<number> {
    const asked = CreateContainer.parse({
      Image: command.image,
      Cmd: command.argv,
      Entrypoint: [],
      Env: command.env,
      User: command.user,
      WorkingDir: command.workingDir,
      AttachStdout: true,
      AttachStderr: true,
      HostConfig: command.hostConfig,
    })
    const { Id } = await this.#containers.create(asked, { ways: noWays, isBuildStep: true })
    const kill = () => void this.#containers.kill(Id, 'KILL').catch(() => {})
    signal.addEventListener('abort', kill)
    try {
      const code = await this.#toItsEnd(Id, watch, signal)
      signal.throwIfAborted()
      if (code === 0) await watch.ended(Id)
      return code
    } finally {
      signal.removeEventListener('abort', kill)
      await this.#containers.remove(Id, { force: true, volumes: true, link: false, isQuiet: true })
      await watch.removed(Id)
    }
  }

  async #toItsEnd(id: string, watch: StepWatch, signal: AbortSignal): Promise<number> {
    signal.throwIfAborted()
    const output = new StepOutput(watch)
    const attachment = await this.#attachments.attach(id, everything)
    attachment.serve(output)
    const { result } = this.#containers.wait(id, 'next-exit')
    await watch.started(id)
    await this.#containers.start(id)
    // Whoever leaves while it was being started.
    if (signal.aborted) await this.#containers.kill(id, 'KILL').catch(() => {})
    const { exitCode } = await result
    await output.isOver
    return exitCode
  }
}

/** Takes the frames of an attached container apart, one after the other. */
class StepOutput extends Duplex {
  readonly #watch: StepWatch
  readonly isOver: Promise<void>
  #rest: Buffer = Buffer.alloc(0)

  constructor(watch: StepWatch) {
    super({ allowHalfOpen: true })
    this.#watch = watch
    this.isOver = new Promise((resolve) => {
      this.once('finish', resolve)
      this.once('close', resolve)
    })
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error) => void): void {
    this.#take(Buffer.concat([this.#rest, chunk])).then(
      () => done(),
      (error: Error) => done(error),
    )
  }

  async #take(bytes: Buffer): Promise<void> {
    let at = 0
    while (at + headerBytes <= bytes.length) {
      const end = at + headerBytes + bytes.readUInt32BE(at + 4)
      if (end > bytes.length) break
      const text = bytes.subarray(at + headerBytes, end).toString('utf8')
      await this.#watch.output(bytes[at] === 2 ? 'stderr' : 'stdout', text)
      at = end
    }
    this.#rest = bytes.subarray(at)
  }
}
