// Plain continuation of a prompt on a GGUF model.
import type { Call } from '../../call.ts'
import { merge } from '../../merge.ts'
import type { TextAnswer, TextChoice, TextDelta, TextLogprobs, TextModel, TextRequest } from '../../text.ts'
import { samplingOptions } from './generate-options.ts'
import type { GenerationEvent, LlamaEngine } from './llama-engine.ts'
import type { GenerateOptions, Piece, PieceLogprob } from './protocol.ts'
import { UsageCount } from './usage-count.ts'

interface Step {
  index: number
  pieces: Piece[]
  finish: TextChoice['finish_reason'] | null
}

export class LlamaText implements TextModel {
  readonly #engine: LlamaEngine

  constructor(engine: LlamaEngine) {
    this.#engine = engine
  }

  async *stream(request: TextRequest, call: Call): AsyncGenerator<TextDelta> {
    const head = await this.#head(call)
    const usage = new UsageCount()
    const offsets = new Map<number, number>()
    for await (const { index, pieces, finish } of this.#steps(request, request.choices, call, usage)) {
      const text = pieces.map((piece) => piece.text).join('')
      const offset = offsets.get(index) ?? 0
      offsets.set(index, offset + text.length)
      const logprobs = request.topLogprobs === undefined ? null : textLogprobs(pieces, offset)
      yield { ...head, choices: [{ index, text, logprobs, finish_reason: finish }] }
    }
    yield { ...head, choices: [], usage: usage.total() }
  }

  async complete(request: TextRequest, call: Call): Promise<TextAnswer> {
    const head = await this.#head(call)
    const usage = new UsageCount()
    const made: { pieces: Piece[]; finish: TextChoice['finish_reason'] }[] = []
    for await (const { index, pieces, finish } of this.#steps(request, request.bestOf, call, usage)) {
      made[index] ??= { pieces: [], finish: 'stop' }
      made[index].pieces.push(...pieces)
      made[index].finish = finish ?? made[index].finish
    }
    const best =
      request.bestOf > request.choices ? made.sort((a, b) => likelihood(b.pieces) - likelihood(a.pieces)) : made
    const choices = best.slice(0, request.choices).map(({ pieces, finish }, index) => ({
      index,
      text: pieces.map((piece) => piece.text).join(''),
      logprobs: request.topLogprobs === undefined ? null : textLogprobs(pieces, 0),
      finish_reason: finish,
    }))
    return { ...head, choices, usage: usage.total() }
  }

  async #head(call: Call): Promise<Pick<TextAnswer, 'model' | 'system_fingerprint'>> {
    const { name, fingerprint } = await this.#engine.facts()
    return { model: call.model ?? name, system_fingerprint: fingerprint }
  }

  async *#steps(request: TextRequest, count: number, call: Call, usage: UsageCount): AsyncGenerator<Step> {
    const { prompt, suffix, echo } = request
    const given = { kind: 'text' as const, text: prompt, suffix: suffix === '' ? undefined : suffix }
    const ranks = count > request.choices
    const shared = {
      ...(await this.#engine.read(given, undefined, count, call)),
      adapter: call.adapter,
      maxTokens: request.maxTokens,
      topLogprobs: request.topLogprobs ?? (ranks ? 0 : undefined),
      echo,
      grammar: undefined,
      trigger: undefined,
      showSpecial: false,
      endsCircles: false,
      closesCircles: false,
      copiedFrom: undefined,
      unwantedMark: undefined,
    }
    const generations = Array.from({ length: count }, (_, index) => {
      const options: GenerateOptions = { ...shared, ...samplingOptions(request.sampling, index) }
      return steps(index, this.#engine.generate(options, call), usage)
    })
    yield* merge(generations)
  }
}

async function* steps(
  index: number,
  generation: AsyncGenerator<GenerationEvent[]>,
  usage: UsageCount,
): AsyncGenerator<Step> {
  for await (const events of generation) {
    for (const event of events) {
      usage.add(event)
      if (event.type === 'started' && event.promptPieces.length > 0) {
        yield { index, pieces: event.promptPieces, finish: null }
      }
      if (event.type === 'pieces') yield { index, pieces: event.pieces, finish: null }
      if (event.type === 'finished') yield { index, pieces: [], finish: event.reason }
    }
  }
}

/** Mean log probability of its tokens. */
function likelihood(pieces: Piece[]): number {
  const values = pieces.flatMap(({ logprobs }) => logprobs.map(({ logprob }) => logprob ?? 0))
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function textLogprobs(pieces: Piece[], offset: number): TextLogprobs {
  const list: Lists = { tokens: [], token_logprobs: [], top_logprobs: [], text_offset: [] }
  let at = offset
  for (const { text, logprobs } of pieces) {
    for (const logprob of logprobs) {
      list.tokens.push(logprob.token)
      list.token_logprobs.push(logprob.logprob ?? null)
      list.text_offset.push(at)
      list.top_logprobs.push(logprob.logprob === undefined ? null : topOf(logprob))
    }
    at += text.length
  }
  return list
}

type Lists = TextLogprobs & { top_logprobs: NonNullable<TextLogprobs['top_logprobs']> }

/** The chosen token is always among them, also when it is none of the likeliest: one more than was asked for. */
const topOf = ({ token, logprob = 0, top }: PieceLogprob): Record<string, number> => ({
  ...Object.fromEntries(top.map((one) => [one.token, one.logprob])),
  [token]: logprob,
})
