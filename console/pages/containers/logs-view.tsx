import { useEffect, useRef, useState } from 'react'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PlainText } from '../../parts/plain-text.tsx'
import { useLog } from './use-log.ts'

/** So near to the end, and new lines are followed. */
const nearEndPixels = 40

export function LogsView({ id, isRunning }: { id: string; isRunning: boolean }) {
  const [hasTimes, setHasTimes] = useState(false)
  const [wanted, setWanted] = useState('')
  const [isFollowing, setIsFollowing] = useState(true)
  const { lines, dropped, state } = useLog(id, isRunning, hasTimes)
  const frozen = useRef(lines)
  const place = useRef<HTMLElement>(null)
  // Whoever reads further up wants the text to stay where it is.
  if (isFollowing) frozen.current = lines
  useEffect(() => {
    const element = place.current
    if (element !== null && isFollowing) element.scrollTop = element.scrollHeight
  })
  const found = wanted === '' ? frozen.current : frozen.current.filter((line) => line.includes(wanted))
  const scrolled = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) =>
    setIsFollowing(scrollHeight - scrollTop - clientHeight < nearEndPixels)
  return (
    <section className="log">
      <div className="filters">
        <label className="field">
          <span>Only lines with</span>
          <input value={wanted} onChange={(event) => setWanted(event.target.value)} maxLength={200} />
        </label>
        <label className="inline">
          <input type="checkbox" checked={hasTimes} onChange={(event) => setHasTimes(event.target.checked)} />
          <span>Times</span>
        </label>
        {!isFollowing && (
          <button type="button" onClick={() => setIsFollowing(true)}>
            Follow
          </button>
        )}
        <p className="muted" role="status">
          {state === 'following' ? (isFollowing ? 'Following.' : 'Held.') : 'The log has ended.'}
          {dropped > 0 && ` ${dropped.toLocaleString('en')} earlier lines are not shown: docker logs has them all.`}
        </p>
      </div>
      {typeof state === 'object' && <Failure error={new Error(state.problem)} />}
      {lines.length === 0 && state === 'ended' ? (
        <Empty title="It has written nothing." code="docker logs NAME" />
      ) : (
        <PlainText label="Log" text={found.join('\n')} className="log-lines" frame={place} onScroll={scrolled} />
      )}
    </section>
  )
}
