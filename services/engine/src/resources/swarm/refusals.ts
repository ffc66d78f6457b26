// A machine that is in no swarm: what clients are told who ask for what only a swarm has.
import type { Route } from '@atoll/kernel/http/route'
import type { EngineCallers } from '../../callers.ts'
import { notImplemented, notInSwarm, notSwarmManager } from '../../errors.ts'
import type { RouteName } from '../../versions/change.ts'
import { refusedRoute } from '../refused-route.ts'

/** What docker answers with "This node is not a swarm manager". */
const ofManagers: RouteName[] = [
  'GET /swarm',
  'POST /swarm/update',
  'GET /swarm/unlockkey',
  'POST /swarm/unlock',
  'GET /nodes',
  'GET /nodes/:id',
  'DELETE /nodes/:id',
  'POST /nodes/:id/update',
  'GET /services',
  'POST /services/create',
  'GET /services/:id',
  'DELETE /services/:id',
  'POST /services/:id/update',
  'GET /services/:id/logs',
  'GET /tasks',
  'GET /tasks/:id',
  'GET /tasks/:id/logs',
  ...ofKeptObjects('secrets'),
  ...ofKeptObjects('configs'),
]

function ofKeptObjects(family: string): RouteName[] {
  return [
    `GET /${family}`,
    `POST /${family}/create`,
    `GET /${family}/:id`,
    `DELETE /${family}/:id`,
    `POST /${family}/:id/update`,
  ]
}

const cannot = (what: string) => () =>
  notImplemented(`${what} is not part of this engine yet: it runs containers on this machine alone`)

export const swarmRoutes = (): Route<EngineCallers>[] => [
  ...ofManagers.map((name) => refusedRoute(name, 'Needs a swarm', notSwarmManager)),
  refusedRoute('POST /swarm/leave', 'Leave a swarm', notInSwarm),
  refusedRoute('POST /swarm/init', 'Begin a swarm', cannot('Beginning a swarm')),
  refusedRoute('POST /swarm/join', 'Join a swarm', cannot('Joining a swarm')),
]
