// Tool calls of an answer, made complete: some servers leave out ids and indexes, or send arguments as an object.
import { randomUUID } from 'node:crypto'
import type { ToolCall, ToolCallDelta } from '../chat.ts'
import { isObject } from './error-body.ts'
import { senseless } from './problems.ts'

export function readToolCalls(given: unknown): ToolCall[] | undefined {
  if (!Array.isArray(given) || given.length === 0) return undefined
  return given.map((call) => {
    const asked = isObject(call) ? call.function : undefined
    if (!isObject(asked) || typeof asked.name !== 'string') throw senseless('sent a tool call without a name')
    return {
      id: idOf(call) ?? newId(),
      type: 'function',
      function: { name: asked.name, arguments: argumentsOf(asked.arguments) ?? '{}' },
    }
  })
}

/** The pieces of one choice's tool calls. A piece without an index goes on with the last call, unless it opens one. */
export class ToolCallPieces {
  #last = -1
  readonly #seen = new Set<number>()

  read(given: unknown): ToolCallDelta[] | undefined {
    if (!Array.isArray(given) || given.length === 0) return undefined
    return given.map((piece) => {
      if (!isObject(piece)) throw senseless('sent a tool call that is no object')
      return this.#piece(piece)
    })
  }

  #piece(piece: Record<string, unknown>): ToolCallDelta {
    const asked = isObject(piece.function) ? piece.function : {}
    const name = typeof asked.name === 'string' && asked.name !== '' ? asked.name : undefined
    const index = this.#index(piece, name)
    const more = argumentsOf(asked.arguments)
    if (this.#seen.has(index)) return { index, function: { arguments: more ?? '' } }
    if (name === undefined) throw senseless('sent a tool call without a name')
    this.#seen.add(index)
    return { index, id: idOf(piece) ?? newId(), type: 'function', function: { name, arguments: more ?? '' } }
  }

  #index({ index, id }: Record<string, unknown>, name: string | undefined): number {
    const opens = this.#last < 0 || (typeof id === 'string' && id !== '' && name !== undefined)
    this.#last = Number.isSafeInteger(index) ? (index as number) : opens ? this.#last + 1 : this.#last
    return this.#last
  }
}

const idOf = ({ id }: Record<string, unknown>): string | undefined =>
  typeof id === 'string' && id !== '' ? id : undefined

function argumentsOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given
  return isObject(given) ? JSON.stringify(given) : undefined
}

const newId = (): string => `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`
