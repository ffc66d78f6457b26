// Calls that wait for the caller's word: which were approved, which were not, and which were made.
import { responseErrors } from '../../../errors/responses.ts'
import type { KeptItem } from './kept-item.ts'
import type { Item } from './schema.ts'

export type ApprovalRequest = Extract<Item, { type: 'mcp_approval_request' }>
type Answer = Extract<Item, { type: 'mcp_approval_response' }>

export class Approvals {
  readonly #requests = new Map<string, ApprovalRequest>()
  readonly #answers = new Map<string, Answer>()
  readonly #made = new Set<string>()

  constructor(items: readonly KeptItem[]) {
    for (const { item } of items) {
      if (item.type === 'mcp_approval_request') this.#requests.set(item.id, item)
      else if (item.type === 'mcp_approval_response') this.#answers.set(item.approval_request_id, item)
      else if (item.type === 'mcp_call' && item.approval_request_id != null) this.#made.add(item.approval_request_id)
    }
  }

  /** What the model is told of a call that was not made; undefined: it was, or is about to be. */
  withoutCall(requestId: string): string | undefined {
    if (this.#made.has(requestId)) return undefined
    const answer = this.#answers.get(requestId)
    if (answer === undefined) return 'The user has not said whether this call may be made. It was not made.'
    if (answer.approve) return undefined
    return answer.reason ? `The user has refused this call: ${answer.reason}` : 'The user has refused this call.'
  }

  /** Approved and not made yet. Throws when an answer of `input` answers nothing, or for the second time. */
  toMake(input: readonly KeptItem[]): ApprovalRequest[] {
    return input.flatMap(({ item }) => {
      if (item.type !== 'mcp_approval_response') return []
      const request = this.#requests.get(item.approval_request_id)
      if (request === undefined) throw responseErrors.noApprovalRequest(item.approval_request_id)
      if (this.#made.has(request.id)) throw responseErrors.approvedBefore(request.id)
      return item.approve ? [request] : []
    })
  }
}
