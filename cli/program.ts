import { nearestName } from '@atoll/kernel/config/nearest-name'
import { Command, Option } from 'commander'
import { addAudio } from './audio/commands.ts'
import { addAudit } from './audit/command.ts'
import { addBackup } from './backup/commands.ts'
import { addBlobs } from './blobs/commands.ts'
import { addChaos } from './chaos/commands.ts'
import { addCluster } from './cluster/commands.ts'
import { commandGroup } from './command-group.ts'
import { addConsole } from './console/command.ts'
import { addControl } from './control/commands.ts'
import { addNodes } from './group/commands.ts'
import { addHooks } from './hooks/commands.ts'
import { addKeys } from './keys/commands.ts'
import { addInvite, addOrg } from './org/commands.ts'
import { addPackage } from './package/commands.ts'
import { isCheckout } from './places.ts'
import { addService } from './service/commands.ts'
import { addUpgrade } from './upgrade/commands.ts'
import { addVectorStores } from './vector-stores/commands.ts'
import { version } from './version.ts'

const testStep = '\n  ./atoll test    run every test'

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
      `\nFirst steps:\n  ./atoll up      start, and show the address and the keys${isCheckout() ? testStep : ''}`,
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
  addControl(program)
  addService(program)
  addKeys(program)
  addConsole(program)
  if (isCheckout()) addTest(program)
  addModels(program)
  addBatch(program)
  addTune(program)
  addDraw(program)
  addMigrate(program)
  addVectorStores(program)
  addAudio(program)
  addCluster(program)
  addHooks(program)
  addBackup(program)
  addBlobs(program)
  addNodes(program)
  addAudit(program)
  addUpgrade(program)
  addOrg(program)
  addInvite(program)
  if (isCheckout()) addBench(program)
  if (isCheckout()) addChaos(program)
  if (isCheckout()) addPackage(program)
  addOthers(program)
  return program
}

function addUp(program: Command): void {
  program
    .command('up')
    .description('start Atoll and stay in the foreground until Ctrl-C, or in the background with --detach')
    .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll)')
    .option('--port <number>', 'port of the platform (default 8080)')
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--with <services>', 'start these too: engine, cluster')
    .option('--all', 'start every service')
    .option('--only <services>', 'start only these, separated by commas (default platform,hooks)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .option('--tls <mode>', 'off, self-signed, or certificate.pem,key.pem (default off)')
    .option('--model <file>', 'the GGUF file that answers chats (default: the newest in the models folder)')
    .option('--ffmpeg <program>', 'your ffmpeg, for sound in AAC: its name or its path')
    .option('--ocr <command>', 'a program for scanned PDFs, with {input} for the path: see docs/file-search.md')
    .option('--database <url>', 'a PostgreSQL address (default: embedded SQLite in the data folder)')
    .option('--detach', 'run in the background: see status, logs, stop')
    .addOption(new Option('--detached').hideHelp())
    .action(async (flags) => (await import('./up/up.ts')).up(flags))
}

function addTest(program: Command): void {
  program
    .command('test')
    .description('install what the tests need, run them, and count the requirements they prove')
    .argument('[filter...]', 'run only test files whose path contains one of these')
    .option('--missing [group]', 'list the requirements that the last run did not prove, and run nothing')
    .option('--no-install', 'do not install programs that are missing; skip their tests')
    .option('--strict', 'count a test that passes only at its second try as failed', false)
    .action(async (filters: string[], options) => (await import('./test/test.ts')).test(filters, options))
}

function addModels(program: Command): void {
  const models = commandGroup(program, 'models', 'list, get and remove the models that answer')
  const inFolder = (command: Command): Command =>
    command
      .option('--data <folder>', 'where everything is kept (default ~/.local/share/atoll); models are in models/ there')
      .option('--config <file>', 'read settings from a YAML or JSON file')
  inFolder(models.command('list'))
    .description('show the models that are here and those that can be had')
    .option('--json', 'for programs')
    .action(async (flags) => (await import('./models/models.ts')).listModels(flags))
  inFolder(models.command('pull'))
    .description('get a model: by its name in the list, as owner/repository/file.gguf, or from a URL')
    .argument('<name>', 'for example qwen2.5-0.5b-instruct')
    .option('--name <file>', 'keep it under this file name')
    .option('--sha256 <digits>', 'refuse anything with another checksum')
    .option('--connections <number>', 'how many to use at a time (default 4)')
    .addHelpText('after', pullHelp)
    .action(async (name: string, flags) => (await import('./models/models.ts')).pullModel(name, flags))
  inFolder(models.command('rm'))
    .description('remove models, and what was fetched of unfinished ones')
    .argument('<name...>')
    .action(async (names: string[], flags) => (await import('./models/models.ts')).removeModels(names, flags))
  models
    .command('export')
    .description('write a fine-tuned model of a running Atoll, with its base, as one GGUF file')
    .argument('<id>', 'for example ft:atoll-chat:…')
    .option('-o, --output <file>', 'where it goes (default: a name made of the id, in this folder)')
    .option('--data <folder>', 'where the Atoll that runs keeps everything (default ~/.local/share/atoll)')
    .option('--config <file>', 'read settings from a YAML or JSON file')
    .action(async (id: string, flags) => (await import('./models/export.ts')).exportModel(id, flags))
}

