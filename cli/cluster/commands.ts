// The commands of `./atoll cluster`. Their code is loaded only when they are asked for.
import { type Command, Option } from 'commander'
import { commandGroup } from '../command-group.ts'

export function addCluster(program: Command): void {
  const cluster = commandGroup(program, 'cluster', 'manage Redis databases and upgrade their modules')
  cluster.addHelpText('after', clusterHelp)
  addDatabases(cluster)
  addModules(cluster)
  addUpgrade(cluster)
  addActions(cluster)
  addUsers(cluster)
}

const clusterHelp = `
ATOLL_CLUSTER_USER is who you are, as email:password; ./atoll up --only cluster prints it at its first start.
ATOLL_CLUSTER_URL is the server (default http://127.0.0.1:8082). The exit code is 0, or 1 when something failed.

Examples:
  ./atoll cluster upload tally-2.0.0.zip
  ./atoll cluster create orders --module tally@1.0.0 --replication --persistence aof
  ./atoll cluster upgrade orders tally --dry-run
  ./atoll cluster upgrade orders tally`

const onServer = (command: Command): Command =>
  command.option('--url <url>', 'the server (default ATOLL_CLUSTER_URL, else http://127.0.0.1:8082)')

const asList = (command: Command): Command => onServer(command).option('--json', 'for programs')

function addDatabases(cluster: Command): void {
  const code = () => import('./databases.ts')
  asList(cluster.command('databases'))
    .description('list the databases')
    .action(async (flags) => (await code()).listDatabases(flags))
  onServer(cluster.command('create'))
    .description('make a database, and show where to connect')
    .argument('<name>', 'letters, digits and hyphens')
    .option('--module <name[@version]>', 'load this module, the newest unless told; may be given again', collect, [])
    .option('--replication', 'keep a replica that takes over when the master dies')
    .addOption(
      new Option('--persistence <kind>', 'what is kept on disk (default disabled)').choices([
        'aof',
        'snapshot',
        'disabled',
      ]),
    )
    .option('--memory <size>', 'its limit, such as 100mb or 2gb (default none)')
    .option('--port <number>', 'where it listens (default: the first that is free)')
    .addOption(new Option('--engine <name>', 'the server that runs it').choices(['redis', 'valkey']))
    .option('--password', 'clients need a password: asked for, or made up and shown once')
    .action(async (name: string, flags) => (await code()).createDatabase(name, flags))
  onServer(cluster.command('delete'))
    .description('delete a database with all its data')
    .argument('<database>', 'its name or uid')
    .option('--yes', 'do not ask')
    .action(async (which: string, flags) => (await code()).deleteDatabase(which, flags))
}

function addModules(cluster: Command): void {
  const code = () => import('./modules.ts')
  asList(cluster.command('modules'))
    .description('list the modules that databases can have')
    .action(async (flags) => (await code()).listModules(flags))
  onServer(cluster.command('upload'))
    .description('add a module: a zip of module.json and its .so')
    .argument('<file>')
    .action(async (file: string, flags) => (await code()).uploadModule(file, flags))
}

function addUpgrade(cluster: Command): void {
  onServer(cluster.command('upgrade'))
    .description('upgrade modules of a database while its clients go on')
    .argument('<database>', 'its name or uid')
    .argument('<module[@version]...>', 'the newest unless told')
    .option('--args <text>', 'new arguments of the module (default: those it has)')
    .option('--preserve-roles', 'the shard that is master now is master again at the end')
    .option('--may-discard-data', 'begin empty should the data be too much to carry over; without replicas and files')
    .option('--dry-run', 'check everything and say what would be done, and do nothing')
    .addHelpText('after', upgradeHelp)
    .action(async (which: string, names: string[], flags) =>
      (await import('./upgrade.ts')).upgrade(which, names, flags),
    )
}

const upgradeHelp = `
A new module is tried on a copy of the data first; what fails before clients are handed over changes nothing.
Ctrl-C leaves the upgrade running; ./atoll cluster action UID --follow takes it up again.

Example:
  ./atoll cluster upgrade orders tally@2.0.0 --preserve-roles`

function addActions(cluster: Command): void {
  const code = () => import('./actions.ts')
  asList(cluster.command('actions'))
    .description('list upgrades and other actions, the newest first')
    .action(async (flags) => (await code()).listActions(flags))
  onServer(cluster.command('action'))
    .description('show how far an action is')
    .argument('<uid>')
    .option('--follow', 'until its end; Ctrl-C leaves it running')
    .action(async (uid: string, flags) => (await code()).showAction(uid, flags))
}

const roles = ['none', 'db_viewer', 'db_member', 'cluster_viewer', 'cluster_member', 'user_manager', 'admin']

function addUsers(cluster: Command): void {
  const code = () => import('./users.ts')
  asList(cluster.command('users'))
    .description('list who may use the cluster')
    .action(async (flags) => (await code()).listUsers(flags))
  onServer(cluster.command('add-user'))
    .description('let somebody use the cluster; asks for a password, or makes one up and shows it once')
    .argument('<email>')
    .addOption(new Option('--role <role>', 'what they may do').choices(roles).makeOptionMandatory())
    .option('--password-stdin', 'read the password from the standard input')
    .action(async (email: string, flags) => (await code()).addUser(email, flags))
  onServer(cluster.command('verify-audit'))
    .description('check that nobody changed the record of who did what')
    .action(async (flags) => (await code()).verifyAudit(flags))
}

const collect = (value: string, before: string[]): string[] => [...before, value]
