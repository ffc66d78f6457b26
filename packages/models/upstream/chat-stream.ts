// The steps of a streamed chat answer, in the order the port promises: the role, what is said, the end of each
// choice, and the usage at last, wherever the server put them.
import type { ChatDelta, ChatRequest, ChatUsage, ChoiceDelta } from '../chat.ts'
import { choicesOf, finishReason, readAudio, readLogprobs, textOr, unsupported } from './choice.ts'
import { isObject } from './error-body.ts'
import type { EventStream } from './event-stream.ts'
import { senseless } from './problems.ts'
import { ToolCallPieces } from './tool-calls.ts'
import { estimatedUsage, readUsage, tokensOfMessages } from './usage.ts'

interface Begun {
  tools: ToolCallPieces
  finished: boolean
}

export class ChatSteps {
  readonly #request: ChatRequest
  readonly #begun = new Map<number, Begun>()
  readonly #wantsLogprobs: boolean
  #sawLogprobs = false
  #finished = 0
  #pieces = 0
  #usage: ChatUsage | undefined
  #model: string
  #fingerprint: string

  constructor(request: ChatRequest, model: string, fingerprint: string) {
    this.#request = request
    this.#wantsLogprobs = request.topLogprobs !== undefined
    this.#model = model
    this.#fingerprint = fingerprint
  }

  /** Mostly one step an event; some servers put several into one, some events say nothing. */
  read(event: Record<string, unknown>): ChatDelta[] {
    this.#model = textOr(event.model, this.#model)
    this.#fingerprint = textOr(event.system_fingerprint, this.#fingerprint)
    // Sent with every event by some: the last one counts all.
    this.#usage = readUsage(event.usage) ?? this.#usage
    const steps: ChatDelta[] = []
    for (const choice of choicesOf(event)) this.#choice(choice, steps)
    return steps
  }

  /** After the last event. */
  end(events: EventStream): ChatDelta {
    const isWhole = this.#finished > 0 && this.#finished === this.#begun.size
    if (!isWhole) {
      throw senseless(events.saidDone ? 'ended its stream without a reason' : 'cut its stream before the end')
    }
    if (this.#begun.size !== this.#request.choices) throw unsupported('n')
    if (this.#wantsLogprobs && !this.#sawLogprobs && this.#pieces > 0) throw unsupported('logprobs')
    const usage = this.#usage ?? estimatedUsage(tokensOfMessages(this.#request), this.#pieces)
    return { ...this.#step([]), usage }
  }

  #step(choices: ChoiceDelta[]): ChatDelta {
    return { model: this.#model, system_fingerprint: this.#fingerprint, choices }
  }

  #choice(choice: Record<string, unknown>, steps: ChatDelta[]): void {
    const index = Number.isSafeInteger(choice.index) ? (choice.index as number) : 0
    let begun = this.#begun.get(index)
    if (!begun) {
      begun = { tools: new ToolCallPieces(), finished: false }
      this.#begun.set(index, begun)
      const delta = { role: 'assistant', content: '', refusal: null } as const
      steps.push(this.#step([{ index, delta, logprobs: null, finish_reason: null }]))
    }
    if (begun.finished) return
    const said = this.#said(choice, index, begun)
    if (said) steps.push(this.#step([said]))
    if (typeof choice.finish_reason === 'string') {
      begun.finished = true
      this.#finished++
      const finish = finishReason(choice.finish_reason)
      steps.push(this.#step([{ index, delta: {}, logprobs: null, finish_reason: finish }]))
    }
  }

  #said(choice: Record<string, unknown>, index: number, begun: Begun): ChoiceDelta | undefined {
    const given = isObject(choice.delta) ? choice.delta : {}
    const delta: ChoiceDelta['delta'] = {}
    if (typeof given.content === 'string' && given.content !== '') delta.content = given.content
    if (typeof given.refusal === 'string' && given.refusal !== '') delta.refusal = given.refusal
    const tools = begun.tools.read(given.tool_calls)
    if (tools) delta.tool_calls = tools
    const audio = readAudio(given.audio)
    if (audio) delta.audio = audio
    const logprobs = this.#wantsLogprobs ? readLogprobs(choice.logprobs) : null
    if (logprobs) this.#sawLogprobs = true
    const saysSomething = Object.keys(delta).length > 0
    if (!saysSomething && !(logprobs?.content ?? logprobs?.refusal)?.length) return undefined
    // A token can be no text by itself: half of a letter.
    if (!saysSomething) delta.content = ''
    this.#pieces++
    return { index, delta, logprobs, finish_reason: null }
  }
}
