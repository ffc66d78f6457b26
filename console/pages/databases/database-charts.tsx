import { useEffect, useMemo, useState } from 'react'
import type { ShardObject } from '../../api/types.ts'
import { Chart } from '../../parts/chart.tsx'
import { Failure } from '../../parts/failure.tsx'
import { sizeText } from '../../parts/texts.ts'
import { useService } from '../services/use-service.ts'

const keptSamples = 150
const everyMs = 2_000

interface Sample {
  time: number
  memory: number
  operations: number
  clients: number
}

/** As long as the page is open: the cluster keeps no history of its figures. */
function useSamples(uid: number) {
  const { data, dataUpdatedAt, error } = useService<ShardObject[]>('cluster', `/v1/bdbs/${uid}/shards`, everyMs)
  const [samples, setSamples] = useState<Sample[]>([])
  useEffect(() => {
    const info = data?.find(({ role }) => role === 'master')?.redis_info
    if (info === undefined) return
    const of = (name: string): number => Number(info[name] ?? 0)
    const operations = of('instantaneous_ops_per_sec')
    const sample = {
      time: dataUpdatedAt / 1000,
      memory: of('used_memory'),
      operations,
      clients: of('connected_clients'),
    }
    setSamples((before) => [...before, sample].slice(-keptSamples))
  }, [data, dataUpdatedAt])
  return { samples, error, shards: data }
}

export function DatabaseCharts({ uid }: { uid: number }) {
  const { samples, error, shards } = useSamples(uid)
  if (error) return <Failure error={error} />
  return (
    <>
      <div className="columns">
        <Figure title="Memory" samples={samples} of={({ memory }) => memory} text={sizeText} />
        <Figure
          title="Operations"
          samples={samples}
          of={({ operations }) => operations}
          text={(value) => `${value}/s`}
        />
      </div>
      <p className="muted">
        {shards
          ?.map(({ uid: shard, role, detailed_status }) => `Shard ${shard}: ${role}, ${detailed_status}.`)
          .join(' ')}
      </p>
    </>
  )
}

interface FigureProps {
  title: string
  samples: Sample[]
  of(sample: Sample): number
  text(value: number): string
}

function Figure({ title, samples, of, text }: FigureProps) {
  const times = useMemo(() => samples.map(({ time }) => time), [samples])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the same for as long as the title is
  const series = useMemo(() => [{ name: title, values: samples.map(of) }], [samples, title])
  const last = samples.at(-1)
  const now = last === undefined ? '' : text(of(last))
  return (
    <section className="card">
      <h2>
        {title}: <span className="figure-now">{now}</span>
      </h2>
      <Chart label={`${title}: ${now} now`} times={times} series={series} height={140} />
    </section>
  )
}
