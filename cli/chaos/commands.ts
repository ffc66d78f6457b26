// `./atoll chaos` on the command line.
import type { Command } from 'commander'

export function addChaos(program: Command): void {
  program
    .command('chaos')
    .description(
      'try faults on a group of three nodes under load, in namespaces of its own, and check what it promises; Ctrl-C ends it early with its report',
    )
    .option('--minutes <number>', 'how long faults are made (default 2)')
    .option('--seed <number>', 'the same seed draws the same faults (default: a new one)')
    .option('--single', 'one PostgreSQL in place of a primary and a standby under Patroni')
    .addHelpText('after', '\nNeeds root and a checkout. The exit code is 0 when every promise was kept, else 1.')
    .action(async (flags) => (await import('./chaos.ts')).chaos(flags))
}
