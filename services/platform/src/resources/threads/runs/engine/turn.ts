// One answer of the model on its way: into a message, into calls of tools, or first the one and then the other.
import type { Tx } from '@atoll/kernel/db/database'
import { together } from '@atoll/kernel/db/together'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { ChoiceDelta, ToolCallDelta } from '@atoll/models/chat'
import { runFailures } from '../../../../errors/runs.ts'
import type { LoopTools } from '../../../../tool-loop/loop-tools.ts'
import type { CitationSources } from '../../../../tool-loop/tools/citations.ts'
import type { MessageObject } from '../../messages/schema.ts'
import type { FinishedMessage } from '../../messages/service.ts'
import type { StepDetails } from '../steps/schema.ts'
import { changeStep, insertStep, type StepRow } from '../steps/step-rows.ts'
import type { StepWork } from '../steps/work.ts'
import { messageDelta, messageEvent, type RunEvent, stepDelta, stepEvent } from '../stream/events.ts'
import { CallDrafts, type CallKind } from './call-drafts.ts'
import type { Ledger, Written } from './ledger.ts'
import { MessageDraft } from './message-draft.ts'
import type { WorkParts } from './work-parts.ts'

interface TurnOptions {
  number: number
  tools: LoopTools
  sources: CitationSources
  /** Made by code and not shown yet. */
  images: readonly string[]
}

interface OpenMessage {
  object: MessageObject
  step: StepRow
  draft: MessageDraft
}

/** Of messages, by their ids. */
export type Drafts = ReadonlyMap<string, Pick<FinishedMessage, 'content' | 'attachments'>>

export class Turn {
  readonly #parts: WorkParts
  readonly #ledger: Ledger
  readonly #options: TurnOptions
  readonly #calls: CallDrafts
  #message: OpenMessage | undefined
  #callStep: StepRow | undefined
  /** Of calls that follow words of the same answer: both are written down, and told, at its end. */
  readonly #later: RunEvent[] = []

  constructor(parts: WorkParts, ledger: Ledger, options: TurnOptions) {
    this.#parts = parts
    this.#ledger = ledger
    this.#options = options
    this.#calls = new CallDrafts(parts.ids, (name) => stepKind(options.tools.kindOf(name)))
  }

  async add({ delta }: ChoiceDelta): Promise<void> {
    // Words after calls belong to no message: a model that makes calls waits for their results.
    if (this.#callStep === undefined) {
      if (delta.content) await this.#write((draft) => draft.text(delta.content ?? ''))
      if (delta.refusal) await this.#write((draft) => draft.refuse(delta.refusal ?? ''))
    }
    for (const piece of delta.tool_calls ?? []) await this.#call(piece)
  }

