// The networks of a task, as its container is put on them.
import { noSuchNetwork } from '../../errors.ts'
import type { Assignment } from './dispatcher.ts'
import type { TaskNetworks } from './task-container.ts'

/** By the names that networks have on this machine. */
export function networksOf({ networks, service }: Assignment): TaskNetworks {
  const attached = networks.map(({ name, target, ...rest }) => {
    if (name === undefined) throw noSuchNetwork(target)
    return { name, ...rest }
  })
  // Where an address stands for the tasks, the names lead there.
  const tasksNames = [service.name, ...attached.flatMap(({ aliases }) => aliases)].map((name) => `tasks.${name}`)
  const namesOf = (aliases: readonly string[]) =>
    service.isByName ? [service.name, ...aliases, ...tasksNames] : tasksNames
  return {
    mode: attached[0]?.name,
    endpoints: Object.fromEntries(
      attached.map(({ name, isOfSwarm, aliases }) => [name, { Aliases: isOfSwarm ? namesOf(aliases) : [] }]),
    ),
  }
}
