import { useEffect, useRef } from 'react'
import { curlHere } from '../../api/curl.ts'
import { Empty } from '../../parts/empty.tsx'
import type { Utterance } from './spoken.ts'

const example = curlHere('/v1/realtime/client_secrets', { session: { type: 'realtime', model: 'atoll-chat' } })

const names = { user: 'You', assistant: 'Model' }

/** What was said, in words. It is shown as it stands: a model's words are no Markdown when they are spoken. */
export function Transcript({ utterances }: { utterances: Utterance[] }) {
  const end = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is said
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' }) // newer browsers answer a promise, which is no clean-up
  }, [utterances])
  return (
    <section className="transcript" role="log" aria-label="What was said">
      {utterances.length === 0 && (
        <Empty title="Nothing was said yet. What you and the model say appears here." code={example}>
          <p>Programs talk over a WebSocket at /v1/realtime. This makes a key for one of them, good for ten minutes:</p>
        </Empty>
      )}
      {utterances.map(({ id, role, text, note }) => (
        <article key={id} className={`message ${role}`}>
          <div className="message-head">
            <strong>{names[role]}</strong>
            {note !== undefined && <span className="tag">{note}</span>}
          </div>
          <p className="as-typed">{text === '' ? '…' : text}</p>
        </article>
      ))}
      <div ref={end} />
    </section>
  )
}