  /** The step of its calls, as they are known now; undefined when it has made none. */
  callStep(usage: Pick<StepRow, 'prompt_tokens' | 'completion_tokens'>): StepRow | undefined {
    if (this.#callStep === undefined) return undefined
    const details: StepDetails = { type: 'tool_calls', tool_calls: this.#calls.shown() }
    const work: StepWork = { calls: this.#calls.calls(), results: {} }
    return { ...this.#callStep, details: JSON.stringify(details), work: JSON.stringify(work), ...usage }
  }

  /** All of an answer with calls in one commit: an attempt that is cut off before it has said nothing. */
  async recordCalls(tx: Tx, now: number, step: StepRow): Promise<Written> {
    if (this.#message === undefined) {
      const { details, work, prompt_tokens, completion_tokens } = step
      await changeStep(tx, step.id, { details, work, prompt_tokens, completion_tokens })
      return { steps: [step] }
    }
    const said = await this.#closeMessage(tx, now, this.#message)
    await insertStep(tx, step)
    return { steps: [...said.steps, step], events: [...said.events, ...this.#later] }
  }

  /** An answer without a word and without calls is an empty message. */
  async end(): Promise<void> {
    if (this.#callStep === undefined) this.#message ??= await this.#openMessage()
    if (this.#message !== undefined) this.#tellParts(this.#message, this.#message.draft.end())
  }

  /** What is written of the open message, for whoever ends it. */
  drafts(): Drafts {
    if (this.#message === undefined) return new Map()
    const { object, draft } = this.#message
    this.#tellParts(this.#message, draft.end())
    return new Map([[object.id, { content: draft.content(), attachments: draft.attachments() }]])
  }

  async #write(add: (draft: MessageDraft) => ReturnType<MessageDraft['text']>): Promise<void> {
    this.#message ??= await this.#openMessage()
    this.#tellParts(this.#message, add(this.#message.draft))
  }

  #tellParts({ object }: OpenMessage, parts: ReturnType<MessageDraft['text']>): void {
    for (const part of parts) this.#ledger.tell(messageDelta(object.id, part))
  }

  async #openMessage(): Promise<OpenMessage> {
    const { sources, images } = this.#options
    const draft = new MessageDraft(sources, images)
    const { object, step } = (await this.#leftMessage()) ?? (await this.#newMessage())
    const message = { object, step, draft }
    this.#tellParts(message, draft.opening())
    return message
  }

  async #newMessage(): Promise<Pick<OpenMessage, 'object' | 'step'>> {
    const { id: runId, thread_id: threadId, assistant_id: assistantId } = this.#ledger.run
    let opened: Pick<OpenMessage, 'object' | 'step'> | undefined
    await this.#ledger.write({}, async (tx) => {
      const begun = newObject(this.#parts, 'msg_')
      const details = { type: 'message_creation' as const, message_creation: { message_id: begun.id } }
      const step = this.#ledger.newStep(this.#options.number, details)
      const [object] = await together([
        this.#parts.messages.startIn(tx, { threadId, assistantId, runId }, begun),
        insertStep(tx, step),
      ])
      opened = { object, step }
      return { steps: [step], events: openingEvents(step, object) }
    })
    return opened as unknown as Pick<OpenMessage, 'object' | 'step'>
  }

  /** Begun by an attempt that was cut off: it goes on in the same message. */
  async #leftMessage(): Promise<Pick<OpenMessage, 'object' | 'step'> | undefined> {
    const left = leftMessage(this.#ledger.steps, this.#options.number)
    if (left === undefined) return undefined
    const { thread_id, caller } = this.#ledger.run
    const object = await this.#parts.messages.get(JSON.parse(caller), thread_id, left.messageId)
    for (const event of openingEvents(left.step, object)) this.#ledger.tell(event)
    return { object, step: left.step }
  }

  async #call(piece: ToolCallDelta): Promise<void> {
    this.#callStep ??= await this.#openCalls()
    for (const delta of this.#calls.add(piece)) this.#tellCall(stepDelta(this.#callStep.id, [delta]))
  }

  #tellCall(event: RunEvent): void {
    if (this.#message === undefined) this.#ledger.tell(event)
    else this.#later.push(event)
  }

  async #openCalls(): Promise<StepRow> {
    const step = this.#ledger.newStep(this.#options.number, { type: 'tool_calls', tool_calls: [] })
    const opening = [stepEvent('created', step), stepEvent('in_progress', step)]
    if (this.#message !== undefined) this.#later.push(...opening)
    else {
      await this.#ledger.write({}, async (tx, now) => {
        const left = await this.#closeLeft(tx, now)
        await insertStep(tx, step)
        return { steps: [...left.steps, step], events: [...left.events, ...opening] }
      })
    }
    return step
  }

  /** A message before calls is complete; what the answer cost is counted with the calls. */
  async #closeMessage(tx: Tx, now: number, { object, step, draft }: OpenMessage): Promise<Required<Written>> {
    const content = { content: draft.content(), attachments: draft.attachments() }
    const message = await this.#parts.messages.finishIn(tx, object.id, { ...content, status: 'completed' })
    const closed = await changeStep(tx, step.id, { status: 'completed', completed_at: now, ...noUsage })
    return { steps: [closed], events: [messageEvent('completed', message), stepEvent('completed', closed)] }
  }

  /** An earlier attempt had begun to speak; this time the model had nothing to say before its calls. */
  async #closeLeft(tx: Tx, now: number): Promise<Required<Written>> {
    const left = leftMessage(this.#ledger.steps, this.#options.number)
    if (left === undefined) return { steps: [], events: [] }
    const incomplete_details = { reason: 'run_failed' as const }
    const unsaid = { content: [], status: 'incomplete' as const, incomplete_details }
    const message = await this.#parts.messages.finishIn(tx, left.messageId, unsaid)
    const failed = await changeStep(tx, left.step.id, { ...interrupted(now), ...noUsage })
    return { steps: [failed], events: [messageEvent('incomplete', message), stepEvent('failed', failed)] }
  }
}

/** Runs know no other tools. */
const stepKind = (kind: ReturnType<LoopTools['kindOf']>): CallKind =>
  kind === 'image_generation' || kind === 'mcp' ? 'function' : kind

const noUsage = { prompt_tokens: 0, completion_tokens: 0 }

export const interrupted = (now: number): Partial<StepRow> => ({
  status: 'failed',
  failed_at: now,
  last_error: JSON.stringify({ code: 'server_error', message: runFailures.stepInterrupted }),
})

function leftMessage(steps: readonly StepRow[], turn: number): { step: StepRow; messageId: string } | undefined {
  for (const step of steps) {
    if (step.turn !== turn || step.status !== 'in_progress') continue
    const details = JSON.parse(step.details) as StepDetails
    if (details.type === 'message_creation') return { step, messageId: details.message_creation.message_id }
  }
  return undefined
}

const openingEvents = (step: StepRow, message: MessageObject): RunEvent[] => [
  stepEvent('created', step),
  stepEvent('in_progress', step),
  messageEvent('created', message),
  messageEvent('in_progress', message),
]
