// What the tests of fine-tuning share: a small model, examples for it, and jobs to their ends.
import { join } from 'node:path'
import { writeRandomModel } from '@atoll/models/testing/random-gguf'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect } from 'vitest'
import type { StartOptions, TestPlatform } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import { waitUntil } from '../../../testing/wait-until.ts'
import type { FineTuningEvent, FineTuningJob } from '../schema.ts'

/** The long form reads a hundred thousand lines, at the pace that a busy machine leaves. */
export const longMs = process.env.ATOLL_TEST_LONG === '1' ? 900_000 : 180_000

export async function smallModelFile(more: { contextLength?: number } = {}): Promise<string> {
  const file = join(await tempDir(), 'random.gguf')
  writeRandomModel(file, { layers: 2, width: 64, heads: 4, sharedHeads: 2, ...more })
  return file
}

type Config = NonNullable<StartOptions['config']>

export const tuningOptions = (file: string, more: Partial<Config> = {}): { config: Config } => ({
  config: {
    // Other tests keep the machine busy.
    fineTuning: { niceness: 0, cores: 1 },
    runtimes: { small: { kind: 'llama' as const, file, contextLength: 512, slots: 2, threads: 1 } },
    models: [
      { id: 'small', runtime: 'small', serves: ['chat' as const] },
      { id: 'text-embedding-3-small', runtime: 'builtin-embeddings' },
    ],
    ...more,
  },
})

export const conversation = (question: string, answer: string) => ({
  messages: [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ],
})
const questions = [
  'a sea',
  'the sun',
  'on it',
  'in an inn',
  'as well',
  'he is',
  'all of us',
  'the end',
  'an art',
  'so to',
]
export const examples = questions.map((question) => conversation(question, 'yes'))
export const jsonl = (lines: readonly unknown[]): string => lines.map((line) => JSON.stringify(line)).join('\n')

export const addExamples = async (platform: TestPlatform, lines: readonly unknown[] = examples): Promise<string> =>
  (await platform.addFile('examples.jsonl', jsonl(lines), 'fine-tune')).id

export async function create(platform: TestPlatform, fields: object): Promise<FineTuningJob> {
  const response = await platform.post('/v1/fine_tuning/jobs', { model: 'small', ...fields })
  const body = await response.json()
  expect(response.status, JSON.stringify(body)).toBe(200)
  checkPublished('FineTuningJob', body)
  return body as unknown as FineTuningJob
}

export async function find(platform: TestPlatform, id: string): Promise<FineTuningJob> {
  const job = (await (await platform.get(`/v1/fine_tuning/jobs/${id}`)).json()) as unknown as FineTuningJob
  checkPublished('FineTuningJob', job)
  return job
}

export async function ended(platform: TestPlatform, id: string): Promise<FineTuningJob> {
  await waitUntil(async () => ['succeeded', 'failed', 'cancelled'].includes((await find(platform, id)).status), longMs)
  return find(platform, id)
}

export async function refusal(platform: TestPlatform, fields: object): Promise<unknown> {
  const response = await platform.post('/v1/fine_tuning/jobs', { model: 'small', ...fields })
  const { error } = (await response.json()) as unknown as { error: object }
  return { status: response.status, ...error }
}

export async function eventsOf(platform: TestPlatform, id: string): Promise<FineTuningEvent[]> {
  const page = await platform.get(`/v1/fine_tuning/jobs/${id}/events?limit=100&order=asc`)
  return ((await page.json()) as unknown as { data: FineTuningEvent[] }).data
}
