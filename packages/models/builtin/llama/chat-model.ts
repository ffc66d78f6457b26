// Chat on a GGUF model: each choice is a generation of its own; what they share of the prompt is computed once.
import { randomBytes } from 'node:crypto'
import type { Call } from '../../call.ts'
import type {
  ChatAnswer,
  ChatDelta,
  ChatModel,
  ChatRequest,
  ChatUsage,
  ChoiceDelta,
  FinishReason,
  TokenLogprob,
} from '../../chat.ts'
import { collectChat } from '../../collect-chat.ts'
import { type ToolCallEvent, ToolCallReader } from '../../grammar/tool-call-reader.ts'
import { detectToolSyntax } from '../../grammar/tool-syntax.ts'
import { merge } from '../../merge.ts'
import { answeredCalls, unrepeated, wordsGrammar } from './answered-calls.ts'
import { chatPrompt } from './chat-prompt.ts'
import { ConstraintBuilder } from './constraint-builder.ts'
import type { Constraints } from './constraints.ts'
import { sourceText } from './copying/source-text.ts'
import { samplingOptions } from './generate-options.ts'
import type { GenerationEvent, LlamaEngine } from './llama-engine.ts'
import { withNamedChoices } from './named-choices.ts'
import { type LengthBound, refuseJson } from './prompt-length.ts'
import type { GenerateOptions, Piece, PieceLogprob } from './protocol.ts'
import { UsageCount } from './usage-count.ts'

export class LlamaChat implements ChatModel {
  readonly #engine: LlamaEngine
  readonly #constraints = new ConstraintBuilder()
  readonly #assists: boolean

  constructor(engine: LlamaEngine, assists = false) {
    this.#engine = engine
    this.#assists = assists
  }

  close(): Promise<void> {
    return this.#constraints.close()
  }

  async contextLength(): Promise<number> {
    return (await this.#engine.facts()).load.contextLength
  }

  /** The beginning of the prompt stays computed, for whoever asks with the same one. */
  async warm(request: ChatRequest, call: Call): Promise<void> {
    await this.complete({ ...request, maxTokens: 1 }, call)
  }

  async countTokens(request: ChatRequest, call: Call): Promise<number> {
    const { info, load } = await this.#engine.facts()
    refuseForms(request, { ...load, longestTokenBytes: info.longestTokenBytes })
    return this.#engine.count(chatPrompt(request, info.chatTemplate), call)
  }

  complete(request: ChatRequest, call: Call): Promise<ChatAnswer> {
    return collectChat(this.stream(request, call))
  }

  async *stream(request: ChatRequest, call: Call): AsyncGenerator<ChatDelta> {
    const { name, fingerprint, info, load } = await this.#engine.facts()
    const head = { model: call.model ?? name, system_fingerprint: fingerprint }
    refuseForms(request, { ...load, longestTokenBytes: info.longestTokenBytes })
    const prompt = chatPrompt(request, info.chatTemplate)
    const { choices: answers, prediction } = request
    const [read, constraints] = await Promise.all([
      this.#engine.read(prompt, prediction, answers, call),
      this.#constraints.build(this.#assists ? withNamedChoices(request) : request, info.chatTemplate),
    ])
    const shared = {
      ...read,
      adapter: call.adapter,
      maxTokens: request.maxTokens,
      topLogprobs: request.topLogprobs,
      echo: false,
      grammar: constraints.grammar,
      trigger: constraints.trigger,
      showSpecial: constraints.syntax !== undefined,
      endsCircles: this.#assists && constraints.grammar === undefined,
      closesCircles: this.#assists,
      copiedFrom: this.#assists ? sourceText(request.messages) : undefined,
      unwantedMark: this.#assists ? markOfCalls(constraints, info.chatTemplate) : undefined,
    }
    const usage = new UsageCount()
    const answered = this.#assists && !constraints.isForced ? answeredCalls(request.messages) : []
    const choices = Array.from({ length: request.choices }, (_, index) => {
      const options: GenerateOptions = { ...shared, ...samplingOptions(request.sampling, index) }
      const choice = this.#choice(index, this.#engine.generate(options, call), constraints, usage)
      if (answered.length === 0 || constraints.trigger === undefined) return choice
      const words = { grammar: wordsGrammar, trigger: undefined, showSpecial: false, copiedFrom: undefined }
      const inWords = { ...options, ...words, endsCircles: true, closesCircles: false }
      const again = () => this.#choice(index, this.#engine.generate(inWords, call), noCalls, usage)
      return unrepeated(choice, answered, again)
    })
    for await (const piece of merge(choices)) yield { ...head, choices: [piece] }
    yield { ...head, choices: [], usage: usage.total() satisfies ChatUsage }
  }

  async *#choice(
    index: number,
    generation: AsyncGenerator<GenerationEvent[]>,
    constraints: Constraints,
    usage: UsageCount,
  ): AsyncGenerator<ChoiceDelta> {
    const writer = new ChoiceWriter(index, constraints)
    for await (const events of generation) {
      for (const event of events) {
        usage.add(event)
        yield* writer.write(event)
      }
    }
  }
}

