// The commands of `./atoll org` and `./atoll invite`. Their code is loaded only when they are asked for.
import type { Command } from 'commander'
import { commandGroup } from '../command-group.ts'
import { addPeopleCommands } from './people-commands.ts'
import { addKeyCommands, addProjectCommands } from './project-commands.ts'
import { addReportCommands } from './report-commands.ts'

export function addOrg(program: Command): void {
  const description = 'manage people, projects, keys and limits; see usage, costs and the audit log'
  const org = commandGroup(program, 'org', description)
  org.addHelpText('after', orgHelp)
  addPeopleCommands(org)
  addProjectCommands(org)
  addKeyCommands(org)
  addReportCommands(org)
}

const orgHelp = `
OPENAI_ADMIN_KEY is the admin key that ./atoll up printed at its first start, or --admin-key-file names a file with it
(lost: ./atoll keys). OPENAI_BASE_URL is the server (default http://127.0.0.1:8080/v1). People are named by e-mail
address or id, projects by name or id. The exit code is 0, or 1 when something failed.

Examples:
  ./atoll org invite ada@example.com --project Orders
  ./atoll org create-service-account Orders shipping-bot
  ./atoll org usage --since 24h --width 1h --by model
  ./atoll org audit --type project.archived --json`

export function addInvite(program: Command): void {
  commandGroup(program, 'invite', 'join an organization that invited you')
    .command('accept')
    .description('join with the token of the invite')
    .argument('<token>', 'as ./atoll org invite showed it; - reads it from the standard input')
    .option('--name <name>', 'what you are called (default: your address up to the @)')
    .option('--key', 'make a key of the Default project, and show it once')
    .option('--url <url>', 'the server (default OPENAI_BASE_URL, else http://127.0.0.1:8080/v1)')
    .option('--json', 'for programs')
    .action(async (token: string, flags) => (await import('../invite.ts')).acceptInvite(token, flags))
}
