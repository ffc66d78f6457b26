// The command ./atoll console. Its code is loaded only when it is asked for.
import type { Command } from 'commander'

export function addConsole(program: Command): void {
  program
    .command('console')
    .description('print a link that opens the console in a browser, for whoever owns the data folder')
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .action(async (flags) => (await import('./print-link.ts')).printLink(flags))
}
