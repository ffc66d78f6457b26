// Trainings that somebody pauses, and lets go on later.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OpenAI7 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describeNodes, describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import {
  addExamples,
  conversation,
  create,
  ended,
  eventsOf,
  longMs,
  smallModelFile,
  tuningOptions,
} from './testing/tuning-test.ts'

const jobsOf = (platform: TestPlatform) =>
  new OpenAI7({ baseURL: `${platform.url}/v1`, apiKey: platform.apiKey, maxRetries: 0 }).fineTuning.jobs

const stepsOf = async (platform: TestPlatform, id: string): Promise<number[]> =>
  (await eventsOf(platform, id)).flatMap(({ data }) => (data === null ? [] : [(data as { step: number }).step]))

const folderOf = (platform: TestPlatform, id: string): string => join(platform.kernel.folder, 'fine-tuning', id)

/** What a job's model adds to its base, without its name. */
async function adapterOf(platform: TestPlatform, { id, model }: { id: string; model: string }): Promise<string> {
  const folder = join(platform.kernel.folder, 'adapters')
  const before = existsSync(folder) ? readdirSync(folder) : []
  const messages = [{ role: 'user', content: 'on' }]
  const answer = await platform.post('/v1/chat/completions', { model, messages, max_tokens: 2 })
  expect(answer.status).toBe(200)
  const [file] = readdirSync(folder).filter((name) => !before.includes(name))
  return readFileSync(join(folder, file!)).toString('latin1').replaceAll(id, '')
}

describePlatformOnSqlite('a fine-tuning job that is paused', (start) => {
  it(
    'stops, stays so over a restart, and goes on from its record to the same model when it is resumed',
    async () => {
      const options = tuningOptions(await smallModelFile())
      const first = await start(options)
      const lines = Array.from({ length: 12 }, (_, at) => conversation(`the inn ${at}`, 'yes '.repeat(80)))
      const fields = {
        training_file: await addExamples(first, lines),
        ...{ hyperparameters: { n_epochs: 2, batch_size: 1 }, seed: 3 },
      }
      const { id } = await create(first, fields)
      await waitUntil(async () => (await stepsOf(first, id)).length > 12, longMs)
      expect(await jobsOf(first).pause(id)).toMatchObject({ id, status: 'paused', estimated_finish: null })
      expect(await jobsOf(first).pause(id)).toMatchObject({ status: 'paused' })
      // Another job's turn: nothing of this one runs any more.
      const twin = await create(first, fields)
      await waitUntil(async () => (await stepsOf(first, twin.id)).length > 0, longMs)
      const told = await stepsOf(first, id)
      expect(told.length).toBeLessThan(24)
      expect(existsSync(join(folderOf(first, id), 'step.record'))).toBe(true)
      await first.close()

      const second = await start({ ...options, after: first })
      const whole = await ended(second, twin.id)
      expect(await jobsOf(second).retrieve(id)).toMatchObject({ status: 'paused', finished_at: null })
      expect(await stepsOf(second, id)).toEqual(told)
      expect(await jobsOf(second).resume(id)).toMatchObject({ id, status: 'queued' })
      const job = await ended(second, id)
      expect(job, JSON.stringify(job.error)).toMatchObject({ status: 'succeeded' })
      expect(await stepsOf(second, id)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1))
      const messages = (await eventsOf(second, id)).map(({ message }) => message)
      expect(messages.filter((message) => /paused|resumed|started/.test(message))).toEqual([
        'Fine-tuning job started',
        'Fine-tuning job paused',
        'Fine-tuning job resumed',
      ])
      const paused = await adapterOf(second, { id, model: job.fine_tuned_model! })
      const uninterrupted = await adapterOf(second, { id: twin.id, model: whole.fine_tuned_model! })
      expect(paused === uninterrupted).toBe(true)
      expect(existsSync(folderOf(second, id))).toBe(false)
    },
    longMs,
  )

  it(
    'can wait for its turn, be cancelled, and is refused what its state does not allow',
    async () => {
      const platform = await start(tuningOptions(await smallModelFile()))
      const jobs = jobsOf(platform)
      const training_file = await addExamples(platform)
      const long = { training_file, hyperparameters: { n_epochs: 50, batch_size: 1 } }
      const [running, waiting] = [await create(platform, long), await create(platform, { training_file })]
      expect(await jobs.pause(waiting.id)).toMatchObject({ status: 'paused' })
      await waitUntil(async () => (await stepsOf(platform, running.id)).length > 0, longMs)
      await expect(jobs.resume(running.id)).rejects.toMatchObject({ status: 400, code: 'job_not_paused' })
      expect(await jobs.pause(running.id)).toMatchObject({ status: 'paused' })
      expect(existsSync(folderOf(platform, running.id))).toBe(true)
      expect(await jobs.cancel(running.id)).toMatchObject({ status: 'cancelled' })
      await waitUntil(() => !existsSync(folderOf(platform, running.id)), longMs)
      for (const change of [() => jobs.pause(running.id), () => jobs.resume(running.id)]) {
        await expect(change()).rejects.toMatchObject({
          ...{ status: 400, message: expect.stringContaining("(status 'cancelled')") },
        })
      }
      await expect(jobs.resume('ftjob-none')).rejects.toMatchObject({ status: 404 })
      // Of a job that was cancelled while this node was down.
      const left = folderOf(platform, 'ftjob-left')
      mkdirSync(left)
      const both = await Promise.allSettled([jobs.resume(waiting.id), jobs.resume(waiting.id)])
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const told = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult
      expect(told.reason).toMatchObject({ status: 400, message: expect.not.stringContaining("(status 'paused')") })
      expect(await ended(platform, waiting.id)).toMatchObject({ status: 'succeeded' })
      expect(existsSync(left)).toBe(false)
    },
    longMs,
  )
})

describeNodes('a fine-tuning job that is paused on one node', (start) => {
  it(
    'leaves nothing there when it is cancelled through another',
    async () => {
      const options = tuningOptions(await smallModelFile())
      const first = await start(options)
      const second = await start({ ...options, after: first, withoutJobs: true })
      const training_file = await addExamples(first)
      const { id } = await create(first, { training_file, hyperparameters: { n_epochs: 50, batch_size: 1 } })
      await waitUntil(async () => (await stepsOf(first, id)).length > 0, longMs)
      expect(await jobsOf(second).pause(id)).toMatchObject({ status: 'paused' })
      // Its turn is over: the next one has it.
      const next = await create(first, { training_file })
      await waitUntil(async () => (await stepsOf(first, next.id)).length > 0, longMs)
      expect(existsSync(folderOf(first, id))).toBe(true)
      expect(await jobsOf(second).cancel(id)).toMatchObject({ status: 'cancelled' })
      await waitUntil(() => !existsSync(folderOf(first, id)), longMs)
    },
    longMs,
  )
})
