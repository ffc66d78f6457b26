// The networks of a task, as its container is put on them.
import { noSuchNetwork } from '../../errors.ts'
import type { Assignment } from './dispatcher.ts'
import type { TaskNetworks } from './task-container.ts'

/** By the names that networks have on this machine. */
export function networksOf({ networks, service, task }: Assignment): TaskNetworks {
  const attached = networks.map(({ name, target, ...rest }) => {
    if (name === undefined) throw noSuchNetwork(target)
    return { name, target, ...rest }
  })
  const all = attached.flatMap(({ aliases }) => aliases)
  return {
    mode: attached[0]?.name,
    endpoints: Object.fromEntries(
      attached.map(({ name, target, isOfSwarm, aliases }) => {
        const IPv4Address = task.addresses?.[target]
        return [
          name,
          {
            Aliases: isOfSwarm ? namesOnNetwork(service, all, aliases) : [],
            ...(IPv4Address === undefined ? {} : { IPAMConfig: { IPv4Address } }),
          },
        ]
      }),
    ),
  }
}

/** Where an address stands for the tasks, the names lead there. */
export function namesOnNetwork(
  { name, isByName }: { name: string; isByName: boolean },
  allAliases: readonly string[],
  aliases: readonly string[],
): string[] {
  const tasksNames = [name, ...allAliases].map((one) => `tasks.${one}`)
  return isByName ? [name, ...aliases, ...tasksNames] : tasksNames
}
