// The other nodes of the database as ones that can be asked: who is there, whom a thing belongs to, questions and answers.
import { hostname } from 'node:os'
import type { Queries } from '../db/database.ts'
import { listNodes, nodeState } from './nodes.ts'
import { isLoopback } from './own-address.ts'
import { NodeConnections } from './post-bytes.ts'
import { ranked } from './rendezvous.ts'
import { idOf, seal, unseal } from './sealed.ts'

export const groupPath = '/internal/group'
/** Of a question; larger ones are answered at home. */
export const maxQuestionBytes = 1024 * 1024
/** One that did not answer is left alone for this long: others should not wait for it as well. */
const leftAloneMs = 5_000

export interface GroupNode {
  address: string
  isSelf: boolean
}

interface Question {
  kind: string
  body: unknown
}

type Answer = { body: unknown } | { problem: string }

/** Answers a kind of question; what it throws reaches whoever asked as a problem. */
export type GroupHandler = (body: unknown) => Promise<unknown>

export interface GroupNeeds {
  queries: Queries
  now(): number
  key: Buffer
}

export class NodeGroup {
  readonly #needs: GroupNeeds
  readonly #connections = new NodeConnections()
  readonly #handlers = new Map<string, GroupHandler>()
  readonly #leftAlone = new Map<string, number>()
  #address = ''
  #others: GroupNode[] = []

  constructor(needs: GroupNeeds) {
    this.#needs = needs
  }

  /** Where the others reach this one; empty until it listens. */
  get address(): string {
    return this.#address
  }

  announce(address: string): void {
    this.#address = address
  }

  /** Looks who is there. */
  async refresh(): Promise<void> {
    const now = this.#needs.now()
    const here = hostname()
    const rows = await listNodes(this.#needs.queries)
    const reachable = rows.filter((row) => {
      if (row.address === '' || row.address === this.#address || nodeState(row, now) === 'silent') return false
      return row.host === here || !isLoopback(row.address)
    })
    this.#others = [...new Set(reachable.map(({ address }) => address))].map((address) => ({ address, isSelf: false }))
  }

  /** Those that can be asked, the one that it belongs to first. Empty where this node is nobody's to ask. */
  ranked(thing: string): GroupNode[] {
    if (this.#address === '') return []
    return ranked(thing, [...this.#others, { address: this.#address, isSelf: true }])
  }

  answer(kind: string, handler: GroupHandler): void {
    this.#handlers.set(kind, handler)
  }

  /** Throws where there is no answer, or a problem. */
  async ask({ address }: GroupNode, kind: string, body: unknown, answerMs: number): Promise<unknown> {
    const now = performance.now()
    if (now < (this.#leftAlone.get(address) ?? 0)) throw new Error('the other node did not answer a moment ago')
    const { key } = this.#needs
    const question = seal(key, address, { kind, body } satisfies Question)
    if (question.length > maxQuestionBytes) throw new Error('the question is too large for another node')
    const answer = await this.#send(address, question, answerMs)
    if (answer === undefined) throw new Error('what answered is no node of this group')
    if ('problem' in answer) throw new Error(answer.problem)
    return answer.body
  }

  /** What came to `groupPath`. Undefined: it is not of this group, or meant for another node. */
  async receive(bytes: Buffer): Promise<Buffer | undefined> {
    const { key } = this.#needs
    const question = unseal(key, this.#address, bytes) as Question | undefined
    return question && seal(key, idOf(bytes), await this.#answerTo(question))
  }

  close(): void {
    this.#connections.close()
  }

  async #send(address: string, question: Buffer, answerMs: number): Promise<Answer | undefined> {
    try {
      const bytes = await this.#connections.post(`${address}${groupPath}`, question, answerMs)
      return unseal(this.#needs.key, idOf(question), bytes) as Answer | undefined
    } catch (error) {
      this.#leftAlone.set(address, performance.now() + leftAloneMs)
      throw error
    }
  }

  async #answerTo({ kind, body }: Question): Promise<Answer> {
    const handler = this.#handlers.get(kind)
    if (handler === undefined) return { problem: `this node does not know ${kind}` }
    try {
      return { body: await handler(body) }
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) }
    }
  }
}
