// Writes the chunks of one stream. Thousands may go out in a second, so what they share is written once.
import type { ChatDelta, ChoiceDelta } from '@atoll/models/chat'
import { functionCallDelta } from './legacy-functions.ts'

interface StreamHead {
  id: string
  created: number
  serviceTier: 'default' | undefined
  /** Every chunk then says `usage: null`, and one more says what it was. */
  includeUsage: boolean
  /** The caller reads `function_call`. */
  legacy: boolean
}

type Answered = Pick<ChatDelta, 'model' | 'system_fingerprint'>

export class ChunkFrames {
  readonly #head: StreamHead
  readonly #end: string
  #written: { by: Answered; text: string } | undefined

  constructor(head: StreamHead) {
    this.#head = head
    this.#end = head.includeUsage ? '],"usage":null}' : ']}'
  }

  chunk(by: Answered, choice: ChoiceDelta): string {
    if (isPlainText(choice)) {
      const text = JSON.stringify(choice.delta.content)
      const own = `{"index":${choice.index},"delta":{"content":${text}},"logprobs":null,"finish_reason":null}`
      return this.#start(by) + own + this.#end
    }
    const { index, delta, logprobs, finish_reason } = this.#head.legacy ? functionCallDelta(choice) : choice
    const reason = finish_reason === null ? 'null' : `"${finish_reason}"`
    const probabilities = logprobs === null ? 'null' : JSON.stringify(logprobs)
    const own = `{"index":${index},"delta":${JSON.stringify(delta)},"logprobs":${probabilities},"finish_reason":${reason}}`
    return this.#start(by) + own + this.#end
  }

  usage(by: Answered, usage: ChatDelta['usage']): string {
    return `${this.#start(by)}],"usage":${JSON.stringify(usage)}}`
  }

  #start(by: Answered): string {
    const written = this.#written
    if (written?.by.model === by.model && written.by.system_fingerprint === by.system_fingerprint) return written.text
    const { id, created, serviceTier: service_tier } = this.#head
    const { model, system_fingerprint } = by
    const head = { id, object: 'chat.completion.chunk', created, model, system_fingerprint, service_tier }
    const text = `${JSON.stringify(head).slice(0, -1)},"choices":[`
    this.#written = { by: { model, system_fingerprint }, text }
    return text
  }
}

/** Nothing but a piece of text, as nearly all chunks are. */
function isPlainText({ delta, logprobs, finish_reason }: ChoiceDelta): boolean {
  if (finish_reason !== null || logprobs !== null || typeof delta.content !== 'string') return false
  return delta.role === undefined && delta.tool_calls === undefined && delta.refusal === undefined
}
