// Calls of tools while the model writes them.
import type { Ids } from '@atoll/kernel/ids/ids'
import type { ToolCall, ToolCallDelta } from '@atoll/models/chat'
import type { StepToolCall } from '../steps/schema.ts'
import { argumentsDelta, openingDelta } from '../stream/call-deltas.ts'

/** What the model knows a tool by, and what a step shows it as. */
export type CallKind = StepToolCall['type']

interface Draft {
  id: string
  kind: CallKind
  name: string
  text: string
}

export class CallDrafts {
  readonly #ids: Ids
  readonly #kindOf: (name: string) => CallKind
  /** By the model's own numbers. */
  readonly #drafts = new Map<number, Draft>()

  constructor(ids: Ids, kindOf: (name: string) => CallKind) {
    this.#ids = ids
    this.#kindOf = kindOf
  }

  /** What readers are told of it. */
  add({ index, function: piece = {} }: ToolCallDelta): object[] {
    const known = this.#drafts.get(index)
    const draft = known ?? this.#open(index, piece.name ?? '')
    const at = [...this.#drafts.keys()].indexOf(index)
    const { arguments: text = '' } = piece
    draft.text += text
    const opening = known === undefined ? [openingDelta(shownCall(draft), at)] : []
    // The arguments of our own tools are shown as what they mean, once they are whole.
    const isShown = draft.kind === 'function' && text !== ''
    return isShown ? [...opening, argumentsDelta(text, at)] : opening
  }

  /** As the model made them, with ids of our own: those of models are not always unique. */
  calls(): ToolCall[] {
    return [...this.#drafts.values()].map(({ id, name, text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    }))
  }

  shown(): StepToolCall[] {
    return [...this.#drafts.values()].map(shownCall)
  }

  #open(index: number, name: string): Draft {
    const draft = { id: this.#ids.next('call_'), kind: this.#kindOf(name), name, text: '' }
    this.#drafts.set(index, draft)
    return draft
  }
}

function shownCall({ id, kind, name, text }: Draft): StepToolCall {
  switch (kind) {
    case 'function':
      return { id, type: kind, function: { name, arguments: text, output: null } }
    case 'file_search':
      return { id, type: kind, file_search: {} }
    case 'code_interpreter':
      return { id, type: kind, code_interpreter: { input: '', outputs: [] } }
  }
}
