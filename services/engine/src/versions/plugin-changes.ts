// What changed about plugins.
import type { Change, RouteName } from './change.ts'
import { withoutQuery } from './shape.ts'

const first: RouteName[] = [
  ...(['GET /plugins', 'GET /plugins/privileges', 'POST /plugins/pull', 'POST /plugins/create'] as const),
  ...(['GET /plugins/:name/json', 'DELETE /plugins/:name', 'POST /plugins/:name/enable'] as const),
  ...(['POST /plugins/:name/disable', 'POST /plugins/:name/push', 'POST /plugins/:name/set'] as const),
]

export const pluginChanges: readonly Change[] = [
  {
    since: '1.25',
    summary: 'There are plugins.',
    requirements: [
      ...['ENG-631', 'ENG-632', 'ENG-633', 'ENG-634', 'ENG-635', 'ENG-636', 'ENG-637', 'ENG-638', 'ENG-639'],
    ],
    routes: first,
    isNew: true,
  },
  {
    since: '1.26',
    summary: 'Plugins can be upgraded.',
    requirements: ['ENG-640'],
    routes: ['POST /plugins/:name/upgrade'],
    isNew: true,
  },
  {
    since: '1.28',
    summary: 'Plugins can be disabled by force.',
    requirements: ['ENG-641'],
    routes: ['POST /plugins/:name/disable'],
    query: withoutQuery('force'),
  },
]
