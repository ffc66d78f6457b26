// Asks managers for addresses on networks of the swarm, for containers that are put there by hand on a worker, and gives
// them back. What is asked for is asked again in the next session; each session begins with all that is in use.
import { forbidden, notFound, unavailable } from '../../errors.ts'
import type { Guests } from '../../network/guests.ts'
import type { FromManager, FromWorker } from '../session/messages.ts'
import type { Attachment } from './attachments.ts'
import type { Mesh } from './mesh.ts'

export interface WorkerGuestsParts {
  mesh: Pick<Mesh, 'has'>
  newId(): string
  /** Its addresses come with its task. */
  isTask(containerId: string): boolean
  /** Who is on which network of the swarm. */
  attached(): readonly Attachment[]
}

type Send = (message: FromWorker) => void
type Answer = Extract<FromManager, { is: 'attached' | 'notAttached' }>

interface Ask {
  message: Extract<FromWorker, { is: 'attach' }>
  answered(answer: Answer): void
}

const answerMs = 20_000
const keyOf = (container: string, network: string): string => `${container} ${network}`

export class WorkerGuests implements Guests {
  readonly #parts: WorkerGuestsParts
  readonly #given = new Map<string, Attachment>()
  readonly #asks = new Map<string, Ask>()
  #send: Send | undefined

  constructor(parts: WorkerGuestsParts) {
    this.#parts = parts
    for (const one of this.#inUse()) this.#given.set(keyOf(one.container, one.network), one)
  }

  async admit(
    { id: container, name }: { id: string; name: string },
    asked: string,
    address: string | undefined,
  ): Promise<void> {
    if (this.#parts.isTask(container)) return
    const id = this.#parts.newId()
    const answer = await this.#ask({
      ...{ is: 'attach', id, network: asked, container, name },
      ...(address === undefined ? {} : { address }),
    })
    if (answer.is === 'notAttached') throw refusal(answer)
    const { network } = answer
    this.#given.set(keyOf(container, network), { container, name, network, address: answer.address })
    try {
      await this.#parts.mesh.has(network)
    } catch (error) {
      this.settle(container)
      throw error
    }
  }

  address(containerId: string, networkId: string): string | undefined {
    return this.#given.get(keyOf(containerId, networkId))?.address
  }

  settle(containerId: string): void {
    const inUse = new Set(this.#inUse().map(({ container, network }) => keyOf(container, network)))
    for (const [key, { container, network }] of this.#given) {
      if (container !== containerId || inUse.has(key)) continue
      this.#given.delete(key)
      this.#send?.({ is: 'detach', container, network })
    }
  }

  /** Managers are told the names that its containers have now: who is known already keeps its address. */
  renamed(containerId: string): void {
    for (const one of this.#inUse().filter(({ container }) => container === containerId)) {
      const key = keyOf(one.container, one.network)
      if (!this.#given.has(key)) continue
      this.#given.set(key, one)
      this.#send?.({ is: 'attach', id: this.#parts.newId(), ...one })
    }
  }

  /** A manager can be reached; undefined: none can. */
  connected(send: Send | undefined): void {
    this.#send = send
    send?.({ is: 'attachments', all: [...this.#given.values()] })
    for (const { message } of this.#asks.values()) send?.(message)
  }

  answered(answer: Answer): void {
    const ask = this.#asks.get(answer.id)
    if (ask !== undefined) ask.answered(answer)
    // Nobody waits for it any more.
    else if (answer.is === 'attached') this.#giveBack(answer)
  }

  #giveBack({ container, network }: Extract<Answer, { is: 'attached' }>): void {
    if (!this.#given.has(keyOf(container, network))) this.#send?.({ is: 'detach', container, network })
  }

  #inUse(): Attachment[] {
    const { attached, isTask } = this.#parts
    return attached().filter(({ container }) => !isTask(container))
  }

  #ask(message: Ask['message']): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#asks.delete(message.id)
        reject(unavailable(`no manager of the swarm gave an address on network ${message.network} in time`))
      }, answerMs).unref()
      const answered = (answer: Answer): void => {
        clearTimeout(timer)
        this.#asks.delete(message.id)
        resolve(answer)
      }
      this.#asks.set(message.id, { message, answered })
      this.#send?.(message)
    })
  }
}

const refusals: Record<number, (problem: string) => Error> = { 403: forbidden, 404: notFound }

const refusal = ({ status, problem }: Extract<Answer, { is: 'notAttached' }>): Error =>
  (refusals[status] ?? unavailable)(problem)
