// Actions from the command line: what the cluster has done and is doing.

import type { ActionObject, ActionObjectV2 as ListedAction } from '@atoll/cluster/resources/actions/schema'
import { CommandProblem, telling } from '../command-problem.ts'
import { show, timeText } from '../table.ts'
import { serverFrom } from './cluster-server.ts'
import type { ServerFlags } from './databases.ts'
import { follow, stopSignal } from './follow.ts'

export const listActions = (flags: ServerFlags & { json?: boolean }): Promise<void> =>
  telling(async () => {
    show(await serverFrom(flags.url, process.env).get<ListedAction[]>('/v2/actions'), {
      ...(flags.json ? { json: true } : {}),
      titles: ['UID', 'BEGUN', 'STATUS', 'PROGRESS', 'WHAT'],
      row: ({ action_uid, creation_time, status, progress, additional_info }) => [
        ...[action_uid, timeText(creation_time * 1000), status],
        ...[`${Math.round(progress)}%`, additional_info.description],
      ],
      none: 'Nothing was done yet.',
    })
  })

export const showAction = (uid: string, flags: ServerFlags & { follow?: boolean }): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags.url, process.env)
    const path = encodeURIComponent(uid)
    const { additional_info, creation_time } = await server.get<ListedAction>(`/v2/actions/${path}`)
    console.log(`${additional_info.description}, begun ${timeText(creation_time * 1000)}`)
    const action = flags.follow
      ? await follow(server, uid, { url: flags.url, signal: stopSignal() })
      : await server.get<ActionObject>(`/v1/actions/${path}`)
    if (action !== undefined) tell(action)
  })

function tell({ status, state, progress, pending_ops, error }: ActionObject): void {
  if (status === 'failed')
    throw new CommandProblem(
      `it has failed${state === 'rolled_back' ? ' and was rolled back' : ''}: ${error ?? 'without a word.'}`,
    )
  const step = state === undefined || state === status ? '' : `, ${state}`
  console.log(status === 'completed' ? 'It is completed.' : `It is ${status}: ${Math.round(progress)}%${step}`)
  for (const [shard, { op_name, status_description }] of Object.entries(pending_ops)) {
    console.log(`  shard ${shard}: ${op_name} ${status_description}`)
  }
}
