// `./atoll audit …` on the command line.
import { nearestName } from '@atoll/kernel/config/nearest-name'
import type { Command } from 'commander'

export function addAudit(program: Command): void {
  const audit = program.command('audit').description('check the audit logs')
  audit
    .usage('<command> [options]')
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[command]')
    .action((name: string | undefined) => {
      if (name === undefined) return audit.help()
      const nearest = nearestName(name, ['verify'])
      audit.error(
        `atoll: there is no command audit ${name}${nearest ? `; did you mean ${nearest}?` : '; there is verify'}`,
      )
    })
  audit
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
