import { nearestName } from '@atoll/kernel/config/nearest-name'
import { Command } from 'commander'
import { version } from './version.ts'

export function createProgram(): Command {
  const program = new Command('atoll')
    .description('The whole model cloud on your own machine.')
    .usage('<command> [options]')
    .helpOption('-h, --help', 'show help; after a command, about that command')
    .helpCommand('help [command]', 'show help about a command')
    .version(version(), '-V, --version', 'show the version')
    .exitOverride()
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      '\nFirst steps:\n  ./atoll up      start, and show the address and the keys\n  ./atoll test    run every test',
    )
  // Commander asks only commands it knows for the nearest name when options are absent; words are refused here.
  program.argument('[command]').action((name: string | undefined) => {
    if (name === undefined) return program.help()
    const nearest = nearestName(
      name,
      program.commands.map((command) => command.name()),
    )
    program.error(`atoll: there is no command ${name}${nearest ? `; did you mean ${nearest}?` : '; see ./atoll help'}`)
  })
  addUp(program)
  addTest(program)
  addBench(program)
  addOthers(program)
  return program
}

function addUp(program: Command): void {
  program
    .command('up')
    .description('start Atoll and stay in the foreground until Ctrl-C')
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--port <number>', 'port of the platform (default 8080)')
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--only <services>', 'start only these, separated by commas')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .option('--tls <mode>', 'off, self-signed, or certificate.pem,key.pem (default off)')
    .option('--database <url>', 'a PostgreSQL address (default: embedded SQLite in the data folder)')
    .action(async (flags: Record<string, string>) => (await import('./up.ts')).up(flags))
}

function addTest(program: Command): void {
  program
    .command('test')
    .description('install what the tests need, run them, and count the requirements they prove')
    .argument('[filter...]', 'run only test files whose path contains one of these')
    .option('--missing [group]', 'list the requirements that the last run did not prove, and run nothing')
    .option('--no-install', 'do not install PostgreSQL when it is missing; skip its tests')
    .action(async (filters: string[], options) => (await import('./test.ts')).test(filters, options))
}

function addBench(program: Command): void {
  program
    .command('bench')
    .description('measure; without names, list what can be measured')
    .argument('[name...]')
    .action(async (names: string[]) => (await import('./bench.ts')).bench(names))
}

function addOthers(program: Command): void {
  program
    .command('doctor')
    .description('tell what this machine has and lacks')
    .option('--data <folder>', 'the data folder to look at')
    .action(async (flags: Record<string, string>) => (await import('./doctor.ts')).doctor(flags))
  program
    .command('version')
    .description('show the version')
    .action(() => console.log(`atoll ${version()} on Node ${process.version}`))
}
