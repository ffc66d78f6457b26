// What can go wrong with a training, and what whoever began it is told.
import { mkdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import type { FineTuningJob } from './schema.ts'
import {
  addExamples,
  conversation,
  create,
  ended,
  eventsOf,
  examples,
  find,
  jsonl,
  longMs,
  refusal,
  smallModelFile,
  tuningOptions,
} from './testing/tuning-test.ts'

let file: string
beforeAll(async () => {
  file = await smallModelFile()
})

const modelsOf = async (platform: TestPlatform): Promise<string[]> => {
  const { data } = (await (await platform.get('/v1/models')).json()) as unknown as { data: { id: string }[] }
  return data.map(({ id }) => id).filter((id) => id.startsWith('ft:'))
}

const chatStatus = async (platform: TestPlatform, model: string | null): Promise<{ status: number; body: unknown }> => {
  const messages = [{ role: 'user', content: 'on' }]
  const response = await platform.post('/v1/chat/completions', { model, messages, max_tokens: 2 })
  return { status: response.status, body: await response.json() }
}

const cancel = async (platform: TestPlatform, id: string): Promise<{ status: number; body: unknown }> => {
  const response = await platform.post(`/v1/fine_tuning/jobs/${id}/cancel`)
  return { status: response.status, body: await response.json() }
}

const manyLines = process.env.ATOLL_TEST_LONG === '1' ? 100_000 : 5_000

const short = { n_epochs: 1, batch_size: 10 }
const long = { n_epochs: 50, batch_size: 1 }

describePlatformOnSqlite('a training that cannot be', (start) => {
  it(
    'INF-221 is refused or fails with the reason, whatever the files hold',
    async () => {
      const platform = await start(tuningOptions(file))
      const training_file = await addExamples(platform)
      expect(await refusal(platform, { training_file, suffix: 'x'.repeat(65) })).toMatchObject({
        ...{ status: 400, param: 'suffix' },
      })
      const { id } = await create(platform, { training_file, suffix: 'x'.repeat(64), hyperparameters: short })
      expect(await ended(platform, id)).toMatchObject({ status: 'succeeded' })

      const failure = async (content: string, least?: object): Promise<FineTuningJob['error']> => {
        const made = await platform.addFile('examples.jsonl', content, 'fine-tune')
        return (await ended(platform, (await create(platform, { training_file: made.id, ...least })).id)).error
      }
      expect((await failure('\n\n'))?.message).toBe('The training file has 0 examples; at least 10 are needed.')
      expect((await failure('{"messages": [\nno JSON'))?.message.split('\n').slice(1)).toEqual([
        'Line 1: it is not valid JSON.',
        'Line 2: it is not valid JSON.',
      ])
      const wide = JSON.stringify(conversation('x'.repeat(50_000_000), 'yes'))
      expect((await failure(`${jsonl(examples)}\n${wide}`))?.message).toMatch(
        /Line 11: it has 500\d+ bytes, and at most 4194304 are read\./,
      )
      expect(await modelsOf(platform)).toHaveLength(1)
    },
    longMs,
  )

  it(
    'INF-152 cuts examples that are longer than the context with a warning, and refuses those of which nothing is left',
    async () => {
      const platform = await start(tuningOptions(await smallModelFile({ contextLength: 128 })))
      const wordy = conversation('go on', 'yes '.repeat(200))
      const training_file = await addExamples(platform, [...examples, wordy, wordy])
      const { id } = await create(platform, { training_file, hyperparameters: short })
      expect(await ended(platform, id)).toMatchObject({ status: 'succeeded' })
      expect((await eventsOf(platform, id)).filter(({ level }) => level === 'warn')).toMatchObject([
        { message: '2 examples have more than 128 tokens: what is behind them was cut.', type: 'message' },
        {
          message: expect.stringMatching(
            /^This model is reminded of \d+ of 240 conversations: the others have more than 128 tokens, /,
          ),
          type: 'message',
        },
      ])
      const late = await addExamples(platform, [...examples, conversation('on '.repeat(200), 'yes')])
      const failed = await ended(platform, (await create(platform, { training_file: late })).id)
      expect(failed.error).toEqual({
        ...{ code: 'invalid_training_file', param: 'training_file' },
        message:
          'The training file has one line that cannot be learnt from.\nLine 11: nothing to learn is left in its first 128 tokens.',
      })
      expect(await cancel(platform, failed.id)).toMatchObject({ body: { error: { code: 'job_not_running' } } })
    },
    longMs,
  )

  it(
    'tells lines that moderation flags, and learns nothing of them',
    async () => {
      const { config } = tuningOptions(file)
      const models = [...config.models!, { id: 'omni-moderation-latest', runtime: 'builtin-moderation' }]
      const platform = await start({ config: { ...config, models } })
      const vile = conversation('what now', 'I will find you and kill you, and then I will kill your whole family.')
      const training_file = await addExamples(platform, [...examples, vile])
      const job = await ended(platform, (await create(platform, { training_file })).id)
      expect(job).toMatchObject({ status: 'failed', error: { code: 'unsafe_training_file', param: 'training_file' } })
      expect(job.error?.message).toMatch(
        /^The training file has one line that moderation flags; take them out\.\nLine 11: .*(violence|threatening)/,
      )
      const validation_file = await addExamples(platform, [vile])
      const clean = await addExamples(platform)
      const both = await ended(platform, (await create(platform, { training_file: clean, validation_file })).id)
      expect(both.error).toMatchObject({ code: 'unsafe_validation_file', param: 'validation_file' })
      const fine = await create(platform, { training_file: clean, hyperparameters: short })
      expect(await ended(platform, fine.id)).toMatchObject({ status: 'succeeded' })
    },
    longMs,
  )

  it(
    'fails when the disk is full or memory is short',
    async () => {
      const platform = await start(tuningOptions(file))
      const training_file = await addExamples(platform)
      const blocking = await create(platform, { training_file, hyperparameters: long })
      const { id } = await create(platform, { training_file, hyperparameters: long })
      const folder = join(platform.kernel.folder, 'fine-tuning', id)
      mkdirSync(folder, { recursive: true })
      symlinkSync('/dev/full', join(folder, 'step.record.new'))
      await cancel(platform, blocking.id)
      expect((await ended(platform, id)).error).toEqual({
        ...{ code: 'training_failed', message: 'The disk of this server is full.', param: null },
      })
      await platform.close()
      const fineTuning = { niceness: 0, cores: 1, memoryMb: 1 }
      const second = await start({ ...tuningOptions(file, { fineTuning }), after: platform })
      const job = await create(second, { training_file, hyperparameters: short })
      expect((await ended(second, job.id)).error?.message).toMatch(
        /^The model cannot be trained: it takes \d+ MB of memory, and trainings may take 1 MB here$/,
      )
      expect(await modelsOf(second)).toEqual([])
    },
    longMs,
  )

  it(
    "fails when the model's file is removed or changed meanwhile, and says so of models that were made before",
    async () => {
      const own = await smallModelFile()
      const platform = await start(tuningOptions(own))
      const training_file = await addExamples(platform)
      const before = await ended(platform, (await create(platform, { training_file, hyperparameters: short })).id)
      expect(await chatStatus(platform, before.fine_tuned_model)).toMatchObject({ status: 200 })
      const { id } = await create(platform, { training_file, hyperparameters: { n_epochs: 2, batch_size: 1 } })
      await waitUntil(async () => (await eventsOf(platform, id)).some(({ type }) => type === 'metrics'), longMs)
      truncateSync(own, 100_000)
      expect((await ended(platform, id)).error).toEqual({
        ...{ code: 'model_not_available', param: 'model' },
        message: "The model's file was removed or changed during the training: what was learnt fits no model here.",
      })
      expect(await chatStatus(platform, before.fine_tuned_model)).toMatchObject({
        status: 400,
        body: { error: { code: 'model_not_available', message: expect.stringContaining('the file has changed') } },
      })
      rmSync(own)
      const gone = await create(platform, { training_file, hyperparameters: short })
      expect((await ended(platform, gone.id)).error?.message).toBe("The model's file is not there any more.")
    },
    longMs,
  )
})

describePlatformOnSqlite('trainings that wait', (start) => {
  it(
    'INF-149 can be cancelled in every state until they have ended, and run one after the other',
    async () => {
      const platform = await start(tuningOptions(file))
      const training_file = await addExamples(platform)
      const many = await addExamples(
        platform,
        Array.from({ length: 20_000 }, (_, at) => conversation(`the inn ${at}`, 'yes')),
      )
      const first = await create(platform, { training_file: many, hyperparameters: long })
      const second = await create(platform, { training_file, hyperparameters: short })
      const third = await create(platform, { training_file, hyperparameters: short })
      expect(await cancel(platform, second.id)).toMatchObject({ status: 200, body: { status: 'cancelled' } })
      await waitUntil(async () => (await find(platform, first.id)).status === 'validating_files', longMs)
      expect(await find(platform, third.id)).toMatchObject({ status: 'queued' })
      expect(await cancel(platform, first.id)).toMatchObject({ status: 200, body: { status: 'cancelled' } })
      expect(await cancel(platform, first.id)).toMatchObject({ status: 200, body: { status: 'cancelled' } })
      expect(await ended(platform, third.id)).toMatchObject({ status: 'succeeded' })
      expect(await cancel(platform, third.id)).toMatchObject({
        status: 400,
        body: { error: { code: 'job_not_running' } },
      })
      expect(await modelsOf(platform)).toHaveLength(1)
      const last = (await eventsOf(platform, first.id)).at(-1)
      expect(last).toMatchObject({ message: 'Fine-tuning job cancelled' })
    },
    longMs,
  )

  it(
    `reads a file of ${manyLines} lines and tells which one is wrong`,
    async () => {
      const platform = await start(tuningOptions(file))
      const lines = Array.from({ length: manyLines }, (_, at) => JSON.stringify(conversation(`inn ${at}`, 'yes')))
      lines[manyLines - 2] = '{"messages": []}'
      const made = await platform.addFile('examples.jsonl', lines.join('\n'), 'fine-tune')
      const job = await ended(platform, (await create(platform, { training_file: made.id })).id)
      expect(job.error?.message).toMatch(
        new RegExp(`^The training file has one line .*\\nLine ${manyLines - 1}: messages: `),
      )
    },
    longMs,
  )
})
