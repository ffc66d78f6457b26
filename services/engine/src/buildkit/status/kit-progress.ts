// Steps of a build as vertexes. All that will be done is announced at once, so that clients know how much there is.
import type { Instruction } from '../../build/dockerfile/dockerfile.ts'
import type { BuildPlan, PlannedStage } from '../../build/plan.ts'
import type { BuildEvent, BuildProgress } from '../../build/progress.ts'
import { failureWords } from '../failure-words.ts'
import type { StatusFeed } from './status-feed.ts'
import { Vertex } from './vertex.ts'

/** Lines of the Dockerfile, counted from 1. */
export interface Lines {
  start: number
  end: number
}

/** Others change the configuration only: nobody waits for them. */
const drawnKinds: ReadonlySet<string> = new Set(['RUN', 'COPY', 'ADD', 'WORKDIR'])
const maxNameLength = 500

export class KitProgress implements BuildProgress {
  readonly #feed: StatusFeed
  readonly #now: () => number
  readonly #plan: BuildPlan
  /** By instructions, and for FROM by stages. */
  readonly #vertexes = new Map<object, Vertex>()
  readonly #current = new Map<number, { vertex: Vertex | undefined; lines: Lines }>()
  readonly #last = new Map<number, Vertex>()
  /** Where the first thing went wrong. */
  failedAt: Lines | undefined

  constructor(feed: StatusFeed, plan: BuildPlan, now: () => number) {
    this.#feed = feed
    this.#plan = plan
    this.#now = now
    for (const index of plan.needed) {
      const planned = plan.stages[index]
      if (planned !== undefined) this.#drawStage(planned)
    }
  }

  async announce(): Promise<void> {
    for (const vertex of this.#vertexes.values()) await vertex.announce()
  }

  async tell(stage: number, event: BuildEvent): Promise<void> {
    const current = this.#current.get(stage)
    const vertex = current?.vertex
    switch (event.kind) {
      case 'step':
        return this.#begin(stage, event.instruction)
      case 'trigger':
        return this.#beginTrigger(stage, event.instruction)
      case 'cached':
        return vertex?.markCached()
      case 'output':
        return vertex?.log(event.stream, event.text)
      case 'pulling':
        return vertex === undefined ? undefined : showPull(vertex, event.message)
      case 'stepped':
        this.#current.delete(stage)
        return vertex?.complete()
      default:
        return
    }
  }

  finish(stage: number, error?: unknown): void {
    const current = this.#current.get(stage)
    this.#current.delete(stage)
    if (current === undefined || error === undefined) return
    this.failedAt ??= current.lines
    void current.vertex?.complete(failureWords(error))
  }

  #drawStage({ index, name, base, stage }: PlannedStage): void {
    const label = name || (this.#plan.needed.length > 1 ? `stage-${index}` : '')
    const drawn = stage.instructions.filter(({ kind }) => drawnKinds.has(kind))
    const isBegun = typeof base === 'object' && 'stage' in base
    const first = isBegun || base === 'scratch' ? [] : [stage]
    const all: { text: string }[] = [...first, ...drawn]
    let before = isBegun ? this.#last.get(base.stage) : undefined
    for (const [at, each] of all.entries()) {
      const title = `[${[label, `${at + 1}/${all.length}`].filter(Boolean).join(' ')}] ${each.text}`
      before = this.#draw(each, title, before)
      this.#last.set(index, before)
    }
    if (before !== undefined) this.#last.set(index, before)
  }

  #draw(key: object, title: string, before: Vertex | undefined): Vertex {
    const name = title.length > maxNameLength ? `${title.slice(0, maxNameLength)}…` : title
    const vertex = new Vertex(this.#feed, name, before === undefined ? [] : [before.digest], this.#now)
    this.#vertexes.set(key, vertex)
    return vertex
  }

  async #begin(index: number, instruction: Instruction | undefined): Promise<void> {
    const stage = this.#plan.stages[index]?.stage
    const vertex = this.#vertexes.get(instruction ?? stage ?? {})
    const start = instruction?.place.line ?? stage?.place.line ?? 1
    this.#current.set(index, { vertex, lines: { start, end: instruction?.endLine ?? start } })
    await vertex?.start()
  }

  /** Its lines stand in another Dockerfile: the stage's first line is to blame. */
  async #beginTrigger(index: number, instruction: Instruction): Promise<void> {
    const stage = this.#plan.stages[index]
    const start = stage?.stage.place.line ?? 1
    const isDrawn = drawnKinds.has(instruction.kind)
    const title = `[${[stage?.name, 'onbuild'].filter(Boolean).join(' ')}] ${instruction.text}`
    const vertex = isDrawn ? this.#draw(instruction, title, undefined) : undefined
    this.#current.set(index, { vertex, lines: { start, end: start } })
    await vertex?.start()
  }
}

interface PullMessage {
  id?: string
  status?: string
  progressDetail?: { current?: number; total?: number }
}

export async function showPull(vertex: Vertex, { id, status = '', progressDetail = {} }: PullMessage): Promise<void> {
  if (id === undefined || id === '') return vertex.log('stdout', `${status}\n`)
  const isDone = /complete|exists/i.test(status)
  if (progressDetail.current !== undefined || isDone) await vertex.figure(id, { ...progressDetail, isDone })
}
