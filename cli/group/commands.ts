// `./atoll nodes` on the command line.
import type { Command } from 'commander'

export function addNodes(program: Command): void {
  program
    .command('nodes')
    .description('the nodes that share a PostgreSQL: versions, whether they are ready, how busy they are')
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .option('--database <url>', 'a PostgreSQL address')
    .option('--json', 'for programs')
    .addHelpText('after', '\nThe exit code is 0 when all of them are ready, else 1.')
    .action(async (flags) => (await import('./nodes.ts')).showNodes(flags))
}
