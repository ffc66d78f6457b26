// One answer in the making: what it reads next, and what becomes of the tokens the model chooses.
import type { AddonGrammarState, AddonSampler } from './addon.ts'
import { CircleGuard } from './circle-guard.ts'
import { type Biases, Copying } from './copying/copying.ts'
import { Distribution } from './distribution.ts'
import type { Loaded } from './loaded-model.ts'
import { Prediction } from './prediction.ts'
import { predictedTokens } from './prompt-tokens.ts'
import type { Event, GenerateOptions, Piece, PieceLogprob, ReadPrompt } from './protocol.ts'
import { banBias, samplerConfig } from './sampler-config.ts'
import type { Slot } from './slots.ts'
import { StopText } from './stop-text.ts'
import { TextCircles } from './text-circles.ts'
import { Utf8Guard } from './utf8-guard.ts'

export interface Plan {
  tokens: number[]
  /** Places in `tokens` whose results are wanted. */
  outputs: number[]
}

const none: Biases = new Map()
/** More than what callers may add to other tokens. One that they have banned stays so. */
const sureBias = 1e4

export class Generation {
  readonly id: number
  readonly prompt: readonly number[]
  readonly options: GenerateOptions
  slot: Slot | undefined
  isCancelled = false
  passedOver = 0
  finished: 'stop' | 'length' | undefined
  /** Ready to be sent. */
  readonly outbox: Event[] = []
  readonly #loaded: Loaded
  readonly #sampler: AddonSampler
  readonly #distribution: Distribution | undefined
  readonly #stopText: StopText<PieceLogprob | undefined>
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #prediction: Prediction | undefined
  readonly #predictedTokens: number
  readonly #maxTokens: number
  readonly #circles: CircleGuard | undefined
  readonly #chosen: number[] = []
  /** What of the prompt is echoed. */
  readonly #shown: { from: number; to: number }
  readonly #promptPieces: Piece[] = []
  #last: number | undefined
  #draft: number[] = []
  #cached = 0
  /** The end of the text so far, while a trigger is awaited. */
  #tail = ''
  #trigger: GenerateOptions['trigger']
  #grammar: { state: AddonGrammarState; utf8: number } | undefined
  #copying: Copying | undefined
  #textCircles: TextCircles | undefined
  /** What the two add to the next tokens' logits. */
  #added: Biases = new Map()

  constructor(loaded: Loaded, id: number, options: GenerateOptions, { tokens: prompt, from, to }: ReadPrompt) {
    this.id = id
    this.prompt = prompt
    this.#shown = { from, to }
    this.options = withoutMark(options, loaded)
    this.#loaded = loaded
    this.#maxTokens = Math.min(options.maxTokens ?? Number.POSITIVE_INFINITY, loaded.contextLength - prompt.length)
    this.#trigger = options.trigger
    if (options.endsCircles) this.#circles = new CircleGuard()
    this.#stopText = new StopText(options.stop)
    const predicted =
      typeof options.prediction === 'string' ? predictedTokens(loaded, options.prediction) : (options.prediction ?? [])
    this.#predictedTokens = predicted.length
    if (predicted.length > 0) this.#prediction = new Prediction(predicted)
    this.#sampler = new loaded.addon.AddonSampler(loaded.model)
    this.#configure(options.grammar)
    if (options.topLogprobs !== undefined) this.#distribution = new Distribution(loaded, options.topLogprobs)
  }

  begin(slot: Slot): void {
    this.slot = slot
    this.#cached = slot.tokens.length
  }

  /** Every token of the prompt has to be computed, none can come from the cache. */
  get describesPrompt(): boolean {
    return this.options.echo && this.#distribution !== undefined
  }

  /** Of its prompt. */
  get unreadTokens(): number {
    return this.prompt.length - (this.slot?.tokens.length ?? 0)
  }

  get isReadingPrompt(): boolean {
    return this.#last === undefined
  }

