// What version 1.19 changed.
import type { Change } from './change.ts'
import { newHostConfig } from './container-fields.ts'
import { at, inTurn, without, withoutQuery } from './shape.ts'

const since = '1.19'
const becameBooleans = ['Debug', 'IPv4Forwarding', 'MemoryLimit', 'SwapLimit']

export const changes: readonly Change[] = [
  {
    since,
    summary: 'Facts of the host are booleans, and there are more of them; they were numbers.',
    requirements: ['ENG-081', 'ENG-082', 'ENG-083', 'ENG-084', 'ENG-085', 'ENG-086', 'ENG-087'],
    routes: ['GET /info'],
    answer: inTurn(
      at('', (info) => {
        for (const name of becameBooleans) if (typeof info[name] === 'boolean') info[name] = info[name] ? 1 : 0
      }),
      without('CpuCfsPeriod', 'CpuCfsQuota', 'OomKillDisable'),
    ),
  },
  {
    since,
    summary: 'Stats can be asked for once instead of for ever.',
    requirements: ['ENG-339'],
    routes: ['GET /containers/:id/stats'],
    query: withoutQuery('stream'),
  },
  {
    since,
    summary: 'Logs can be asked for since a time.',
    requirements: ['ENG-323'],
    routes: ['GET /containers/:id/logs'],
    query: withoutQuery('since'),
  },
  newHostConfig(
    {
      since,
      summary: 'Containers have a CPU period and quota.',
      requirements: ['ENG-199', 'ENG-200', 'ENG-266', 'ENG-267'],
    },
    'CpuPeriod',
    'CpuQuota',
  ),
  {
    since,
    summary: 'Steps of a build have a CPU period and quota.',
    requirements: ['ENG-424', 'ENG-425'],
    routes: ['POST /build'],
    query: withoutQuery('cpuperiod', 'cpuquota'),
  },
]
