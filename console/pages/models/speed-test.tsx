import { useEffect, useRef, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { useProject } from '../../app/projects.tsx'
import { streamAnswer } from '../playground/stream-answer.ts'
import type { Turn } from '../playground/turn.ts'

const question = 'Write a story of about two hundred words about a lighthouse keeper.'
const mostTokens = 256

/** Streams an answer and tells how soon it began and how fast it went on. */
export function SpeedTest({ model, onClose }: { model: string; onClose(): void }) {
  const { project } = useProject()
  const [turn, setTurn] = useState<Turn>()
  const [problem, setProblem] = useState<string>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const isRunning = turn?.state === 'streaming'
  const start = async () => {
    const controller = new AbortController()
    running.current = controller
    const answer: Turn = { id: 0, role: 'assistant', content: '', state: 'streaming' }
    setProblem(undefined)
    setTurn({ ...answer })
    const messages = [{ role: 'user' as const, content: question }]
    const request = { model, messages, max_tokens: mostTokens }
    try {
      await streamAnswer({ request, project: project.id, signal: controller.signal }, answer, () =>
        setTurn({ ...answer }),
      )
      setTurn({ ...answer, state: 'done' })
    } catch (error) {
      setTurn({ ...answer, state: 'stopped' })
      if (!controller.signal.aborted) setProblem(messageOf(error))
    }
  }
  return (
    <section className="card speed-test">
      <div className="dialog-head">
        <h2>Speed of {model}</h2>
        <button type="button" className="quiet small" onClick={onClose}>
          Close
        </button>
      </div>
      <p className="muted">
        It writes up to {mostTokens} tokens, which count as usage of the project {project.name}.
      </p>
      {isRunning ? (
        <button type="button" className="danger" onClick={() => running.current?.abort()}>
          Stop
        </button>
      ) : (
        <button type="button" className="primary" onClick={start}>
          {turn === undefined ? 'Start' : 'Once more'}
        </button>
      )}
      {problem !== undefined && (
        <p className="wrong" role="alert">
          {problem}
        </p>
      )}
      {turn?.figures && <Figures figures={turn.figures} />}
      {turn !== undefined && <p className="as-typed muted">{turn.content === '' ? 'Waiting …' : turn.content}</p>}
    </section>
  )
}

function Figures({ figures }: { figures: NonNullable<Turn['figures']> }) {
  const shown: [string, string][] = [
    ['First token', `${Math.round(figures.firstMs)} ms`],
    ['Tokens a second', figures.perSecond.toFixed(1)],
    ['Tokens', `${figures.promptTokens} + ${figures.tokens}`],
  ]
  return (
    <dl className="figures">
      {shown.map(([name, value]) => (
        <div key={name} className="card">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
