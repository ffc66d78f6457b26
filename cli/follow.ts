// How a command follows work that a server does: it looks now and then, and outlives a restart of the server.
import { setTimeout } from 'node:timers/promises'
import { CommandProblem } from './command-problem.ts'

/** Of a command that was left with Ctrl-C. */
export const interruptedCode = 130
const firstPauseMs = 200
const longestPauseMs = 2_000

interface Follow<State> {
  look(state: State): Promise<State>
  isEnded(state: State): boolean
  show(state: State): void
  /** A line that stays. */
  note(text: string): void
  signal: AbortSignal
}

/** A server that goes away for a while does not end the waiting: its work goes on when it is back. */
export async function followToEnd<State>(begun: State, follow: Follow<State>): Promise<State> {
  const { look, isEnded, show, note, signal } = follow
  let state = begun
  let isAway = false
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.2, longestPauseMs)) {
    show(state)
    if (isEnded(state)) return state
    await setTimeout(pause, undefined, { signal })
    try {
      state = await look(state)
      isAway = false
    } catch (error) {
      if (!(error instanceof CommandProblem) || !error.passes) throw error
      if (!isAway) note(`Waiting, since ${error.message}`)
      isAway = true
    }
  }
}

/** As a shell takes it for one word. */
export const quoted = (text: string): string =>
  /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
