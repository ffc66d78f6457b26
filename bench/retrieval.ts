// Search through the API beside a plain BM25 and vectors alone, and what assistants are given to read of what they need.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownPostgres } from '@atoll/testkit/postgres'
import { type AtollServer, spawnServer } from './atoll-server.ts'
import { RetrievalClient } from './retrieval/client.ts'
import {
  type Collection,
  documentationPassages,
  documentationQuestions,
  publicCollections,
  smallChunks,
  wholeDocumentation,
} from './retrieval/collections.ts'
import { type Figures, figuresOf } from './retrieval/figures.ts'
import { type Answers, measureAnswers } from './retrieval/measure-answers.ts'
import { type Measured, measureSearch } from './retrieval/measure-search.ts'
import { startReader } from './retrieval/reader.ts'

const plenty = 1_000_000_000
const goals = { ours: 1.05, meaning: 0.85 }

export async function bench(): Promise<void> {
  const collections = await allCollections()
  await withServer([], {}, async (server) => {
    await showSearch(new RetrievalClient(server), collections, 'SQLite')
  })
  await showAnswers()
  if (process.env.BENCH_POSTGRES === undefined) {
    console.log('  PostgreSQL is left out: ask for it with BENCH_POSTGRES=1')
    return
  }
  const database = await ownPostgres()
  try {
    await withServer(['--database', database.url], {}, async (server) => {
      await showSearch(new RetrievalClient(server), collections, 'PostgreSQL')
    })
  } finally {
    await database.stop()
  }
}

async function allCollections(): Promise<Collection[]> {
  const own = [await wholeDocumentation(), await documentationPassages()]
  const folder = process.env.BENCH_COLLECTIONS
  if (folder !== undefined) return [...own, ...publicCollections(folder, process.env.BENCH_ONLY?.split(','))]
  console.log('  public collections are left out: name a folder of NAME.collection.json with BENCH_COLLECTIONS')
  return own
}

async function withServer(
  flags: readonly string[],
  platform: object,
  work: (server: AtollServer) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-retrieval-'))
  const config = join(folder, 'atoll.json')
  const rateLimits = { requestsPerMinute: plenty, tokensPerMinute: plenty }
  await writeFile(config, JSON.stringify({ platform: { rateLimits, ...platform } }))
  const server = await spawnServer(['--config', config, ...flags])
  try {
    await work(server)
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function showAnswers(): Promise<void> {
  const questions = documentationQuestions().filter(({ answer }) => answer !== '')
  const near = questions.filter(({ wording }) => wording === 'near')
  const reader = await startReader(questions)
  const platform = {
    runtimes: {
      reader: { kind: 'upstream', replicas: [reader.url], model: 'reader' },
    },
    models: [
      { id: 'reader', runtime: 'reader', serves: ['chat'] },
      { id: 'text-embedding-3-small', runtime: 'builtin-embeddings' },
    ],
  }
  try {
    await withServer([], platform, async (server) => {
      console.log('\n  Assistants on the documentation, with a model that reads all it is given')
      showAnswerFigures('in near words', await measureAnswers(server, near))
      showAnswerFigures('in near words, chunks of 100 tokens', await measureAnswers(server, near, smallChunks))
      const far = questions.filter(({ wording }) => wording === 'far')
      showAnswerFigures('in far words', await measureAnswers(server, far))
    })
  } finally {
    reader.close()
  }
}

function showAnswerFigures(name: string, { asked, given, cited, sentences, citations, wrong }: Answers): void {
  const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
  console.log(`  ${name}: the passage was given in ${given} of ${asked}, ${percent(given, asked)} (goal 95 %)`)
  console.log(
    `    of ${citations} citations ${wrong} wrong, ${percent(wrong, citations)} (goal at most 2 %); of ${sentences} sentences that a file says ${cited} cited`,
  )
}

async function showSearch(
  client: RetrievalClient,
  collections: readonly Collection[],
  database: string,
): Promise<void> {
  console.log(`\n  ${database.padEnd(44)} BM25             vectors alone    our search       ours/BM25`)
  const ratios: { ours: number; meaning: number }[] = []
  for (const collection of collections) {
    const measured = await measureSearch(client, collection)
    const { name, files, questions } = collection
    const ours = showRow(`${name}, ${files.length} files, ${questions.length} questions`, measured)
    ratios.push(ours)
    for (const wording of ['near', 'far'] as const) {
      const isAsked = (_: unknown, place: number): boolean => questions[place]?.wording === wording
      if (!questions.some((_, place) => isAsked(_, place))) continue
      const { ours: found, words, meaning, seconds } = measured
      const part = {
        ours: found.filter(isAsked),
        words: words.filter(isAsked),
        meaning: meaning.filter(isAsked),
        seconds,
      }
      showRow(`  asked in ${wording} words`, part)
    }
  }
  const mean = (of: 'ours' | 'meaning'): string =>
    (ratios.reduce((sum, ratio) => sum + ratio[of], 0) / ratios.length).toFixed(3)
  console.log(`  in the mean of BM25's nDCG: ours ${mean('ours')} (goal ${goals.ours}, on none below 1)`)
  console.log(`  vectors alone ${mean('meaning')} (goal ${goals.meaning})`)
}

function showRow(name: string, measured: Measured): { ours: number; meaning: number } {
  const [words, meaning, ours] = [measured.words, measured.meaning, measured.ours].map(figuresOf) as [
    Figures,
    Figures,
    Figures,
  ]
  const [ofOurs, ofMeaning] = [ours.ndcg / words.ndcg, meaning.ndcg / words.ndcg]
  const figures = [words, meaning, ours].map(shown).join('  ')
  console.log(`  ${name.padEnd(44)} ${figures}  ${ofOurs.toFixed(3)}  (in after ${measured.seconds.toFixed(1)} s)`)
  return { ours: ofOurs, meaning: ofMeaning }
}

/** nDCG@10, hit@1, hit@5. */
const shown = ({ ndcg, hit1, hit5 }: Figures): string =>
  [ndcg, hit1, hit5]
    .map((value) => value.toFixed(3).replace(/^0/, ''))
    .join(' ')
    .padEnd(15)
