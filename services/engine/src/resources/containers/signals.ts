// Signals as callers write them: `KILL`, `SIGKILL`, `9`, `RTMIN+3`.
import { constants } from 'node:os'
import { invalidParameter } from '../../errors.ts'

export const sigkill = constants.signals.SIGKILL
export const sigterm = constants.signals.SIGTERM

const numbers = new Map<string, number>(Object.entries(constants.signals))
const firstRealtime = 34
const lastRealtime = 64

/** Undefined: there is no such signal. */
export function readSignal(text: string): number | undefined {
  if (/^\d{1,3}$/.test(text)) {
    const number = Number(text)
    return number >= 1 && number <= lastRealtime ? number : undefined
  }
  const name = text.toUpperCase().replace(/^(?!SIG)/, 'SIG')
  return numbers.get(name) ?? readRealtime(name)
}

function readRealtime(name: string): number | undefined {
  const found = /^SIGRT(MIN|MAX)(?:([+-])(\d{1,2}))?$/.exec(name)
  if (found === null) return undefined
  const [, from, sign, steps = '0'] = found
  const number = (from === 'MIN' ? firstRealtime : lastRealtime) + (sign === '-' ? -Number(steps) : Number(steps))
  return number >= firstRealtime && number <= lastRealtime ? number : undefined
}

export function parseSignal(text: string): number {
  const signal = readSignal(text)
  if (signal === undefined) throw invalidParameter(`Invalid signal: ${text}`)
  return signal
}

/** What asks a container to stop. */
export const stopSignalOf = (config: { StopSignal?: string | undefined }): number =>
  (config.StopSignal ? readSignal(config.StopSignal) : undefined) ?? sigterm
