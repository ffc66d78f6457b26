// What programs asked in the last hour: how it ended, and how long it took.
import { useMemo } from 'react'
import type { ConsoleActivity } from '../../api/types.ts'
import { Chart, colourOf, shortNumber } from '../../parts/chart.tsx'
import { LineChart } from '../../parts/line-chart.tsx'

type Minutes = ConsoleActivity['data']

export const sumOf = (minutes: Minutes, of: 'requests' | 'refused' | 'failed'): number =>
  minutes.reduce((sum, minute) => sum + minute[of], 0)

export const msText = (ms: number | null | undefined): string => {
  if (ms === null || ms === undefined) return '–'
  return ms < 1_000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** Of the newest minute that has one. */
export const lastMs = (minutes: Minutes, of: 'median_ms' | 'slow_ms'): number | null =>
  minutes.findLast((minute) => minute[of] !== null)?.[of] ?? null

export function LastHour({ minutes }: { minutes: Minutes }) {
  const times = useMemo(() => minutes.map(({ start_time }) => start_time), [minutes])
  const ended = useMemo(
    () => [
      { name: 'Answered', values: minutes.map(({ requests, refused, failed }) => requests - refused - failed) },
      { name: 'Refused (4xx)', values: minutes.map(({ refused }) => refused) },
      { name: 'Failed (5xx)', values: minutes.map(({ failed }) => failed) },
    ],
    [minutes],
  )
  const took = useMemo(
    () => [
      { name: 'Half of them, ms', values: minutes.map(({ median_ms }) => median_ms) },
      { name: '19 of 20, ms', values: minutes.map(({ slow_ms }) => slow_ms) },
    ],
    [minutes],
  )
  if (sumOf(minutes, 'requests') === 0) return null
  return (
    <>
      <section className="card">
        <h2>Requests by minute</h2>
        <Chart label={endedText(minutes)} times={times} series={ended} />
        <ul className="legend">
          {ended.map(({ name, values }, index) => (
            <li key={name}>
              <span style={{ background: colourOf(index) }} /> {name}: {shortNumber(values.reduce((a, b) => a + b, 0))}
            </li>
          ))}
        </ul>
      </section>
      <section className="card">
        <h2>How long answers took</h2>
        <LineChart
          label={`Latency: ${msText(lastMs(minutes, 'median_ms'))} for half, ${msText(lastMs(minutes, 'slow_ms'))} for 19 of 20`}
          steps={times}
          curves={took}
          areTimes
          height={200}
        />
      </section>
    </>
  )
}

const endedText = (minutes: Minutes): string =>
  `${sumOf(minutes, 'requests')} requests in the last hour, ${sumOf(minutes, 'refused')} refused and ${sumOf(minutes, 'failed')} failed`