  /** What to compute in the next step, at most `room` tokens. */
  plan(room: number): Plan {
    const done = this.slot?.tokens.length ?? 0
    if (this.#last === undefined) {
      const tokens = this.prompt.slice(done, done + room)
      const isLast = done + tokens.length === this.prompt.length
      if (this.describesPrompt) return { tokens, outputs: tokens.map((_, at) => at) }
      return { tokens, outputs: isLast ? [tokens.length - 1] : [] }
    }
    const left = this.#maxTokens - this.#chosen.length
    this.#draft = this.#prediction?.draft(Math.min(room, left) - 1) ?? []
    const tokens = [this.#last, ...this.#draft]
    return { tokens, outputs: tokens.map((_, at) => at) }
  }

  /** The step is computed: `outputs` are the places of its results. */
  async settle(plan: Plan, outputs: Uint32Array): Promise<void> {
    const slot = this.slot as Slot
    if (this.#last === undefined) {
      if (this.describesPrompt) await this.#describePrompt(slot.tokens.length, outputs)
      slot.tokens.push(...plan.tokens)
      if (slot.tokens.length < this.prompt.length) return
      this.#announce()
      if (this.#maxTokens <= 0) this.#finish('length')
      else await this.#choose(outputs[outputs.length - 1] as number)
      return
    }
    const held = await this.#checkDraft(outputs)
    slot.tokens.push(...plan.tokens.slice(0, 1 + held))
    if (held < this.#draft.length && !this.#dropCells(slot)) throw new Error('a draft could not be taken back')
  }

  dispose(): void {
    this.#sampler.dispose()
    this.#distribution?.dispose()
  }

  /** Chooses behind each drafted token as long as the draft holds. Returns how much of it did. */
  async #checkDraft(outputs: Uint32Array): Promise<number> {
    let held = 0
    for (const output of outputs) {
      const token = await this.#choose(output)
      if (this.finished !== undefined || token !== this.#draft[held]) break
      held++
    }
    this.#prediction?.judge(this.#draft.length, held)
    return held
  }

  #dropCells(slot: Slot): boolean {
    return this.#loaded.context.removeTokenCellsFromSequence(slot.id, slot.tokens.length, -1)
  }

  async #choose(output: number): Promise<number> {
    const { context, vocabulary } = this.#loaded
    const token = await context.sampleToken(output, this.#sampler)
    if (token < 0 || vocabulary.isEnd(token)) {
      this.#finish('stop')
      return token
    }
    const logprob = await this.#distribution?.of(output, token)
    this.#last = token
    this.#chosen.push(token)
    this.#prediction?.follow(token)
    if (this.#grammar !== undefined) this.#guard(token, this.#grammar)
    this.#show(token, logprob)
    if (this.finished === undefined && this.#chosen.length >= this.#maxTokens) this.#finish('length')
    if (this.#circles?.closes(this.#chosen) && !this.#isCall) this.#finish('stop')
    return token
  }

  /** A call that is broken off would be worth nothing. */
  get #isCall(): boolean {
    return this.#grammar !== undefined && this.options.grammar === undefined
  }

  #show(token: number, logprob: PieceLogprob | undefined): void {
    const bytes = this.#loaded.vocabulary.bytesOf(token, this.options.showSpecial)
    const text = this.#decoder.decode(bytes, { stream: true })
    this.#emit(this.#stopText.push({ text, of: logprob }))
    if (this.#stopText.stopped) this.#finish('stop')
    else if (this.#trigger !== undefined) this.#watch(text, this.#trigger)
  }

  /** A tool call begins: from here on the grammar rules. Text behind the trigger in the same token counts already. */
  #watch(text: string, trigger: NonNullable<GenerateOptions['trigger']>): void {
    const seen = this.#tail + text
    if (trigger.onlyAtStart && !couldBegin(seen, trigger.text)) {
      this.#trigger = undefined
      return
    }
    const at = seen.indexOf(trigger.text)
    if (at < 0) {
      this.#tail = trigger.onlyAtStart ? seen : seen.slice(-trigger.text.length)
      return
    }
    const rest = seen.slice(at + trigger.text.length)
    this.#trigger = undefined
    this.#configure(trigger.grammar, rest)
    const begun = Buffer.from(trigger.text + rest)
    this.#copying?.after(begun)
    this.#textCircles?.begin(begun)
  }

  #configure(grammar: string | undefined, begun = ''): void {
    const { addon, model } = this.#loaded
    if (grammar !== undefined) {
      const state = this.#loaded.grammars.stateOf(grammar)
      for (const token of begun === '' ? [] : model.tokenize(begun, false)) {
        // Already against the grammar: it cannot be held to it any more.
        if (!addon.AddonSampler.canBeNextTokenForGrammarEvaluationState(state, token)) return
        addon.AddonSampler.acceptGrammarEvaluationStateToken(state, token)
      }
      this.#grammar = { state, utf8: Utf8Guard.start }
      this.#copying = this.#copyingUnder(state)
      if (this.options.closesCircles) this.#textCircles = new TextCircles()
    }
    this.#applyConfig()
  }

  #applyConfig(): void {
    const { contextLength, utf8Guard } = this.#loaded
    const banned = this.#grammar && utf8Guard.banned(this.#grammar.utf8, this.options.showSpecial)
    const config = samplerConfig(this.options, this.#chosen, contextLength, this.#added, banned)
    if (this.#grammar !== undefined) config.grammarEvaluationState = this.#grammar.state
    this.#sampler.applyConfig(config)
  }

  /** Which tokens may follow depends on where within a character the text is; which are likely, on what is copied. */
  #guard(token: number, grammar: { state: AddonGrammarState; utf8: number }): void {
    const next = this.#loaded.utf8Guard.next(grammar.utf8, token, this.options.showSpecial)
    const bytes = this.#loaded.vocabulary.bytesOf(token, false)
    const copied = this.#copying?.after(bytes) ?? none
    const added = this.#closing(this.#textCircles?.after(token, bytes), grammar.state) ?? copied
    if (next === grammar.utf8 && added.size === 0 && this.#added.size === 0) return
    grammar.utf8 = next
    this.#added = added
    this.#applyConfig()
  }

  /** Makes sure of this mark, where the grammar lets it follow. */
  #closing(mark: string | undefined, state: AddonGrammarState): Biases | undefined {
    const { addon, copyTokens } = this.#loaded
    const [token] = mark === undefined ? [] : copyTokens.beginning(mark)
    if (token === undefined || !addon.AddonSampler.canBeNextTokenForGrammarEvaluationState(state, token))
      return undefined
    return new Map([[token, sureBias]])
  }

  #copyingUnder(state: AddonGrammarState): Copying | undefined {
    const { copyTokens, addon, model } = this.#loaded
    const { copiedFrom } = this.options
    if (copiedFrom === undefined) return undefined
    const [unlikely] = model.tokenize('~', false)
    if (unlikely === undefined) return undefined
    const isFree = () => addon.AddonSampler.canBeNextTokenForGrammarEvaluationState(state, unlikely)
    return new Copying({ source: copiedFrom, tokens: copyTokens, isFree })
  }

  async #describePrompt(from: number, outputs: Uint32Array): Promise<void> {
    const [first] = this.prompt
    // Nothing comes before the first token that could make it likely.
    if (from === 0 && this.#isShown(0) && first !== undefined)
      this.#promptPieces.push(this.#promptPiece(first, undefined))
    for (const [at, output] of outputs.entries()) {
      const token = this.prompt[from + at + 1]
      if (token === undefined || !this.#isShown(from + at + 1)) continue
      this.#promptPieces.push(this.#promptPiece(token, await this.#distribution?.of(output, token)))
    }
  }

  #isShown(place: number): boolean {
    return place >= this.#shown.from && place < this.#shown.to
  }

  #promptPiece(token: number, known: PieceLogprob | undefined): Piece {
    const { vocabulary } = this.#loaded
    const text = this.#promptDecoder.decode(vocabulary.bytesOf(token, true), { stream: true })
    const unknown = { token: vocabulary.textOf(token), bytes: [...vocabulary.bytesOf(token, true)] }
    return { text, logprobs: [known ?? { ...unknown, logprob: undefined, top: [] }] }
  }

  readonly #promptDecoder = new TextDecoder('utf-8', { ignoreBOM: true })

  #announce(): void {
    if (this.options.echo && !this.describesPrompt) {
      const { from, to } = this.#shown
      for (const token of this.prompt.slice(from, to)) {
        this.#promptPieces.push({ ...this.#promptPiece(token, undefined), logprobs: [] })
      }
    }
    this.outbox.push({
      type: 'started',
      id: this.id,
      promptTokens: this.prompt.length,
      cachedTokens: this.#cached,
      promptPieces: this.#promptPieces,
    })
  }

