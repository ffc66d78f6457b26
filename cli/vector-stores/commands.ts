// The commands of `./atoll vector-stores`. Their code is loaded only when they are asked for.
import type { Command } from 'commander'
import { commandGroup } from '../command-group.ts'

export function addVectorStores(program: Command): void {
  const stores = commandGroup(program, 'vector-stores', 'look after the files that assistants search')
  stores
    .command('watch')
    .description('show how far the files of a store are, or of all stores that are worked on')
    .argument('[id]', 'a vector store')
    .option('--url <url>', 'the server (default OPENAI_BASE_URL, else http://127.0.0.1:8080/v1)')
    .addHelpText('after', watchHelp)
    .action(async (id: string | undefined, flags) => (await import('./watch.ts')).watchStores(id, flags))
  stores
    .command('upgrade')
    .description('embed stores again that were made with an earlier embedding model, of all projects')
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .addHelpText('after', upgradeHelp)
    .action(async (flags) => (await import('./upgrade.ts')).upgradeStores(flags))
}

const upgradeHelp = `
Needs no key, only the right to read the data folder of an Atoll that runs. A store of an earlier model (its object tells
"is_current": false) is found by words alone until then; it can be searched and filled all the time. Ctrl-C leaves the
work running, and it goes on after a restart: the same command shows it again.`

const watchHelp = `
OPENAI_API_KEY is the project key. The exit code is 0 when every file can be searched, else 1.
Ctrl-C leaves the work running.`
