// What happened, as `GET /events` tells it: kept for a while, so that `since` can look back.
export type EventType =
  | 'container'
  | 'image'
  | 'network'
  | 'volume'
  | 'daemon'
  | 'plugin'
  | 'service'
  | 'node'
  | 'secret'
  | 'config'
  | 'builder'

export interface EngineEvent {
  Type: EventType
  Action: string
  Actor: { ID: string; Attributes: Record<string, string> }
  scope: 'local' | 'swarm'
  /** Seconds, and nanoseconds. */
  time: number
  timeNano: number
}

type Listener = (event: EngineEvent, text: string) => void

const keptEvents = 1_024

/** Listeners get the event and its JSON text, made once for all of them. */
export class EngineEvents {
  readonly #kept: { event: EngineEvent; text: string }[] = []
  readonly #listeners = new Set<Listener>()
  readonly #now: () => number
  #lastNano = 0

  constructor(now: () => number) {
    this.#now = now
  }

  emit(
    type: EventType,
    action: string,
    id: string,
    attributes: Record<string, string> = {},
    scope: EngineEvent['scope'] = 'local',
  ): void {
    const timeNano = this.#nextNano()
    const time = Math.floor(timeNano / 1e9)
    const event: EngineEvent = {
      Type: type,
      Action: action,
      Actor: { ID: id, Attributes: attributes },
      scope,
      time,
      timeNano,
    }
    const entry = { event, text: eventText(event) }
    this.#kept.push(entry)
    if (this.#kept.length > keptEvents) this.#kept.shift()
    for (const listener of this.#listeners) listener(entry.event, entry.text)
  }

  /** What was kept, oldest first. */
  get past(): readonly { event: EngineEvent; text: string }[] {
    return this.#kept
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Milliseconds are all the clock has; events of one millisecond keep their order. */
  #nextNano(): number {
    const now = this.#now() * 1e6
    this.#lastNano = now > this.#lastNano ? now : this.#lastNano + 1_000
    return this.#lastNano
  }
}

/** Old clients read `status`, `id` and `from`. */
function eventText({ Type, Action, Actor, scope, time, timeNano }: EngineEvent): string {
  const old =
    Type === 'container'
      ? { status: Action, id: Actor.ID, from: Actor.Attributes.image ?? '' }
      : Type === 'image'
        ? { status: Action, id: Actor.ID }
        : {}
  return `${JSON.stringify({ ...old, Type, Action, Actor, scope, time, timeNano })}\n`
}
