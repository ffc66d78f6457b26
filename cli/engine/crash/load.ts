// Clients at work until the engine is killed under them: each picks a container that no other is at.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type EngineClient, Refused } from '@atoll/engine/testing/engine-client'
import { counterExit, type Known, type Ledger, type Operation, requestOf } from './ledger.ts'

const clients = 5
const stopSeconds = 30

export class Load {
  readonly #client: EngineClient
  readonly #ledger: Ledger
  readonly #workers: Promise<void>[]
  #isOver = false
  #answers = 0
  #heard = (): void => {}

  constructor(client: EngineClient, ledger: Ledger) {
    this.#client = client
    this.#ledger = ledger
    this.#workers = Array.from({ length: clients }, () => this.#work())
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Resolves after so many answers, or when none are to come any more. */
  async answered(count: number): Promise<void> {
    while (this.#answers < count && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
    }
  }

  /** Once the engine is dead: what was under way stays unanswered. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#workers)
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      const place = this.#ledger.takePlace()
      if (place === undefined) return
      try {
        const known = this.#ledger.places[place] ?? this.#ledger.newContainer(place)
        await operate(this.#client, this.#ledger, known, nextOperation(known))
        this.#answers++
        this.#heard()
      } catch (error) {
        if (!(error instanceof Refused)) return this.#end(error)
      } finally {
        this.#ledger.leavePlace(place)
      }
    }
  }

  /** The connection broke: right when the engine is dead, and a moment before it is known to be. */
  #end(error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException
    const isBroken = /ECONN|ENOENT|EPIPE|aborted|socket hang up/.test(`${code} ${message}`)
    if (!isBroken) this.#ledger.complain({ name: 'a client' }, String(error))
    this.#isOver = true
    this.#heard()
  }
}

function nextOperation({ phase, kind, isReady }: Known): Operation {
  if (phase === undefined) return 'create'
  const chance = randomInt(100)
  if (phase !== 'running') return chance < 75 ? 'start' : 'remove'
  if (kind !== 'counter') return chance < 60 ? 'exec' : 'remove'
  if (chance < 50 || !isReady) return 'exec'
  return chance < 85 ? 'stop' : 'remove'
}

/** One operation; the ledger knows of it before the engine does, and of its answer after. */
export async function operate(client: EngineClient, ledger: Ledger, known: Known, asked: Operation): Promise<void> {
  known.pending = asked
  try {
    await work[asked](client, known, ledger)
    ledger.acknowledged[asked]++
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    // Those that end by themselves may do so at any time.
    const isLate = known.kind !== 'counter' && (error.status === 404 || error.status === 409 || error.status === 400)
    if (!isLate && known.hurts === 0) ledger.complain(known, `${asked} was refused: ${error.message}`)
    if (known.kind === 'fleeting' && error.status === 404) ledger.gone(known)
  }
  delete known.pending
}

type Work = (client: EngineClient, known: Known, ledger: Ledger) => Promise<void>

const work: Record<Operation, Work> = {
  async create(client, known, ledger) {
    const { Id } = await client.ask<{ Id: string }>('POST', `/containers/create?name=${known.name}`, requestOf(known))
    known.id = Id
    known.phase = 'created'
    ledger.ids.add(Id)
  },
  async start(client, known) {
    const { hurts } = known
    await client.ask('POST', `/containers/${known.id}/start`)
    if (known.hurts === hurts) known.hurts = 0
    known.phase = 'running'
    known.isReady = false
    known.isCutOff = false
  },
  async stop(client, known, ledger) {
    await client.ask('POST', `/containers/${known.id}/stop?t=${stopSeconds}`)
    known.phase = 'exited'
    known.ended = counterExit
    const { State } = await client.ask<{ State: { ExitCode: number } }>('GET', `/containers/${known.id}/json`)
    known.ended = State.ExitCode
    if (State.ExitCode !== counterExit && known.hurts === 0) ledger.complain(known, `stopped with ${State.ExitCode}`)
  },
  async exec(client, known) {
    if (known.kind === 'counter') known.isReady = (await counted(client, known.id ?? '')) > 0
    else await client.exec(known.id ?? '', ['true'])
  },
  async remove(client, known, ledger) {
    await client.ask('DELETE', `/containers/${known.id}?force=1&v=1`)
    ledger.gone(known)
  },
}

/** How far a running counter has come: more than `above`. It writes its first line once it can be stopped. */
export async function counted(client: EngineClient, id: string, above = 0): Promise<number> {
  for (;;) {
    const { output, exitCode } = await client.exec(id, ['cat', '/dev/shm/count'])
    const count = Number.parseInt(output, 10)
    if (exitCode === 0 && count > above) return count
    await pause(50)
  }
}
