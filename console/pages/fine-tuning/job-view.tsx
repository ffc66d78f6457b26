import { useMemo } from 'react'
import type { FineTuningEvent, FineTuningJob } from '../../api/types.ts'
import { useProject } from '../../app/projects.tsx'
import { Failure } from '../../parts/failure.tsx'
import { LineChart } from '../../parts/line-chart.tsx'
import { timeText } from '../../parts/texts.ts'
import { Waiting } from '../../parts/waiting.tsx'
import { Checkpoints } from './checkpoints.tsx'
import { JobActions } from './job-actions.tsx'
import { isUnderWay, JobStatus } from './job-status.tsx'
import { lossesOf } from './losses.ts'
import { useEvents } from './use-events.ts'

const shownEvents = 100

/** One training: its losses while it learns, what it said, and what came of it. */
export function JobView({ job, onClose }: { job: FineTuningJob; onClose(): void }) {
  const { project } = useProject()
  const { data: events, error, refetch } = useEvents(job.id, project.id, isUnderWay(job))
  return (
    <section className="card job-view">
      <div className="dialog-head">
        <h2 className="long">{job.fine_tuned_model ?? job.id}</h2>
        <button type="button" className="quiet small" onClick={onClose}>
          Close
        </button>
      </div>
      <p>
        <JobStatus job={job} /> {isUnderWay(job) && <JobActions job={job} />}
      </p>
      {error && <Failure error={error} again={refetch} />}
      {!error && events === undefined && <Waiting what="events" />}
      {events !== undefined && <Curves events={events} />}
      {job.status === 'succeeded' && <Checkpoints job={job} project={project.id} />}
      {events !== undefined && <Events events={events} />}
    </section>
  )
}

function Curves({ events }: { events: FineTuningEvent[] }) {
  const { steps, curves } = useMemo(() => lossesOf(events), [events])
  if (steps.length < 2) return <p className="muted">The losses are drawn here from the second step on.</p>
  const last = curves[0]?.values.at(-1)
  return (
    <>
      <h3>Loss by step</h3>
      <LineChart
        label={`Losses of ${steps.length} steps, at last ${last?.toFixed(3) ?? 'unknown'}`}
        steps={steps}
        curves={curves}
      />
    </>
  )
}

const Events = ({ events }: { events: FineTuningEvent[] }) => (
  <>
    <h3>Events</h3>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
    <section className="event-list" aria-label="Events" tabIndex={0}>
      <ol>
        {events.slice(0, shownEvents).map(({ id, created_at, level, message }) => (
          <li key={id} className={level === 'error' ? 'wrong' : ''}>
            <span className="time muted">{timeText(created_at)}</span> {message}
          </li>
        ))}
      </ol>
    </section>
    {events.length > shownEvents && <p className="muted">and {events.length - shownEvents} before</p>}
  </>
)
