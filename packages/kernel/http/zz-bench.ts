import { z } from 'zod'
import { systemClock } from '../clock/clock.ts'
import { createIds } from '../ids/ids.ts'
import { createLog } from '../telemetry/pino-log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { openSync, writeSync } from 'node:fs'
import { pino } from 'pino'
import { listen } from './listen.ts'
import { defineRoute, sampleService } from './sample-service.test-helper.ts'
const kind = process.argv[2]
const sink = pino.destination({ dest: '/dev/null', sync: false })
const log = kind === 'nolog' ? { debug(){},info(){},warn(){},error(){},child(){return this} } as any : createLog({ level: 'info', destination: sink })
const data = { object:'list', data:[{id:'m1',object:'model',created:1,owned_by:'x'},{id:'m2',object:'model',created:1,owned_by:'x'}] }
const route = defineRoute({ method:'GET', path:'/v1/models', auth:'user', summary:'x', response: z.any(), handler: () => data })
await listen({...sampleService({ routes:[route] }), responseHeaders: ({elapsedMs}) => ({'vendor-version':'2020-10-01','vendor-processing-ms':String(elapsedMs)}), admit: async () => ({'x-ratelimit-limit-requests':'1','x-ratelimit-remaining-requests':'1','x-ratelimit-reset-requests':'1s','x-ratelimit-limit-tokens':'1','x-ratelimit-remaining-tokens':'1','x-ratelimit-reset-tokens':'1s'}) }, {
  address:{host:'127.0.0.1',port:9102}, blobs: undefined as any, ids: createIds(systemClock), clock: systemClock, log, health:{ready:async()=>undefined}, metrics: kind==='nolog'?undefined:createMetrics() })
