// A stage while it is built: its layers, and the configuration that an image of it would have.
import type { BuiltLayer } from '../images/build-store.ts'
import type { ImageConfig, Platform } from '../images/images.ts'
import { cacheKey } from './cache-key.ts'
import type { Values } from './dockerfile/expand.ts'

export type Config = NonNullable<ImageConfig['config']>
type History = NonNullable<ImageConfig['history']>[number]

/** Programs read these by themselves: nobody needs to declare them, and they change nothing that is kept. */
const proxyArgs = ['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'NO_PROXY', 'ALL_PROXY']
export const isProxyArg = (name: string): boolean => proxyArgs.includes(name.toUpperCase())

const defaultShell = ['/bin/sh', '-c']

export class StageState {
  layers: readonly BuiltLayer[]
  config: Config
  history: History[]
  author: string
  platform: Platform
  /** Of the step that made the last layer. */
  lastKey = ''
  /** CMD stands in this stage: an entry point that follows does not take it away. */
  hasOwnCommand = false
  /** ARG. For the classic builder they are this stage's own; BuildKit's go on to the stages that begin with it. */
  readonly args = new Map<string, string>()
  readonly #isBuildKit: boolean

  constructor(from: {
    layers: readonly BuiltLayer[]
    image: ImageConfig | undefined
    platform: Platform
    isBuildKit: boolean
  }) {
    const { config = {}, history = [], author = '' } = from.image ?? {}
    this.layers = from.layers
    this.config = structuredClone(config)
    this.history = history.map((step) => ({ ...step }))
    this.author = author
    this.platform = from.platform
    this.#isBuildKit = from.isBuildKit
  }

  /** A stage that begins with this one. */
  successor(): StageState {
    const { layers, config, history, author, platform } = this
    const image = {
      ...platform,
      config,
      history,
      ...(author && { author }),
      rootfs: { type: 'layers' as const, diff_ids: [] },
    }
    const next = new StageState({ layers, image, platform, isBuildKit: this.#isBuildKit })
    next.lastKey = this.lastKey
    if (this.#isBuildKit) {
      const set = this.#variableNames
      for (const [name, value] of this.args) if (!set.has(name)) next.args.set(name, value)
    }
    return next
  }

  get chainId(): string {
    return this.layers.at(-1)?.chainId ?? 'scratch'
  }

  /** Everything that it is so far. */
  get id(): string {
    return cacheKey('state', [this.chainId, this.config, this.history])
  }

  /** What people see of it. */
  get shortId(): string {
    return this.id.slice('sha256:'.length).slice(0, 12)
  }

  get shell(): readonly string[] {
    return this.config.Shell ?? defaultShell
  }

  get workingDir(): string {
    return this.config.WorkingDir || '/'
  }

  /** ENV goes before ARG; for BuildKit, what was said last. */
  get values(): Values {
    const variables = new Map(
      (this.config.Env ?? []).map((line) => [nameOf(line), line.slice(nameOf(line).length + 1)]),
    )
    if (this.#isBuildKit) return (name) => this.args.get(name) ?? variables.get(name)
    return (name) => variables.get(name) ?? this.args.get(name)
  }

  setVariable(name: string, value: string): void {
    const kept = this.config.Env ?? []
    const at = kept.findIndex((line) => nameOf(line) === name)
    const line = `${name}=${value}`
    this.config.Env = at === -1 ? [...kept, line] : kept.with(at, line)
    if (this.#isBuildKit) this.args.delete(name)
  }

  /** What a step finds in its environment, besides what the image says. */
  argVariables(): string[] {
    const set = this.#isBuildKit ? new Set() : this.#variableNames
    return [...this.args].filter(([name]) => !set.has(name)).map(([name, value]) => `${name}=${value}`)
  }

  get #variableNames(): Set<string> {
    return new Set((this.config.Env ?? []).map(nameOf))
  }

  add(layer: BuiltLayer, key: string): void {
    this.layers = [...this.layers, layer]
    this.lastKey = key
  }

  note(createdBy: string, isEmpty: boolean): void {
    this.history.push({ created_by: createdBy, ...(isEmpty && { empty_layer: true }) })
  }
}

const nameOf = (line: string): string => line.split('=', 1)[0] ?? ''
