// A container as far as the delivery of its log is concerned: a record, a log file that the test writes, and events.
import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { noSuchContainer } from '../../errors.ts'
import { EngineEvents } from '../../events/engine-events.ts'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import { buildNative } from '../../runtime/native-build.ts'
import { LogForwarding } from '../log-forwarding.ts'

interface Choices {
  labels?: Record<string, string>
  env?: string[]
}

export class ForwardedContainer {
  readonly id = randomBytes(32).toString('hex')
  readonly folder: string
  readonly events = new EngineEvents(() => Date.now())
  readonly warnings: string[] = []
  forwarding: LogForwarding
  #record: ContainerRecord | undefined
  #lines = 0

  constructor(
    parent: string,
    driver: string,
    options: Record<string, string>,
    { labels = {}, env = [] }: Choices = {},
  ) {
    this.folder = join(parent, this.id)
    mkdirSync(this.folder)
    this.#record = {
      id: this.id,
      name: 'talker',
      imageId: `sha256:${'1'.repeat(64)}`,
      imageName: 'busybox',
      created: '2026-11-15T09:59:59.000000000Z',
      path: 'sh',
      args: ['-c', 'talk'],
      config: { Labels: labels, Env: env, Image: 'busybox' },
      hostConfig: { LogConfig: { Type: driver, Config: options } },
      state: { status: 'created' },
    } as unknown as ContainerRecord
    this.forwarding = this.newForwarding()
  }

  get logPath(): string {
    return join(this.folder, 'log.json')
  }

  /** As a new engine would, after the old one was stopped or killed. */
  newForwarding(): LogForwarding {
    const warn = (_: object, message: string) => void this.warnings.push(message)
    this.forwarding = new LogForwarding({
      find: (id) => {
        if (this.#record === undefined || id !== this.id) throw noSuchContainer(id)
        return this.#record
      },
      folderOf: () => this.folder,
      events: this.events,
      log: { ...silentLog, warn },
      plugin: () => undefined,
      tools: { journal: () => buildNative('journal', [], join(this.folder, 'programs')) },
    })
    return this.forwarding
  }

  async start(): Promise<void> {
    await this.forwarding.beforeStart(this.id)
    this.#setStatus('running')
    this.events.emit('container', 'start', this.id)
  }

  say(...texts: string[]): void {
    for (const text of texts) this.write(`${text}\n`)
  }

  /** As the shim does; every entry a microsecond after the one before. */
  write(log: string, stream: 'stdout' | 'stderr' = 'stdout'): void {
    const micros = String(this.#lines++).padStart(6, '0')
    const time = `2026-11-15T10:00:00.${micros}789Z`
    appendFileSync(this.logPath, `${JSON.stringify({ log, stream, time })}\n`)
  }

  end(): void {
    this.#setStatus('exited')
    this.events.emit('container', 'die', this.id)
  }

  async remove(): Promise<void> {
    this.#setStatus('removing')
    await this.forwarding.beforeRemoval(this.id)
    this.events.emit('container', 'destroy', this.id)
    this.#record = undefined
  }

  rename(name: string): void {
    if (this.#record !== undefined) this.#record = { ...this.#record, name }
  }

  /** How far it is noted to be; undefined before the first delivery. */
  get position(): { offset: number } | undefined {
    try {
      return JSON.parse(readFileSync(join(this.folder, 'forwarded', 'position.json'), 'utf8'))
    } catch {
      return undefined
    }
  }

  #setStatus(status: ContainerRecord['state']['status']): void {
    if (this.#record !== undefined) this.#record = { ...this.#record, state: { ...this.#record.state, status } }
  }
}
