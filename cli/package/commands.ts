// The commands of `./atoll package`, which a checkout has. Their code is loaded only when they are asked for.
import type { Command } from 'commander'
import { commandGroup } from '../command-group.ts'

export function addPackage(program: Command): void {
  const packages = commandGroup(program, 'package', 'make packages of this checkout for other machines')
  packages
    .command('npm')
    .description('a tarball for npm install -g and npx')
    .option('-o, --output <folder>', 'where it goes', '.')
    .action(async (flags) => (await import('./npm-package.ts')).packageForNpm(flags))
  packages
    .command('deb')
    .description('a Debian package with its Node, a user and systemd units of its own')
    .option('--arch <name>', 'amd64 or arm64 (default: as this machine)')
    .option('--compression <kind>', 'xz, zstd, gzip or none', 'xz')
    .option('-o, --output <folder>', 'where it goes', '.')
    .action(async (flags) => (await import('./deb/deb-package.ts')).packageForDebian(flags))
}
