import { useState } from 'react'
import { Link } from 'wouter'
import { useProject } from '../../app/projects.tsx'
import { Chart, colourOf, shortNumber } from '../../parts/chart.tsx'
import { Choice } from '../../parts/choice.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Waiting } from '../../parts/waiting.tsx'
import { asCsv } from './as-csv.ts'
import { groups, measures, spans, total, type Usage, useUsage, type Wanted } from './use-usage.ts'

const titles = { day: spans.day.title, week: spans.week.title, month: spans.month.title }
/** What costs can be told apart by. */
const costGroups = { model: 'What was used', project_id: 'Project', api_key_id: 'Key' }

export function UsagePage() {
  const [wanted, setWanted] = useState<Wanted>({ span: 'week', measure: 'tokens', group: 'model' })
  const { data, error, refetch } = useUsage(wanted)
  const isCost = wanted.measure === 'costs'
  const set = (change: Partial<Wanted>) => {
    const next = { ...wanted, ...change }
    if (next.measure !== 'costs') setWanted(next)
    else
      setWanted({
        ...next,
        span: next.span === 'day' ? 'week' : next.span,
        group: next.group === 'user_id' ? 'model' : next.group,
      })
  }
  return (
    <>
      <PageHead title="Usage and costs" about="Of the whole organization. Times are UTC.">
        <button
          type="button"
          disabled={data === undefined || data.series.length === 0}
          onClick={() => data && saveFile(`${wanted.measure}-by-${wanted.group}.csv`, csvOf(data))}
        >
          Save as CSV
        </button>
      </PageHead>
      <div className="filters">
        <Choice label="Show" options={measures} value={wanted.measure} choose={(measure) => set({ measure })} />
        <Choice
          label="Time"
          options={isCost ? { week: titles.week, month: titles.month } : titles}
          value={wanted.span}
          choose={(span) => set({ span })}
        />
        <Choice
          label="By"
          options={isCost ? costGroups : groups}
          value={wanted.group}
          choose={(group) => set({ group })}
        />
      </div>
      {error && <Failure error={error} again={refetch} />}
      {!error && data === undefined && <Waiting what="usage" />}
      {data !== undefined && <Shown usage={data} measure={measures[wanted.measure]} isCost={isCost} />}
    </>
  )
}

const csvOf = (usage: Usage): Blob => new Blob([asCsv(usage)], { type: 'text/csv' })

function Shown({ usage, measure, isCost }: { usage: Usage; measure: string; isCost: boolean }) {
  const { projects } = useProject()
  const nameOf = (id: string): string => projects.find((project) => project.id === id)?.name ?? id
  const text = (value: number) => (isCost ? `$${value.toFixed(4)}` : value.toLocaleString('en'))
  if (usage.series.length === 0) {
    return (
      <Empty title="Nothing was used in this time.">
        <p>
          Calls count here a few seconds after they were answered: try one in the{' '}
          <Link href="/playground">playground</Link>.
        </p>
      </Empty>
    )
  }
  const sum = total(usage.series.flatMap(({ values }) => values))
  return (
    <section className="card">
      <h2>
        {measure}: {isCost ? text(sum) : shortNumber(sum)}
      </h2>
      <Chart
        label={`${measure} over time, ${text(sum)} in all`}
        times={usage.times}
        series={usage.series}
        height={260}
      />
      <table className="summed">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">{measure}</th>
          </tr>
        </thead>
        <tbody>
          {usage.series.map(({ name, values }, index) => (
            <tr key={name}>
              <td>
                <span className="swatch" style={{ background: colourOf(index) }} />{' '}
                <span className="long">{nameOf(name)}</span>
              </td>
              <td>{text(total(values))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
