import type { GatewayStatus } from '../../api/types.ts'
import { useService, useServiceChange } from '../services/use-service.ts'
import { admin } from './gateway.ts'

/** How much waits and runs, and whether it may. */
export function GatewayState() {
  const { data } = useService<GatewayStatus>('hooks', admin('/status'), 3_000)
  const change = useServiceChange('hooks')
  if (data === undefined) return null
  const { deliveries, paused } = data
  const figures: [string, number][] = [
    ['Waiting', deliveries.queued],
    ['Running', deliveries.running],
    ['Succeeded', deliveries.succeeded],
    ['Failed', deliveries.failed + deliveries.timed_out],
    ['Given up', deliveries.dead],
  ]
  const isPaused = paused.all
  return (
    <>
      <dl className="figures">
        {figures.map(([name, value]) => (
          <div key={name} className="card">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>
        {isPaused ? 'Deliveries are taken, and wait: nothing is run. ' : 'Deliveries are run as they come. '}
        <button
          type="button"
          className="small"
          disabled={change.isPending}
          onClick={() => change.mutate({ path: admin(isPaused ? '/resume' : '/pause'), body: {} })}
        >
          {isPaused ? 'Go on' : 'Pause'}
        </button>
      </p>
    </>
  )
}
