// `./atoll upgrade` on the command line.
import type { Command } from 'commander'

export function addUpgrade(program: Command): void {
  program
    .command('upgrade')
    .description('tell whether this version can serve the data, and how to get another one')
    .option('--check', 'look, and change nothing')
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .option('--database <url>', 'a PostgreSQL address')
    .option('--json', 'for programs')
    .addHelpText('after', '\nThe exit code is 0 when this version can serve the data, else 1.')
    .action(async (flags) => (await import('./upgrade.ts')).upgrade(flags))
}
