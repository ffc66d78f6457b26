// The commands of `./atoll keys`. Their code is loaded only when they are asked for.
import type { Command } from 'commander'
import { refuseCommand } from '../command-group.ts'

export function addKeys(program: Command): void {
  const code = () => import('./keys.ts')
  const keys = inFolder(program.command('keys'))
    .description('list, make, replace and delete keys, for whoever owns the data folder')
    .usage('[command] [options]')
    .argument('[command]')
    .option('--json', 'for programs')
    .addHelpText('after', help)
    .action(async (wanted: string | undefined, flags) =>
      wanted === undefined ? (await code()).listKeys(flags) : refuseCommand(keys, wanted),
    )
  inFolder(keys.command('create'))
    .description('make one more key, and show it once')
    .argument('<kind>', 'project or admin')
    .option('--project <project>', 'its name or id (default: the Default project)')
    .option('--name <name>', 'what lists call the key')
    .action(async (kind, _flags, command: Command) => {
      const { project, name, ...flags } = command.optsWithGlobals()
      await (await code()).createKey({ kind, ...(project && { project }), ...(name && { name }) }, flags)
    })
  inFolder(keys.command('replace'))
    .description('make another in place of one that is lost or known to others; the old one ends')
    .argument('<id>', 'of a key; or hooks, hooks-admin, cluster')
    .action(async (id: string, _flags, command: Command) => (await code()).replaceKey(id, command.optsWithGlobals()))
  inFolder(keys.command('delete'))
    .description('end a key')
    .argument('<id>')
    .option('--yes', 'do not ask')
    .action(async (id: string, _flags, command: Command) => (await code()).deleteKey(id, command.optsWithGlobals()))
}

const inFolder = (command: Command): Command =>
  command
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .option('--database <url>', 'a PostgreSQL address (default: embedded SQLite in the data folder)')

const help = `
Needs no key, only the right to read the data folder; works while Atoll runs and while it does not. Every change goes
into the audit log, and holds at once.

Examples:
  ./atoll keys                            list all of them
  ./atoll keys create admin               a lost admin key: make another
  eval "$(./atoll keys replace hooks)"    another token for senders of hooks, in this shell`
