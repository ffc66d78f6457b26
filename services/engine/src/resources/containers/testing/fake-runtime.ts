// A runtime of which a test says how its programs behave: `sleep` runs until a signal ends it, `true` and `exit N` end at
// once, `stubborn` minds SIGKILL only, `missing` cannot be found, `hang` never becomes a process.
import { Duplex } from 'node:stream'
import { systemError } from '../../../errors.ts'
import type {
  CgroupUsage,
  ContainerProcess,
  ExecProcess,
  ExitRecord,
  OciResources,
  RestoredContainer,
  Runtime,
} from '../../../runtime/runtime.ts'
import { readSignal, sigkill } from '../signals.ts'

interface Process {
  asked: ContainerProcess
  pid: number
  state: 'created' | 'running' | 'paused' | 'exited'
  exited: Promise<ExitRecord>
  end(exitCode: number, oomKilled?: boolean): void
  exit?: ExitRecord
}

const ignored = new Set([readSignal('HUP'), readSignal('USR1'), readSignal('WINCH')])

export class FakeRuntime implements Runtime {
  readonly processes_ = new Map<string, Process>()
  readonly created: ContainerProcess[] = []
  readonly signals: [string, number][] = []
  readonly updates: OciResources[] = []
  readonly destroyed: string[] = []
  /** Exit code and output of health checks; undefined: they never end. */
  health: () => { exitCode: number; output: string } | undefined = () => ({ exitCode: 0, output: 'fine' })
  readonly #execs = new Map<string, Promise<{ exitCode: number }>>()
  #nextPid = 1_000_000

  async create(asked: ContainerProcess): Promise<{ pid: number }> {
    this.created.push(asked)
    const [program] = asked.spec.process.args
    if (program === 'hang') await new Promise(() => {})
    if (program === 'missing') {
      throw systemError(`create failed: executable file \`${program}\` not found in $PATH: No such file or directory`)
    }
    let settle: (exit: ExitRecord) => void = () => {}
    const exited = new Promise<ExitRecord>((resolve) => {
      settle = resolve
    })
    const process: Process = {
      asked,
      pid: this.#nextPid++,
      state: 'created',
      exited,
      end(exitCode, oomKilled = false) {
        if (process.state === 'exited') return
        process.state = 'exited'
        process.exit = { exitCode, oomKilled, finishedAt: new Date().toISOString() }
        settle(process.exit)
      },
    }
    this.processes_.set(asked.id, process)
    return { pid: process.pid }
  }

  process(id: string): Process {
    const process = this.processes_.get(id)
    if (process === undefined) throw systemError(`no process of ${id}`)
    return process
  }

  async start(id: string): Promise<void> {
    const process = this.process(id)
    process.state = 'running'
    const [program, code] = process.asked.spec.process.args
    if (program === 'true') process.end(0)
    if (program === 'exit') process.end(Number(code))
  }

  exited(id: string): Promise<ExitRecord> {
    return this.process(id).exited
  }

  async signal(id: string, signal: number): Promise<void> {
    const process = this.process(id)
    this.signals.push([id, signal])
    const [program] = process.asked.spec.process.args
    if (ignored.has(signal) || (program === 'stubborn' && signal !== sigkill)) return
    if (process.state !== 'paused') process.end(128 + signal)
    else process.asked = { ...process.asked, log: { ...process.asked.log, maxBytes: signal } }
  }

  async pause(id: string): Promise<void> {
    this.process(id).state = 'paused'
  }

  async resume(id: string): Promise<void> {
    const process = this.process(id)
    process.state = 'running'
    const pending = this.signals.find(([to]) => to === id)
    if (pending !== undefined) process.end(128 + pending[1])
  }

  async update(_id: string, resources: OciResources): Promise<void> {
    this.updates.push(resources)
  }

  async exec({ execId }: ExecProcess) {
    const result = this.health()
    this.#execs.set(execId, result === undefined ? new Promise(() => {}) : Promise.resolve(result))
    const output = Buffer.from(result?.output ?? '')
    const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])
    header.writeUInt32BE(output.length, 4)
    const connection = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    // In two pieces, as a stream may come.
    const framed = Buffer.concat([header, output])
    connection.push(framed.subarray(0, 5))
    connection.push(framed.subarray(5))
    if (result !== undefined) connection.push(null)
    return { pid: 1, streams: { connection } }
  }

  execExited(execId: string): Promise<{ exitCode: number }> {
    return this.#execs.get(execId) ?? Promise.reject(systemError('no such exec'))
  }

  async execSignal(): Promise<void> {}
  async execResize(): Promise<void> {}
  async resize(): Promise<void> {}

  async restore(ids: readonly string[]): Promise<Map<string, RestoredContainer>> {
    return new Map(ids.map((id) => [id, this.#restored(id)]))
  }

  #restored(id: string): RestoredContainer {
    const process = this.processes_.get(id)
    if (process === undefined) return { state: 'gone' }
    if (process.exit !== undefined) return { state: 'exited', exit: process.exit }
    return { state: process.state === 'exited' ? 'running' : process.state, pid: process.pid }
  }

  async destroy(id: string): Promise<void> {
    this.destroyed.push(id)
    this.processes_.delete(id)
  }

  attach(): Promise<never> {
    return Promise.reject(systemError('nobody attaches in these tests'))
  }

  async processes(id: string): Promise<number[]> {
    return [this.process(id).pid]
  }

  usage(): Promise<CgroupUsage> {
    return Promise.reject(systemError('nobody measures in these tests'))
  }

  async versions() {
    return { runtimes: {} }
  }
}