const pullHelp = `
What was fetched is kept when it is interrupted: the same command goes on from there.
HF_TOKEN is a token of the model hub, for models that need one.
ATOLL_MODEL_HUB is the address of a mirror, in place of the model hub.

Example:
  ./atoll models pull qwen2.5-0.5b-instruct`

function addBatch(program: Command): void {
  program
    .command('batch')
    .description('run a file of requests on a running server, and fetch the answers')
    .argument('[file]', 'one request a line, as JSON')
    .option('--endpoint <path>', 'what answers the requests', '/v1/chat/completions')
    .option('--output <file>', 'where answers go (default FILE, ending with .output.jsonl)')
    .option('--errors <file>', 'where requests that failed go (default FILE, ending with .errors.jsonl)')
    .option('--follow <batch>', 'wait for a batch that was begun earlier')
    .option('--cancel <batch>', 'cancel a batch')
    .option('--url <url>', 'the server (default OPENAI_BASE_URL, else http://127.0.0.1:8080/v1)')
    .addHelpText('after', batchHelp)
    .action(async (file: string | undefined, flags) => (await import('./batch/batch.ts')).batch(file, flags))
}

function addMigrate(program: Command): void {
  commandGroup(program, 'migrate', 'move on from an older interface of the platform')
    .command('assistants')
    .description('write down what each assistant of the project is as fields of a response')
    .option('-o, --output <file>', 'where to', 'assistants-as-responses.json')
    .option('--url <url>', 'the server (default OPENAI_BASE_URL)')
    .action(async (flags) => (await import('./migrate/migrate.ts')).migrateAssistants(flags))
}

const batchHelp = `
OPENAI_API_KEY is the project key. The exit code is 0 when every request was answered, else 1.
Ctrl-C leaves the batch running.

Example of a line:
  {"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{"model":"gpt-4o-mini","messages":[…]}}`

function addTune(program: Command): void {
  program
    .command('tune')
    .description('teach a model what a file of examples shows, on a running server')
    .argument('[file]', 'one example a line, as JSON: {"messages": [...]}')
    .option('--validation <file>', 'examples that are measured and not learnt')
    .option('--base <id>', 'the model to begin with', 'atoll-chat')
    .option('--suffix <name>', "a part of the new model's id")
    .option('--epochs <number>', 'how often each example is learnt (default: chosen from the examples)')
    .option('--seed <number>', 'the same seed gives the same model')
    .option('--follow <job>', 'show a training that was begun earlier')
    .option('--cancel <job>', 'cancel a training')
    .option('--url <url>', 'the server (default OPENAI_BASE_URL, else http://127.0.0.1:8080/v1)')
    .addHelpText('after', tuneHelp)
    .action(async (file: string | undefined, flags) => (await import('./tune/tune.ts')).tune(file, flags))
}

const tuneHelp = `
OPENAI_API_KEY is the project key. At least 10 examples are needed. The exit code is 0 when there is a new model.
Ctrl-C leaves the training running.

Example of a line:
  {"messages":[{"role":"user","content":"Where is my order?"},{"role":"assistant","content":"On its way, captain!"}]}`

function addDraw(program: Command): void {
  program
    .command('draw')
    .description('draw a picture of what a prompt describes, on a running server')
    .argument('<prompt>', 'what is to be seen; text in quotes becomes lettering')
    .option('-o, --output <file>', 'where the PNG goes', 'picture.png')
    .option('--size <size>', '1024x1024, 1792x1024 or 1024x1792', '1024x1024')
    .option('--style <style>', 'vivid or natural', 'vivid')
    .option('--model <id>', 'which model draws', 'dall-e-3')
    .option('--url <url>', 'the server (default OPENAI_BASE_URL, else http://127.0.0.1:8080/v1)')
    .addHelpText('after', '\nOPENAI_API_KEY is the project key.')
    .action(async (prompt: string, flags) => (await import('./draw/draw.ts')).draw(prompt, flags))
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
    .option('--json', 'print a list of checks')
    .action(async (flags: { data?: string; json?: boolean }) => (await import('./doctor/doctor.ts')).doctor(flags))
  program
    .command('version')
    .description('show the version')
    .action(() => console.log(`atoll ${version()} on Node ${process.version}`))
}
