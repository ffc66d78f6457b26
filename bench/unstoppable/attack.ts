// What one caller does to stop the others, and what another caller asks meanwhile.
import type { AtollServer } from '../atoll-server.ts'

/** One small question of another caller, asked again and again. */
export interface Probe {
  name: string
  /** From one question to the next, when answers come at once. */
  everyMs: number
  /** Resolves when what is timed is there: the answer, or its first token. */
  ask(server: AtollServer): Promise<void>
}

export interface Attack {
  name: string
  probe: Probe
  /** How often it is run; three times unless told. */
  rounds?: number
  prepare?(server: AtollServer): Promise<void>
  /** One go. What the server answers does not matter; that it ends does. `round` counts from 0, for what must be new. */
  run(server: AtollServer, round: number): Promise<void>
  /** After the last go, also of one that failed. */
  end?(): Promise<void>
}

/** Attacks on one server. */
export interface AttackGroup {
  title: string
  /** Added to `./atoll up`. */
  flags: readonly string[]
  /** The most a question may take beside an attack, by what it takes half of the time when nobody attacks. */
  goalMs(idleMs: number): number
  attacks: readonly Attack[]
}
