// Containers over HTTP.
import { Readable } from 'node:stream'
import { bytes, empty } from '@atoll/kernel/http/reply'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { filters, flag, maybeNumber } from '../query/schema.ts'
import {
  ContainerCreated,
  ContainerInspection,
  ContainerSummaries,
  ContainersPruned,
  ContainerUpdated,
  CreateContainer,
  StartBody,
  UpdateContainer,
} from './schema.ts'
import type { Containers } from './service.ts'
import { detachKeysOf, startBodyOf } from './start-request.ts'
import { waitAnswer, waitText } from './wait.ts'

const text = z.string().max(4_096).optional()
const params = z.object({ id: z.string() })
const stopQuery = z.object({ t: maybeNumber, signal: text })
const jsonType = { 'content-type': 'application/json' }

export const containerRoutes = (containers: Containers) => [
  ...collectionRoutes(containers),
  ...lookRoutes(containers),
  ...runRoutes(containers),
  ...pauseRoutes(containers),
  ...changeRoutes(containers),
]

const collectionRoutes = (containers: Containers) => [
  defineRoute({
    method: 'GET',
    path: '/containers/json',
    auth: 'anyone',
    summary: 'List containers',
    query: z.object({ all: flag, limit: maybeNumber, size: flag, since: text, before: text, filters }),
    response: ContainerSummaries,
    handler: ({ query: { since, before, ...query } }) =>
      containers.list({
        ...query,
        // As parameters of their own they are older than filters.
        filters: { ...query.filters, ...(since ? { since: [since] } : {}), ...(before ? { before: [before] } : {}) },
      }),
  }),
  defineRoute({
    method: 'POST',
    path: '/containers/create',
    auth: 'anyone',
    summary: 'Create a container',
    query: z.object({ name: text, platform: text }),
    body: CreateContainer,
    // Every port of a protocol: exposed, and bound to an address and a port.
    ...{ maxJsonKeys: 65_536, maxJsonValues: 500_000 },
    response: ContainerCreated,
    status: 201,
    handler: ({ query: { name, platform }, body, ways }) => containers.create(body, { name, platform, ways }),
  }),
  defineRoute({
    method: 'POST',
    path: '/containers/prune',
    auth: 'anyone',
    summary: 'Remove containers that do not run',
    query: z.object({ filters }),
    response: ContainersPruned,
    handler: async ({ query }) => {
      const { ids, bytes: reclaimed } = await containers.prune(query.filters)
      return { ContainersDeleted: ids.length === 0 ? null : ids, SpaceReclaimed: reclaimed }
    },
  }),
]

const lookRoutes = (containers: Containers) => [
  defineRoute({
    method: 'GET',
    path: '/containers/:id/json',
    auth: 'anyone',
    summary: 'Inspect a container',
    params,
    query: z.object({ size: flag }),
    response: ContainerInspection,
    handler: ({ params: { id }, query }) => containers.inspect(id, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/containers/:id/wait',
    auth: 'anyone',
    summary: 'Wait for a container to end',
    params,
    query: z.object({ condition: text }),
    response: 'bytes',
    handler: async ({ params: { id }, query: { condition }, signal, ways }) => {
      const { result } = containers.wait(id, condition, signal)
      // ENG-312: the head goes out at once, and before 1.30 when all is known.
      if (ways.has('wait-answers-late')) return bytes(JSON.stringify(waitAnswer(await result, ways)), jsonType)
      return bytes(Readable.from(waitText(result, ways)), jsonType)
    },
  }),
]

const runRoutes = (containers: Containers) => [
  defineRoute({
    method: 'POST',
    path: '/containers/:id/start',
    auth: 'anyone',
    summary: 'Start a container',
    params,
    query: z.object({ detachKeys: text, checkpoint: text, 'checkpoint-dir': text }),
    body: StartBody,
    response: 'bytes',
    handler: async ({ params: { id }, query, body }) => {
      const isStarted = await containers.start(id, startBodyOf(query, body), detachKeysOf(query))
      return empty(isStarted ? 204 : 304)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/containers/:id/stop',
    auth: 'anyone',
    summary: 'Stop a container',
    params,
    query: stopQuery,
    response: 'bytes',
    handler: async ({ params: { id }, query: { t, signal } }) => {
      const isStopped = await containers.stop(id, { timeout: t, signal })
      return empty(isStopped ? 204 : 304)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/containers/:id/restart',
    auth: 'anyone',
    summary: 'Restart a container',
    params,
    query: stopQuery,
    response: 'bytes',
    handler: async ({ params: { id }, query: { t, signal } }) => {
      await containers.restart(id, { timeout: t, signal })
      return empty()
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/containers/:id/kill',
    auth: 'anyone',
    summary: 'Send a signal to a container',
    params,
    query: z.object({ signal: text }),
    response: 'bytes',
    handler: async ({ params: { id }, query: { signal = '' } }) => {
      await containers.kill(id, signal)
      return empty()
    },
  }),
]

const pauseRoutes = (containers: Containers) => [
  defineRoute({
    method: 'POST',
    path: '/containers/:id/pause',
    auth: 'anyone',
    summary: 'Pause a container',
    params,
    response: 'bytes',
    handler: async ({ params: { id } }) => {
      await containers.pause(id)
      return empty()
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/containers/:id/unpause',
    auth: 'anyone',
    summary: 'Unpause a container',
    params,
    response: 'bytes',
    handler: async ({ params: { id } }) => {
      await containers.unpause(id)
      return empty()
    },
  }),
]

const changeRoutes = (containers: Containers) => [
  defineRoute({
    method: 'POST',
    path: '/containers/:id/rename',
    auth: 'anyone',
    summary: 'Rename a container',
    params,
    query: z.object({ name: text }),
    response: 'bytes',
    handler: async ({ params: { id }, query: { name = '' } }) => {
      await containers.rename(id, name)
      return empty()
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/containers/:id/update',
    auth: 'anyone',
    summary: 'Update a container',
    params,
    body: UpdateContainer,
    response: ContainerUpdated,
    handler: ({ params: { id }, body, ways }) => containers.update(id, body, ways),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/containers/:id',
    auth: 'anyone',
    summary: 'Remove a container',
    params,
    query: z.object({ v: flag, force: flag, link: flag }),
    response: 'bytes',
    handler: async ({ params: { id }, query: { v, force, link }, ways }) => {
      await containers.remove(id, { volumes: v, force, link, isQuiet: ways.has('quiet-double-removal') })
      return empty()
    },
  }),
]
