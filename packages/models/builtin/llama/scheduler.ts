// Runs all generations of a model together: every step computes the next token of each running answer and a slice of
// waiting prompts, short ones first.
import { ModelProblem } from '../../problem.ts'
import { Adapters } from './adapters.ts'
import { Generation, type Plan } from './generation.ts'
import type { Loaded } from './loaded-model.ts'
import { readPrompt } from './prompt-tokens.ts'
import type { Event, GenerateOptions, ReadPrompt } from './protocol.ts'
import { planReading } from './reading-plan.ts'
import { SlicePace } from './slice-pace.ts'
import { Slots } from './slots.ts'

/** Tokens that follow one another faster than this travel together. */
const sendEveryMs = 4

interface Item {
  generation: Generation
  plan: Plan
  outputs: Uint32Array
}

export class Scheduler {
  readonly #loaded: Loaded
  readonly #slots: Slots
  readonly #send: (events: Event[]) => void
  readonly #known = new Map<number, Generation>()
  #waiting: Generation[] = []
  readonly #running = new Set<Generation>()
  readonly #pace: SlicePace
  readonly #adapters: Adapters
  #isLooping = false
  #sentAt = 0

  constructor(loaded: Loaded, send: (events: Event[]) => void) {
    this.#loaded = loaded
    this.#send = send
    this.#slots = new Slots(loaded.context, loaded.slots)
    // The other half is for the answers' own tokens.
    this.#pace = new SlicePace(loaded.batchTokens / 2)
    this.#adapters = new Adapters(loaded)
  }

  add(id: number, options: GenerateOptions): void {
    try {
      const generation = new Generation(this.#loaded, id, options, this.#readPrompt(options))
      this.#known.set(id, generation)
      this.#waiting.push(generation)
    } catch (error) {
      this.#send([failure(id, error)])
      return
    }
    if (!this.#isLooping) void this.#loop()
  }

  cancel(id: number): void {
    const generation = this.#known.get(id)
    if (generation !== undefined) generation.isCancelled = true
  }

  #readPrompt(options: GenerateOptions): ReadPrompt {
    const { vocabularySize } = this.#loaded
    const foreign = options.logitBias.find(([token]) => token >= vocabularySize)
    if (foreign !== undefined) {
      const message = `There is no token ${foreign[0]}: this model's tokens go from 0 to ${vocabularySize - 1}.`
      throw new ModelProblem(message, { kind: 'invalid', param: 'logit_bias' })
    }
    return readPrompt(this.#loaded, options.prompt)
  }

  async #loop(): Promise<void> {
    this.#isLooping = true
    while (this.#waiting.length > 0 || this.#running.size > 0) {
      this.#dropCancelled()
      await this.#admit()
      if (this.#running.size > 0) await this.#step()
      this.#deliver()
    }
    this.#isLooping = false
  }

  async #admit(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    for (const generation of waiting) {
      const { adapter } = generation.options
      try {
        await this.#adapters.load(adapter)
      } catch (error) {
        this.#fail(generation, error)
        continue
      }
      const slot = await this.#slots.take(generation.prompt, !generation.describesPrompt, adapter)
      if (slot === undefined) {
        this.#waiting.push(generation)
        continue
      }
      generation.begin(slot)
      this.#running.add(generation)
    }
  }

  async #step(): Promise<void> {
    const adapter = this.#adapters.next([...this.#running].map(({ options }) => options.adapter))
    const items = this.#plan([...this.#running].filter(({ options }) => options.adapter === adapter))
    const startedAt = performance.now()
    try {
      this.#adapters.use(adapter)
      this.#fill(items)
      await this.#loaded.context.decodeBatch()
    } catch (error) {
      for (const { generation } of items) this.#fail(generation, error)
      return
    }
    await Promise.all(items.map((item) => this.#settle(item)))
    this.#pace.learn(tokensOf(items), performance.now() - startedAt)
  }

  #plan(running: readonly Generation[]): Item[] {
    const items: Item[] = []
    let room = this.#pace.tokens
    const add = (generation: Generation, most: number): void => {
      const plan = generation.plan(most)
      room -= plan.tokens.length
      items.push({ generation, plan, outputs: new Uint32Array() })
    }
    const answering = running.filter((generation) => !generation.isReadingPrompt)
    // Drafts share the room; every answer has place for its own token.
    const share = Math.max(1, Math.floor(room / answering.length))
    for (const generation of answering) add(generation, share)
    const reading = running.filter((generation) => generation.isReadingPrompt)
    for (const [generation, most] of planReading(reading, room)) add(generation, most)
    return items
  }

  #fill(items: Item[]): void {
    const { context } = this.#loaded
    context.initBatch(tokensOf(items))
    for (const item of items) {
      const { generation, plan } = item
      const slot = generation.slot
      if (slot === undefined) throw new Error('a generation runs without a slot')
      const [tokens, outputs] = [Uint32Array.from(plan.tokens), Uint32Array.from(plan.outputs)]
      item.outputs = context.addToBatch(slot.id, slot.tokens.length, tokens, outputs)
    }
  }

  async #settle({ generation, plan, outputs }: Item): Promise<void> {
    try {
      await generation.settle(plan, outputs)
    } catch (error) {
      this.#fail(generation, error)
    }
  }

  #fail(generation: Generation, error: unknown): void {
    generation.outbox.push(failure(generation.id, error))
    if (generation.slot !== undefined) this.#slots.clear(generation.slot)
    this.#end(generation)
  }

  #dropCancelled(): void {
    for (const generation of this.#known.values()) if (generation.isCancelled) this.#end(generation)
    this.#waiting = this.#waiting.filter((generation) => !generation.isCancelled)
  }

  #end(generation: Generation): void {
    this.#known.delete(generation.id)
    this.#running.delete(generation)
    this.#ended.push(generation)
    if (generation.slot !== undefined) this.#slots.release(generation.slot)
    generation.dispose()
  }

  /** Their last words are still to be sent. */
  readonly #ended: Generation[] = []

  #deliver(): void {
    for (const generation of this.#running) if (generation.finished !== undefined) this.#end(generation)
    const now = performance.now()
    if (this.#ended.length === 0 && now - this.#sentAt < sendEveryMs) return
    const events = [...this.#running, ...this.#ended.splice(0)].flatMap(({ outbox, isCancelled }) => {
      const sent = outbox.splice(0)
      return isCancelled ? [] : sent
    })
    if (events.length === 0) return
    this.#sentAt = now
    this.#send(events)
  }
}

const tokensOf = (items: readonly Item[]): number => items.reduce((sum, { plan }) => sum + plan.tokens.length, 0)

function failure(id: number, error: unknown): Event {
  const { message } = error as Error
  const detail = error instanceof ModelProblem ? error.detail : { kind: 'failed' as const }
  return { type: 'failed', id, message, detail }
}
