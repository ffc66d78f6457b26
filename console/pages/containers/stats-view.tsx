import { useMemo } from 'react'
import { Chart } from '../../parts/chart.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { sizeText } from '../../parts/texts.ts'
import { Waiting } from '../../parts/waiting.tsx'
import { type Samples, useStats } from './use-stats.ts'

interface Figure {
  title: string
  keys: (keyof Samples)[]
  text(value: number): string
}

const perSecond = (bytes: number): string => `${sizeText(bytes)}/s`

const figures: Figure[] = [
  { title: 'Processor', keys: ['processor'], text: (value) => `${value.toFixed(1)} %` },
  { title: 'Memory', keys: ['memory'], text: sizeText },
  { title: 'Network, received', keys: ['received'], text: perSecond },
  { title: 'Network, sent', keys: ['sent'], text: perSecond },
  { title: 'Disk, read', keys: ['read'], text: perSecond },
  { title: 'Disk, written', keys: ['written'], text: perSecond },
]

export function StatsView({ id, isRunning }: { id: string; isRunning: boolean }) {
  const { samples, problem } = useStats(id, isRunning)
  if (!isRunning) return <Empty title="It does not run: there is nothing to measure." code="docker start NAME" />
  if (problem !== undefined) return <Failure error={problem} />
  if (samples.times.length === 0) return <Waiting what="the first figures" />
  return (
    <div className="columns">
      {figures.map((figure) => (
        <FigureChart key={figure.title} figure={figure} samples={samples} />
      ))}
    </div>
  )
}

function FigureChart({ figure: { title, keys, text }, samples }: { figure: Figure; samples: Samples }) {
  const series = useMemo(() => keys.map((name) => ({ name, values: samples[name] })), [keys, samples])
  const now = text(keys.reduce((sum, name) => sum + (samples[name].at(-1) ?? 0), 0))
  return (
    <section className="card">
      <h2>
        {title}: <span className="figure-now">{now}</span>
      </h2>
      <Chart label={`${title}: ${now} now`} times={samples.times} series={series} height={140} />
    </section>
  )
}
