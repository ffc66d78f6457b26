import { useMemo } from 'react'
import { Link } from 'wouter'
import { chatExample } from '../../api/curl.ts'
import { useIsAdmin } from '../../app/session.ts'
import { Chart, colourOf, shortNumber } from '../../parts/chart.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { sizeText } from '../../parts/texts.ts'
import { Waiting } from '../../parts/waiting.tsx'
import { Attention } from './attention.tsx'
import { LastHour, lastMs, msText, sumOf } from './last-hour.tsx'
import { ModelsLoaded } from './models-loaded.tsx'
import { type Activity, useActivity } from './use-activity.ts'
import { type ServerState, useServer } from './use-server.ts'
import { WhatRuns } from './what-runs.tsx'

export function HomePage() {
  const server = useServer()
  const activity = useActivity()
  const isAdmin = useIsAdmin()
  const error = server.error ?? activity.error
  if (error) return <Failure error={error} again={() => Promise.all([server.refetch(), activity.refetch()])} />
  const isPending = isAdmin && activity.data === undefined
  if (server.data === undefined || isPending) return <Waiting what="figures" />
  return (
    <>
      <PageHead title="Home" about={stateOf(server.data)} />
      <Figures activity={activity.data} server={server.data} />
      <div className="columns">
        <WhatRuns isReady={server.data.readiness.status === 'ok'} />
        <Attention server={server.data} />
        {activity.data !== undefined && (
          <>
            <Requests activity={activity.data} />
            <Tokens activity={activity.data} />
          </>
        )}
        <LastHour minutes={server.data.activity.data} />
        <ModelsLoaded models={server.data.models} />
      </div>
    </>
  )
}

const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0)

function stateOf({ readiness, startedAt }: ServerState): string {
  const since = startedAt > 0 ? `, up for ${duration(Date.now() / 1000 - startedAt)}` : ''
  return readiness.status === 'ok' ? `The server is ready${since}.` : `The server is not ready${since}.`
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} seconds`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} minutes`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} hours` : `${Math.round(seconds / 86_400)} days`
}

/** Without what models were asked where that is the organization's to know. */
function Figures({ activity, server }: { activity: Activity | undefined; server: ServerState }) {
  const { data: minutes, disk, memory } = server.activity
  const [failed, refused] = [sumOf(minutes, 'failed'), sumOf(minutes, 'refused')]
  const figures: [string, string, string][] = [
    ...(activity === undefined ? [] : figuresOf(activity)),
    ['Requests', shortNumber(sumOf(minutes, 'requests')), 'of programs, last hour'],
    ['Errors', shortNumber(failed + refused), `${shortNumber(failed)} failed, ${shortNumber(refused)} refused`],
    ['Latency', msText(lastMs(minutes, 'median_ms')), `19 of 20 within ${msText(lastMs(minutes, 'slow_ms'))}`],
    ['Memory', sizeText(server.memoryBytes), `of the server; ${sizeText(memory.free_bytes)} free`],
    ['Disk', sizeText(disk.free_bytes), `free of ${sizeText(disk.total_bytes)}`],
  ]
  return (
    <dl className="figures">
      {figures.map(([name, value, about]) => (
        <div key={name} className="card">
          <dt>{name}</dt>
          <dd>
            {value} <small className="muted">{about}</small>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const figuresOf = ({ requests, inputTokens, outputTokens }: Activity): [string, string, string][] => [
  ['Model calls', shortNumber(sum(requests)), 'last hour'],
  ['Tokens', shortNumber(sum(inputTokens) + sum(outputTokens)), 'last hour'],
]

function Requests({ activity: { times, requests } }: { activity: Activity }) {
  const series = useMemo(() => [{ name: 'Calls', values: requests }], [requests])
  return (
    <section className="card">
      <h2>Model calls by minute</h2>
      {sum(requests) === 0 ? (
        <Empty title="No model was called in the last hour." code={chatExample('atoll-chat')}>
          <p>
            Try one in the <Link href="/playground">playground</Link>, or from a program:
          </p>
        </Empty>
      ) : (
        <Chart label={`${sum(requests)} model calls in the last hour`} times={times} series={series} />
      )}
    </section>
  )
}

function Tokens({ activity: { times, inputTokens, outputTokens } }: { activity: Activity }) {
  const series = useMemo(
    () => [
      { name: 'Read', values: inputTokens },
      { name: 'Written', values: outputTokens },
    ],
    [inputTokens, outputTokens],
  )
  if (sum(inputTokens) + sum(outputTokens) === 0) return null
  return (
    <section className="card">
      <h2>Tokens by minute</h2>
      <Chart
        label={`${sum(inputTokens)} tokens read and ${sum(outputTokens)} written in the last hour`}
        times={times}
        series={series}
      />
      <ul className="legend">
        {series.map(({ name, values }, index) => (
          <li key={name}>
            <span style={{ background: colourOf(index) }} /> {name}: {shortNumber(sum(values))}
          </li>
        ))}
      </ul>
    </section>
  )
}
