// A service whose routes have the names of the engine's: it tells in a header what reached the handler, and answers
// with everything today's version has.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createLocalDisk } from '@atoll/kernel/blobs/local-disk'
import { systemClock } from '@atoll/kernel/clock/clock'
import { listen } from '@atoll/kernel/http/listen'
import { bytes, json } from '@atoll/kernel/http/reply'
import type { HttpService } from '@atoll/kernel/http/service'
import { createIds } from '@atoll/kernel/ids/ids'
import { silentLog } from '@atoll/testkit/silent-log'
import { z } from 'zod'
import { defineRoute, type EngineCallers } from '../../callers.ts'
import { conflict, kernelErrors } from '../../errors.ts'
import { readJson } from '../../json/read-json.ts'
import { engineHeaders } from '../../resources/system/headers.ts'
import type { RouteName } from '../change.ts'
import { streamItems } from '../stream-items.ts'
import { engineVersions } from '../versions.ts'
import * as full from './full-answers.ts'

/** By name; `item` answers are streams. */
const answers: Partial<Record<RouteName, { value: unknown } | { items: readonly unknown[] }>> = {
  'GET /containers/:id/json': { value: full.container },
  'GET /containers/json': { value: [full.listedContainer] },
  'GET /containers/:id/stats': { items: [full.stats] },
  'POST /containers/:id/wait': { items: [{ StatusCode: 0, Error: null }] },
  'GET /exec/:id/json': { value: full.exec },
  'GET /images/json': { value: full.listedImages },
  'GET /images/:name/json': { value: full.image },
  'GET /networks': { value: [full.network] },
  'GET /networks/:id': { value: full.network },
  'GET /volumes': { value: { Volumes: [full.volume], Warnings: [] } },
  'GET /volumes/:name': { value: full.volume },
  'POST /volumes/create': { value: full.volume },
  'GET /info': { value: full.info },
  'GET /version': { value: full.version },
  'GET /system/df': { value: full.usage },
  'GET /events': { items: full.events },
  'GET /swarm': { value: full.swarm },
  'GET /nodes': { value: [full.node] },
  'GET /nodes/:id': { value: full.node },
  'GET /secrets': { value: [full.secret] },
  'GET /secrets/:id': { value: full.secret },
  'GET /configs': { value: [full.secret] },
  'GET /configs/:id': { value: full.secret },
  'GET /services': { value: [full.service] },
  'GET /services/:id': { value: full.service },
  'POST /services/create': { value: { ID: 'x', Warnings: null } },
  'POST /services/:id/update': { value: { Warnings: null } },
  'GET /tasks': { value: [full.task] },
  'GET /tasks/:id': { value: full.task },
  'POST /build': { items: [{ stream: 'Step' }, { aux: { ID: 'sha256:1' } }] },
  'POST /auth': { value: { Status: 'Login Succeeded', IdentityToken: 'token' } },
}

const bare: RouteName[] = [
  'POST /containers/create',
  'POST /containers/:id/start',
  'POST /containers/:id/stop',
  'POST /containers/:id/restart',
  'POST /containers/:id/update',
  'GET /containers/:id/logs',
  'POST /containers/:id/attach',
  'POST /containers/:id/exec',
  'POST /containers/:id/copy',
  'GET /containers/:id/archive',
  'PUT /containers/:id/archive',
  'POST /containers/prune',
  'POST /exec/:id/start',
  'POST /images/create',
  'POST /images/load',
  'GET /images/search',
  'POST /images/prune',
  'POST /images/:name/push',
  'POST /images/:name/tag',
  'POST /build/prune',
  'POST /session',
  'POST /commit',
  'GET /distribution/:name/json',
  'GET /networks/',
  'POST /networks/create',
  'POST /networks/:id/connect',
  'POST /networks/:id/disconnect',
  'POST /networks/prune',
  'PUT /volumes/:name',
  'DELETE /volumes/:name',
  'POST /volumes/prune',
  'GET /plugins',
  'POST /plugins/:name/enable',
  'POST /plugins/:name/disable',
  'POST /plugins/:name/upgrade',
  'GET /services/:id/logs',
  'GET /tasks/:id/logs',
  'POST /swarm/init',
  'POST /swarm/join',
  'POST /swarm/update',
  'POST /nodes/:id/update',
  'POST /secrets/create',
  'POST /secrets/:id/update',
  'POST /configs/create',
  'POST /configs/:id/update',
]

/** Text that may stand in a header. */
const asHeader = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

function echoRoute(name: RouteName) {
  const [method, path] = name.split(' ') as ['GET' | 'POST' | 'PUT' | 'DELETE', string]
  return defineRoute({
    method,
    path,
    auth: 'anyone',
    summary: name,
    params: z.record(z.string(), z.string()) as unknown as z.ZodObject,
    query: z.record(z.string(), z.unknown()) as unknown as z.ZodObject,
    body: z.unknown(),
    response: z.unknown(),
    handler: ({ params, query, body, ways }) => {
      const headers = { 'x-seen': asHeader({ params, query, body, ways: [...ways] }) }
      const answer = answers[name] ?? { value: {} }
      if ('value' in answer) return json(200, answer.value, headers)
      const shape = streamItems(name, ways)
      const items = shape === undefined ? answer.items : answer.items.map(shape).filter((item) => item !== undefined)
      return bytes(Readable.from(items.map((item) => `${JSON.stringify(item)}\n`)), {
        ...headers,
        'content-type': 'application/json',
      })
    },
  })
}

const failing = defineRoute({
  method: 'DELETE',
  path: '/containers/:id',
  auth: 'anyone',
  summary: 'Fails',
  response: z.unknown(),
  handler: () => {
    throw conflict('it is running')
  },
})

const service: HttpService<EngineCallers> = {
  name: 'engine',
  title: 'Echo',
  version: '1.47',
  errors: kernelErrors,
  routes: [...(Object.keys(answers) as RouteName[]).map(echoRoute), ...bare.map(echoRoute), failing],
  sockets: [
    {
      path: '/containers/:id/attach/ws',
      auth: 'anyone',
      summary: 'Tells the ways of a socket',
      query: undefined,
      maxMessageBytes: 1_024,
      open: (socket, { ways }) => socket.send(JSON.stringify([...ways])),
    },
  ],
  authenticate: async () => null,
  versions: engineVersions(),
  isLenient: true,
  readJson,
  responseHeaders: () => engineHeaders,
  maxJsonBytes: 1_000_000,
}

export async function startEcho(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-versions-'))
  const ids = createIds(systemClock)
  const blobs = await createLocalDisk(folder, systemClock, ids)
  const address = { host: '127.0.0.1', port: 0 }
  const health = { ready: async () => undefined }
  const listener = await listen(service, { address, blobs, ids, clock: systemClock, log: silentLog, health })
  return {
    url: listener.url,
    async stop() {
      await listener.close(0)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