const noCalls: Constraints = { grammar: undefined, trigger: undefined, syntax: undefined, names: [], isForced: false }

/** Where there is nothing to call, small models do it all the same. A mark that is common text says nothing of that. */
function markOfCalls({ grammar, trigger }: Constraints, template: string | undefined): string | undefined {
  if (grammar !== undefined || trigger !== undefined) return undefined
  const syntax = detectToolSyntax(template)
  return syntax.onlyAtStart ? undefined : syntax.trigger
}

/** Tools and schemas are part of the prompt. */
function refuseForms({ tools, toolChoice, responseFormat }: ChatRequest, bound: LengthBound): void {
  if (toolChoice !== 'none') refuseJson(tools, bound, 'tools')
  if (responseFormat.type === 'json_schema') {
    refuseJson(responseFormat.json_schema.schema, bound, 'response_format')
  }
}

/** Turns one generation into the deltas of one choice. */
class ChoiceWriter {
  readonly #index: number
  readonly #reader: ToolCallReader | undefined
  readonly #isForced: boolean
  #calls = 0
  /** Of text that the reader still holds back. */
  #logprobs: TokenLogprob[] = []

  constructor(index: number, { syntax, isForced, names }: Constraints) {
    this.#index = index
    this.#isForced = isForced
    if (syntax !== undefined) this.#reader = new ToolCallReader(syntax, names)
  }

  *write(event: GenerationEvent): Generator<ChoiceDelta> {
    switch (event.type) {
      case 'started':
        yield this.#delta({ role: 'assistant', content: this.#isForced ? null : '' })
        return
      case 'pieces':
        yield* this.#pieces(event.pieces)
        return
      case 'finished':
        for (const read of this.#reader?.end() ?? []) yield* this.#read(read)
        yield { ...this.#delta({}), finish_reason: this.#reason(event.reason) }
    }
  }

  *#pieces(pieces: Piece[]): Generator<ChoiceDelta> {
    for (const { text, logprobs } of pieces) {
      this.#logprobs.push(...logprobs.map(tokenLogprob))
      if (this.#reader !== undefined) {
        for (const read of this.#reader.push(text)) yield* this.#read(read)
      } else if (text !== '' || logprobs.length > 0) yield this.#text(text)
    }
  }

  *#read(read: ToolCallEvent): Generator<ChoiceDelta> {
    switch (read.type) {
      case 'content':
        yield this.#text(read.text)
        return
      case 'call': {
        this.#logprobs = []
        const id = `call_${randomBytes(12).toString('hex')}`
        const first = { index: this.#calls++, id, type: 'function' as const }
        yield this.#delta({ tool_calls: [{ ...first, function: { name: read.name, arguments: '' } }] })
        return
      }
      case 'arguments':
        this.#logprobs = []
        yield this.#delta({ tool_calls: [{ index: this.#calls - 1, function: { arguments: read.text } }] })
    }
  }

  #text(content: string): ChoiceDelta {
    const logprobs = this.#logprobs.splice(0)
    return { ...this.#delta({ content }), logprobs: logprobs.length > 0 ? { content: logprobs, refusal: null } : null }
  }

  #reason(reason: 'stop' | 'length'): FinishReason {
    return reason === 'stop' && this.#calls > 0 ? 'tool_calls' : reason
  }

  #delta(delta: ChoiceDelta['delta']): ChoiceDelta {
    return { index: this.#index, delta, logprobs: null, finish_reason: null }
  }
}

const tokenLogprob = ({ token, bytes, logprob = 0, top }: PieceLogprob): TokenLogprob => ({
  token,
  logprob,
  bytes,
  top_logprobs: top,
})
