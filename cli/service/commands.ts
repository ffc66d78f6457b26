// The commands of `./atoll service`. Their code is loaded only when they are asked for.
import type { Command } from 'commander'
import { commandGroup } from '../command-group.ts'

export function addService(program: Command): void {
  const code = () => import('./service.ts')
  const service = commandGroup(program, 'service', 'let systemd start Atoll with the machine')
  service
    .command('install')
    .description('write a unit, enable and start it: for the machine as root, else for this user')
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--port <number>', 'port of the platform (default 8080)')
    .option('--with <services>', 'start these too: engine, cluster')
    .option('--all', 'start every service')
    .option('--only <services>', 'start only these (default platform,hooks)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .option('--folder <folder>', 'write the unit there, and do nothing else')
    .action(async (flags) => (await code()).installService(flags))
  service
    .command('uninstall')
    .description('stop it and remove the unit; data stays')
    .action(async () => (await code()).uninstallService())
  service
    .command('status')
    .description('show what systemd says of it')
    .action(async () => (await code()).serviceStatus())
}