  #emit(entries: { text: string; of: PieceLogprob | undefined }[]): void {
    if (entries.length === 0) return
    const pieces = entries.map(({ text, of }) => ({ text, logprobs: of === undefined ? [] : [of] }))
    const last = this.outbox.at(-1)
    if (last?.type === 'pieces') last.pieces.push(...pieces)
    else this.outbox.push({ type: 'pieces', id: this.id, pieces })
  }

  #finish(reason: 'stop' | 'length'): void {
    if (this.finished !== undefined) return
    this.finished = reason
    const rest = this.#decoder.decode()
    if (!this.#stopText.stopped)
      this.#emit([...this.#stopText.push({ text: rest, of: undefined }), ...this.#stopText.end()])
    const accepted = Math.min(this.#predictedTokens, this.#prediction?.accepted ?? 0)
    this.outbox.push({
      type: 'finished',
      id: this.id,
      reason,
      completionTokens: this.#chosen.length,
      acceptedPrediction: accepted,
      rejectedPrediction: this.#predictedTokens - accepted,
    })
  }
}

/** A mark that is one token can be kept from being chosen. */
function withoutMark(options: GenerateOptions, { model }: Loaded): GenerateOptions {
  const [mark, ...more] = options.unwantedMark === undefined ? [] : model.tokenize(options.unwantedMark, true)
  if (mark === undefined || more.length > 0) return options
  return { ...options, logitBias: [...options.logitBias, [mark, banBias]] }
}

/** Whether a text that goes on like this may begin with the mark, or does. */
function couldBegin(seen: string, mark: string): boolean {
  const start = seen.trimStart()
  return start.startsWith(mark) || mark.startsWith(start)
}
