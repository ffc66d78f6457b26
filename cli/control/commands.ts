// Commands for an Atoll that runs on this machine. Their code is loaded only when they are asked for.
import type { Command } from 'commander'

export function addControl(program: Command): void {
  const status = () => import('./status.ts')
  inFolder(program.command('status'))
    .description('tell what runs on this machine, and whether it is ready')
    .option('--json', 'for programs')
    .addHelpText('after', '\nThe exit code is 0 when all is ready, 1 when something is not, 3 when nothing runs.')
    .action(async (flags) => (await status()).showStatus(flags))
  inFolder(program.command('stop'))
    .description('end it properly, and wait for that')
    .action(async (flags) => (await status()).stop(flags))
  inFolder(program.command('logs'))
    .description('show what it wrote, when it runs in the background or as a service')
    .option('-f, --follow', 'go on until Ctrl-C')
    .option('-n, --lines <number>', 'so many of the last ones (default 100)')
    .action(async (flags) => (await import('./logs.ts')).showLogs(flags))
}

const inFolder = (command: Command): Command =>
  command
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
