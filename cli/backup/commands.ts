// `./atoll backup`, `restore` and `move` on the command line. Their code is loaded only when it is asked for.
import type { Command } from 'commander'

const withPlace = (command: Command): Command =>
  command
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .option('--database <url>', 'a PostgreSQL address (default: embedded SQLite in the data folder)')

const withPassphrase = (command: Command): Command =>
  command.option('--passphrase-file <file>', 'its first line encrypts the backup (or ATOLL_BACKUP_PASSPHRASE)')

export function addBackup(program: Command): void {
  const backup = program.command('backup').description('copy the database and all blobs, while Atoll serves')
  withPassphrase(withPlace(backup))
    .argument('<to>', 'a folder, s3://bucket/prefix, or - for a tar on the standard output')
    .option('--full', 'write everything anew, also what earlier backups there have')
    .addHelpText('after', backupHelp)
    .action(async (to: string, flags) => (await import('./backup.ts')).backUp(to, flags))
  withPassphrase(
    backup
      .command('verify')
      .description('read a backup from end to end, and say what is damaged')
      .argument('<from>', 'where it lies'),
  )
    .option('--snapshot <id>', 'one of ./atoll backup list (default: the newest)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .action(async (from: string, flags) => (await import('./verify.ts')).verify(from, flags))
  withPassphrase(
    backup.command('list').description('the backups that lie in a place').argument('<from>', 'where they lie'),
  )
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .action(async (from: string, flags) => (await import('./verify.ts')).list(from, flags))
  withPassphrase(
    withPlace(
      program
        .command('restore')
        .description('fill an empty installation from a backup')
        .argument('<from>', 'where it lies'),
    ),
  )
    .option('--snapshot <id>', 'one of ./atoll backup list (default: the newest)')
    .addHelpText('after', restoreHelp)
    .action(async (from: string, flags) => (await import('./restore.ts')).restore(from, flags))
  withPlace(
    program.command('move').description('copy the database from SQLite to PostgreSQL or back, while Atoll is stopped'),
  )
    .requiredOption('--to <place>', 'postgres://user:password@host/name, or a data folder for SQLite')
    .addHelpText('after', moveHelp)
    .action(async (flags) => (await import('./move.ts')).move(flags))
}

const backupHelp = `
Rows are those of one moment, with every blob they refer to. What earlier backups in the same place have is not copied
again. Killed half-way it leaves the earlier backups as they were. Not in it: models, containers and their volumes,
databases of the cluster, the configuration file.

Examples:
  ./atoll backup /mnt/backups
  ./atoll backup s3://bucket/atoll?endpoint=https://s3.example.com
  ./atoll backup - | ssh elsewhere 'mkdir -p atoll && tar x -C atoll'`

const restoreHelp = `
Atoll must not run there yet. Killed half-way, give the same command again. A backup of SQLite can be restored into
PostgreSQL, and the other way round.

Example:
  ./atoll restore /mnt/backups --data /srv/atoll`

const moveHelp = `
The rows are copied, the old database stays as it is, and blobs stay where they are: start with the new one afterwards.

Example:
  ./atoll move --data /srv/atoll --to postgres://atoll:secret@db.example.com/atoll
  ./atoll up --data /srv/atoll --database postgres://atoll:secret@db.example.com/atoll`
