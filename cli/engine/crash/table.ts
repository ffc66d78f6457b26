// What many rounds of kills have shown, for people to read.
import { type Leak, leakKinds } from '../leak-check.ts'
import type { Ledger } from './ledger.ts'

export interface Kills {
  work: number
  start: number
  shim: number
  runtime: number
}

export interface Outcome {
  rounds: number
  seconds: number
  kills: Kills
  ledger: Ledger
  leaks: readonly Leak[]
  /** Before the test took them away. */
  runningAtEnd: number
}

export function table({ rounds, seconds, kills, ledger, leaks, runningAtEnd }: Outcome): string {
  const { create, start, stop, exec, remove } = ledger.acknowledged
  const wrong = (kind: string) => ledger.wrong.filter((complaint) => complaint.kind === kind).length
  const rows: [string, number | string][] = [
    ['rounds', `${rounds} in ${Math.round(seconds)} s`],
    ['engine killed at work', kills.work],
    ['engine killed while starting', kills.start],
    ['shims killed', kills.shim],
    ['runtime calls killed', kills.runtime],
    ['containers created', create],
    ['starts, stops, execs', `${start}, ${stop}, ${exec}`],
    ['containers removed', remove],
    ['containers running at the end', runningAtEnd],
    ['containers lost or in a wrong state', wrong('container')],
    ['logs with missing lines', wrong('log')],
    ...leakKinds.map((kind): [string, number] => [
      `left behind: ${kind}`,
      leaks.filter((leak) => leak.kind === kind).length,
    ]),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}
