// `./atoll audit …` on the command line.
import type { Command } from 'commander'
import { commandGroup } from '../command-group.ts'

export function addAudit(program: Command): void {
  commandGroup(program, 'audit', 'check the audit logs')
    .command('verify')
    .description('prove that no entry of an audit log was changed, removed or added')
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .option('--database <url>', 'a PostgreSQL address (default: embedded SQLite in the data folder)')
    .option(
      '--against <file>',
      'an earlier output of --json, kept elsewhere: finds a log that was rewritten as a whole',
    )
    .option('--json', 'for programs')
    .addHelpText('after', help)
    .action(async (flags) => (await import('./audit.ts')).verifyAudit(flags))
}

const help = `
Works while Atoll runs and changes nothing. The exit code is 0 when every log is as it was written, else 1.

Example:
  ./atoll audit verify --json > somewhere-else/audit.json
  ./atoll audit verify --against somewhere-else/audit.json`
