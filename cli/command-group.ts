// A command that has commands below it.
import { nearestName } from '@atoll/kernel/config/nearest-name'
import type { Command } from 'commander'

/** Without a word it shows its help. */
export function commandGroup(program: Command, name: string, description: string): Command {
  const group = program.command(name).description(description)
  return group
    .usage('<command> [options]')
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[command]')
    .action((wanted: string | undefined) => (wanted === undefined ? group.help() : refuseCommand(group, wanted)))
}

/** Commander asks only commands it knows for the nearest name when options are absent; words are refused here. */
export function refuseCommand(group: Command, wanted: string): never {
  const names = group.commands.map((command) => command.name())
  const nearest = nearestName(wanted, names)
  const all = names.length === 1 ? `there is ${names[0]}` : `there are ${names.join(', ')}`
  group.error(`atoll: there is no command ${group.name()} ${wanted}; ${nearest ? `did you mean ${nearest}?` : all}`)
}
