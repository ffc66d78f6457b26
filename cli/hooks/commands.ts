// The commands of `./atoll hooks`. Their code is loaded only when they are asked for.
import type { Command } from 'commander'
import { commandGroup } from '../command-group.ts'

export function addHooks(program: Command): void {
  const hooks = commandGroup(program, 'hooks', 'look after the webhook gateway').addHelpText('after', hooksHelp)
  addDeliveries(hooks)
  addDeadLetters(hooks)
  addPauses(hooks)
  addMappings(hooks)
}

const hooksHelp = `
ATOLL_HOOKS_ADMIN_TOKEN is the admin token; ./atoll up prints it at its first start (lost: ./atoll keys).
ATOLL_HOOKS_URL is the gateway (default http://127.0.0.1:8081). The exit code is 0, or 1 when something failed.

Examples:
  ./atoll hooks tail
  ./atoll hooks deliveries --state dead
  ./atoll hooks test github push.json
  ./atoll hooks route irc '#builds'`

const onServer = (command: Command): Command =>
  command
    .option('--url <url>', 'the gateway (default ATOLL_HOOKS_URL, else http://127.0.0.1:8081)')
    .option('--token-file <file>', 'read the admin token from there (default ATOLL_HOOKS_ADMIN_TOKEN)')

const shown = (command: Command): Command => onServer(command).option('--json', 'for programs')

function addDeliveries(hooks: Command): void {
  const code = () => import('./deliveries.ts')
  shown(hooks.command('tail'))
    .description('show deliveries as they come and change, until Ctrl-C')
    .option('--recent <number>', 'begin with the latest (default 10)')
    .action(async (flags) => (await import('./tail.ts')).tail(flags))
  shown(hooks.command('deliveries'))
    .description('list what came in, the newest first')
    .option('--state <state>', 'only those that are queued, running, succeeded, failed, timed_out, skipped or dead')
    .option('--mapping <id>', 'only those of this mapping')
    .option('--session <key>', 'only those of this conversation')
    .option('--after <id>', 'those that came before this one')
    .option('--limit <number>', 'how many (default 100)')
    .action(async (flags) => (await code()).listDeliveries(flags))
  shown(hooks.command('show'))
    .description('show a delivery, and what became of it')
    .argument('<id>')
    .action(async (id: string, flags) => (await code()).showDelivery(id, flags))
  onServer(hooks.command('replay'))
    .description('do a delivery once more')
    .argument('<id>')
    .action(async (id: string, flags) => (await code()).replayDelivery(id, flags))
}

function addDeadLetters(hooks: Command): void {
  const code = () => import('./deliveries.ts')
  shown(hooks.command('dead-letters'))
    .description('list deliveries and messages that were given up')
    .action(async (flags) => (await code()).listDeadLetters(flags))
  onServer(hooks.command('retry'))
    .description('try what was given up once more')
    .argument('<id>', 'of a delivery or a message')
    .action(async (id: string, flags) => (await code()).retryDeadLetter(id, flags))
}

function addPauses(hooks: Command): void {
  const code = () => import('./operate.ts')
  shown(hooks.command('status'))
    .description('show how much waits, runs and has ended')
    .action(async (flags) => (await code()).showStatus(flags))
  onServer(hooks.command('pause'))
    .description('let what comes in wait')
    .argument('[mapping]', 'only of this mapping')
    .action(async (mapping: string | undefined, flags) => (await code()).pause(mapping, flags))
  onServer(hooks.command('resume'))
    .description('run what has waited')
    .argument('[mapping]', 'only of this mapping')
    .action(async (mapping: string | undefined, flags) => (await code()).resume(mapping, flags))
}

function addMappings(hooks: Command): void {
  const code = () => import('./operate.ts')
  shown(hooks.command('mappings'))
    .description('list mappings in the order they are tried')
    .action(async (flags) => (await code()).listMappings(flags))
  shown(hooks.command('test'))
    .description('show what a mapping would make of a body; nothing is run')
    .argument('<mapping>')
    .argument('<file>', 'the body, as JSON; - for the standard input')
    .action(async (mapping: string, file: string, flags) => (await code()).testMapping(mapping, file, flags))
  shown(hooks.command('route'))
    .description('show, or set, where replies to "last" go')
    .argument('[channel]', 'email, irc, mqtt, xmpp, matrix, slack, discord or telegram')
    .argument('[to]', 'the recipient there')
    .action(async (channel: string | undefined, to: string | undefined, flags) =>
      (await code()).route(channel, to, flags),
    )
}
