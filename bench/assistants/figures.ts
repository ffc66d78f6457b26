// Medians over rounds, with how far the rounds lie apart.
import { median, spreadPercent } from '../measure.ts'

export const rounds = 3

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Of each round its p50 and its p95; of these the medians. */
export function shown(roundsOf: readonly (readonly number[])[]): string {
  const p50s = roundsOf.map((round) => median(round))
  const p95s = roundsOf.map((round) => percentile(round, 0.95))
  return `p50 ${ms(median(p50s))} ±${spreadPercent(p50s)} %, p95 ${ms(median(p95s))} ±${spreadPercent(p95s)} %`
}

export const ms = (value: number): string => `${value.toFixed(value < 100 ? 1 : 0)} ms`
