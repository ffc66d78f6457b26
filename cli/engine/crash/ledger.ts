// What the clients of the crash test know of each container: what was acknowledged, and what was under way at the kill.
import { randomInt } from 'node:crypto'

/**
 * `counter` writes numbered lines for ever and ends with 7 when asked to; `brief` ends by itself with a code of its own;
 * `fleeting` does too, and is removed by the engine then.
 */
type Kind = 'counter' | 'brief' | 'fleeting'
export type Operation = 'create' | 'start' | 'stop' | 'exec' | 'remove'
export type Phase = 'created' | 'running' | 'exited'

export const counterExit = 7
/** What the engine notes for a start that did not come about. */
const failedStart = 128

export interface Known {
  name: string
  kind: Kind
  /** Of those that end by themselves. */
  exitCode: number
  /** On the host, of those that publish one. */
  port: number | undefined
  /** Once its creation was acknowledged, or it was found after a crash. */
  id?: string
  /** As acknowledged; absent before that. */
  phase?: Phase
  /** Asked for and not answered. */
  pending?: Operation
  /** What its last run ended with, once that is known. */
  ended?: number
  /** Its last start was never acknowledged and undone: what it wrote meanwhile has no end. */
  isCutOff: boolean
  /** Its program has set up what it needs to be stopped. */
  isReady: boolean
  /** How often its shim or a call of the runtime for it was killed since it was last started. */
  hurts: number
}

export interface Complaint {
  kind: 'container' | 'log'
  what: string
}

const firstPort = 18_000
const slots = 20

export class Ledger {
  /** One container for each place, at most. */
  readonly places: (Known | undefined)[] = Array.from({ length: slots }, () => undefined)
  /** All that were ever made: a cgroup that stayed is found by its name. */
  readonly ids = new Set<string>()
  readonly removed = new Set<string>()
  readonly wrong: Complaint[] = []
  readonly acknowledged = { create: 0, start: 0, stop: 0, exec: 0, remove: 0 }
  readonly #busy = new Set<number>()
  #serial = 0

  get known(): Known[] {
    return this.places.flatMap((known) => known ?? [])
  }

  /** A place that no client is at; undefined when all are taken. */
  takePlace(): number | undefined {
    const free = this.places.map((_, place) => place).filter((place) => !this.#busy.has(place))
    const place = free.length === 0 ? undefined : free[randomInt(free.length)]
    if (place !== undefined) this.#busy.add(place)
    return place
  }

  leavePlace(place: number): void {
    this.#busy.delete(place)
  }

  newContainer(place: number): Known {
    const serial = this.#serial++
    const kinds: readonly Kind[] = ['counter', 'counter', 'counter', 'brief', 'fleeting']
    const known: Known = {
      name: `crash-${place}-${serial}`,
      kind: kinds[serial % kinds.length] ?? 'counter',
      exitCode: 10 + (serial % 90),
      port: place % 3 === 0 ? firstPort + place : undefined,
      isReady: false,
      isCutOff: false,
      hurts: 0,
    }
    this.places[place] = known
    return known
  }

  gone(known: Known): void {
    const place = this.places.indexOf(known)
    if (place >= 0) this.places[place] = undefined
    if (known.id !== undefined) this.removed.add(known.id)
  }

  complain(known: Pick<Known, 'name'>, words: string, kind: Complaint['kind'] = 'container'): void {
    this.wrong.push({ kind, what: `${known.name}: ${words}` })
  }
}

/** It keeps its count where every run begins with nothing. */
const counterProgram = `trap 'echo "end $i"; exit ${counterExit}' TERM
i=0
while :; do i=$((i + 1)); echo "line $i"; echo $i > /dev/shm/count; sleep 0.2; done`

export function requestOf({ kind, exitCode, port }: Known): object {
  const program = kind === 'counter' ? counterProgram : `echo begun; sleep 0.4; echo done; exit ${exitCode}`
  return {
    Image: 'busybox',
    Cmd: ['sh', '-c', program],
    ...(kind === 'brief' ? { Volumes: { '/kept': {} } } : {}),
    ExposedPorts: { '80/tcp': {} },
    HostConfig: {
      AutoRemove: kind === 'fleeting',
      ...(port === undefined ? {} : { PortBindings: { '80/tcp': [{ HostPort: String(port) }] } }),
    },
  }
}

/** What a container may be found as (undefined: not at all), by what its clients know. */
export function allowed({ kind, phase, pending, exitCode, ended, hurts }: Known): (string | undefined)[] {
  const own = kind === 'counter' ? [] : [`exited ${exitCode}`]
  const vanished = kind === 'fleeting' ? ['removing', undefined] : []
  const running = ['running', ...own, ...vanished]
  if (phase === undefined) return ['created', undefined]
  const now = { created: ['created'], running, exited: [`exited ${ended}`, ...vanished] }[phase]
  const killed = 'exited 137'
  const later: Partial<Record<Operation, (string | undefined)[]>> = {
    // Killed in the middle of a start that nobody was told of, it may never have run.
    start: [...running, 'exited 255', killed],
    stop: [`exited ${counterExit}`],
    remove: [undefined, killed],
  }
  // Without its shim it is ended; where the runtime was killed, its start has failed.
  const hurt = hurts === 0 ? [] : [killed, `exited ${failedStart}`, ...vanished]
  return [...now, ...(pending === undefined ? [] : (later[pending] ?? [])), ...hurt]
}
