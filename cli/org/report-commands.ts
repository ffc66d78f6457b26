import { Argument, type Command, Option } from 'commander'
import { asJson, asksFirst, collect } from './options.ts'

const kinds = [
  'completions',
  'embeddings',
  'moderations',
  'images',
  'audio_speeches',
  'audio_transcriptions',
  'vector_stores',
  'code_interpreter_sessions',
]

export function addReportCommands(org: Command): void {
  addLimits(org)
  asJson(org.command('usage'))
    .description('show what was used')
    .addArgument(new Argument('[kind]').choices(kinds).default('completions'))
    .option('--since <time>', '7d, 24h, 90m or a date', '7d')
    .addOption(new Option('--width <width>', 'of a line').choices(['1m', '1h', '1d']).default('1d'))
    .option(
      '--by <field>',
      'a line for each: project_id, user_id, api_key_id, model, …; may be given again',
      collect,
      [],
    )
    .action(async (kind: string, flags) => (await import('./reports.ts')).showUsage(kind, flags))
  asJson(org.command('costs'))
    .description('show what it cost by the price list, day by day')
    .option('--since <time>', '7d or a date', '7d')
    .option('--by <field>', 'a line for each: project_id or line_item; may be given again', collect, [])
    .action(async (flags) => (await import('./reports.ts')).showCosts(flags))
  asJson(org.command('audit'))
    .description('show what administrators did, the newest first')
    .option('--type <type>', 'only these, such as project.archived; may be given again', collect, [])
    .option('--since <time>', '7d, 24h, 90m or a date')
    .option('--limit <number>', 'how many', '100')
    .action(async (flags) => (await import('./audit.ts')).listAudit(flags))
  asksFirst(org.command('activate-audit'))
    .description('keep an audit log from now on, for good')
    .action(async (flags) => (await import('./audit.ts')).activateAudit(flags))
}

function addLimits(org: Command): void {
  const code = () => import('./limits.ts')
  asJson(org.command('limits'))
    .description('list the rate limits of a project')
    .argument('<project>')
    .action(async (project: string, flags) => (await code()).listLimits(project, flags))
  asJson(org.command('set-limit'))
    .description('set rate limits of a project for a model')
    .argument('<project>')
    .argument('<model>')
    .option('--requests <number>', 'requests per minute')
    .option('--tokens <number>', 'tokens per minute')
    .option('--images <number>', 'images per minute')
    .option('--requests-per-day <number>', 'requests per day')
    .action(async (project: string, model: string, flags) => (await code()).setLimit(project, model, flags))
}
