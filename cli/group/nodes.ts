// Lists the nodes that share a database.
import { openToRead } from '@atoll/kernel/db/open-to-read'
import { listNodes, type NodeRow, nodeState } from '@atoll/kernel/nodes/nodes'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { configOf, databaseOf, type PlaceFlags } from '../backup/places.ts'
import { CommandProblem, telling } from '../command-problem.ts'
import { show, timeText } from '../table.ts'

export function showNodes({ json = false, ...flags }: PlaceFlags & { json?: boolean }): Promise<void> {
  return telling(async () => {
    const target = databaseOf(await configOf(flags))
    if (target.kind === 'sqlite') {
      throw new CommandProblem('with SQLite there is one node: see ./atoll status. Several share a PostgreSQL.')
    }
    const { queries, close } = await openToRead(target, { log: createLog({ level: 'error' }) })
    const nodes = (await listNodes(queries).finally(close)).map((node) => ({
      ...node,
      state: stateOf(node, Date.now()),
    }))
    show(nodes, {
      json,
      titles: ['node', 'host', 'version', 'state', 'load', 'memory', 'since'],
      row: ({ id, host, version, state, lacking, load, memory_bytes, started_at }) => [
        ...[
          id,
          host,
          version,
          state === 'ready' && lacking ? `ready (${lacking})` : state,
          load.toFixed(2),
          `${Math.round(memory_bytes / megabyte)} MB`,
          timeText(started_at),
        ],
      ],
      none: 'No node has started on this database.',
    })
    process.exitCode = nodes.length > 0 && nodes.every(({ state }) => state === 'ready') ? 0 : 1
  })
}

const megabyte = 1024 * 1024

const stateOf = (node: NodeRow, now: number): string => {
  const state = nodeState(node, now)
  if (state === 'silent') return `silent since ${timeText(node.seen_at)}`
  return state === 'ready' ? state : node.problem
}
