// The services of this machine: where those are that run, and how to start those that do not.
import { Link } from 'wouter'
import { useSession } from '../../app/session.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Failure } from '../../parts/failure.tsx'
import { useServices } from '../services/use-services.ts'

const about = {
  engine: { page: '/containers', purpose: 'runs containers' },
  hooks: { page: '/hooks', purpose: 'answers what other programs send' },
  cluster: { page: '/databases', purpose: 'runs Redis databases' },
} as const

export function WhatRuns({ isReady }: { isReady: boolean }) {
  const { data: session } = useSession()
  const { data, error, refetch } = useServices(session?.is_operator === true)
  const services = data?.data ?? []
  const absent = services.filter(({ status }) => status === 'absent')
  return (
    <section className="card">
      <h2>What runs</h2>
      {error ? <Failure error={error} again={refetch} /> : null}
      <ul className="services">
        <li>
          <State isGood={isReady} text={isReady ? 'runs' : 'not ready'} /> <Link href="/models">platform</Link>{' '}
          <span className="muted">answers models, files and assistants</span>
        </li>
        {services.map(({ name, status, reason }) => (
          <li key={name}>
            <State isGood={status === 'running'} text={status === 'running' ? 'runs' : 'off'} />{' '}
            <Link href={about[name].page}>{name}</Link> <span className="muted">{reason ?? about[name].purpose}</span>
          </li>
        ))}
      </ul>
      {absent.length > 0 && (
        <>
          <p>This starts what does not run:</p>
          <CodeBlock code={`./atoll up --with ${absent.map(({ name }) => name).join(',')}`} language="sh" />
        </>
      )}
    </section>
  )
}

const State = ({ isGood, text }: { isGood: boolean; text: string }) => (
  <span className={isGood ? 'tag good' : 'tag'}>{text}</span>
)
