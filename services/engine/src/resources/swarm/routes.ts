import { empty } from '@atoll/kernel/http/reply'
import type { Route } from '@atoll/kernel/http/route'
import { z } from 'zod'
import { defineRoute, type EngineCallers } from '../../callers.ts'
import { versionQuery } from '../../swarm/versioned.ts'
import { flag } from '../query/schema.ts'
import { ClusterWithTokens, InitSwarm, JoinSwarm, SwarmSpec, UnlockKey } from './schema.ts'
import type { SwarmService } from './service.ts'

const done = (): ReturnType<typeof empty> => empty(200)

export const swarmRoutes = (swarm: SwarmService): Route<EngineCallers>[] => [...lifeRoutes(swarm), ...lockRoutes(swarm)]

const lifeRoutes = (swarm: SwarmService): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/swarm',
    auth: 'anyone',
    summary: 'Inspect the swarm',
    response: ClusterWithTokens,
    handler: () => swarm.inspect(),
  }),
  defineRoute({
    method: 'POST',
    path: '/swarm/init',
    auth: 'anyone',
    summary: 'Begin a swarm',
    body: InitSwarm,
    response: z.string(),
    handler: ({ body }) => swarm.init(body),
  }),
  defineRoute({
    method: 'POST',
    path: '/swarm/join',
    auth: 'anyone',
    summary: 'Join a swarm',
    body: JoinSwarm,
    response: 'bytes',
    handler: async ({ body }) => {
      await swarm.join(body)
      return done()
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/swarm/leave',
    auth: 'anyone',
    summary: 'Leave the swarm',
    query: z.object({ force: flag }),
    response: 'bytes',
    handler: async ({ query }) => {
      await swarm.leave(query.force)
      return done()
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/swarm/update',
    auth: 'anyone',
    summary: 'Update the swarm',
    query: z.object({
      version: versionQuery,
      rotateWorkerToken: flag,
      rotateManagerToken: flag,
      rotateManagerUnlockKey: flag,
    }),
    body: SwarmSpec,
    response: 'bytes',
    handler: async ({ query: { version, ...rotations }, body }) => {
      await swarm.update(version, body, rotations)
      return done()
    },
  }),
]

const lockRoutes = (swarm: SwarmService): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/swarm/unlockkey',
    auth: 'anyone',
    summary: 'Tell the key that unlocks managers',
    response: z.object({ UnlockKey: z.string() }),
    handler: () => ({ UnlockKey: swarm.unlockKey() }),
  }),
  defineRoute({
    method: 'POST',
    path: '/swarm/unlock',
    auth: 'anyone',
    summary: 'Unlock this manager',
    body: UnlockKey,
    response: 'bytes',
    handler: async ({ body }) => {
      await swarm.unlock(body.UnlockKey ?? '')
      return done()
    },
  }),
]
