// Two nodes may believe for a moment that a batch is theirs to look through: the slower one must not undo the other's work.
import { Readable } from 'node:stream'
import { type JobKind, type Jobs, LeaseLost, type RunningJob } from '@atoll/kernel/jobs/jobs'
import { expect, it } from 'vitest'
import { describePlatform, type TestPlatform } from '../../testing/describe-platform.ts'
import { BatchJobs } from './jobs.ts'
import { findBatch, insertLines, insertResults, recordedLines } from './store.ts'

interface ChunkJob {
  batchId: string
  from: number
  to: number
}

type Parts = ConstructorParameters<typeof BatchJobs>[0]

/** What a batch's jobs do, to be done by hand. */
function kindOf<Payload>({ kernel }: TestPlatform, name: string): JobKind<Payload> {
  const kinds = new Map<string, unknown>()
  const jobs = {
    register: (kind: { name: string }) => kinds.set(kind.name, kind),
    registerPeriodic: () => undefined,
    enqueue: async () => undefined,
  }
  const { db, blobs, ids, clock } = kernel
  const settings = { requestsAtOnce: 1, maxLineBytes: 1000, order: 'finished' as const }
  const files = { content: async () => ({ read: () => Readable.from([Buffer.from('{"body":{}}')]) }) }
  const parts = { db, blobs, ids, clock, files, jobs: jobs as unknown as Jobs, settings }
  new BatchJobs(parts as unknown as Parts)
  return kinds.get(name) as JobKind<Payload>
}

describePlatform('a batch of which a node has lost hold', (startPlatform) => {
  it('keeps the lines and results of the node that has it now', async () => {
    const platform = await startPlatform({ withoutJobs: true })
    const { db } = platform.kernel
    const { id: fileId } = await platform.addFile('requests.jsonl', 'not read', 'batch')
    const body = { input_file_id: fileId, endpoint: '/v1/chat/completions', completion_window: '24h' }
    const { id } = (await (await platform.post('/v1/batches', body)).json()) as { id: string }
    await db.queries.updateTable('batches').set({ status: 'validating' }).where('id', '=', id).execute()
    await insertLines(db.queries, [{ batch_id: id, line: 1, custom_id: 'one', start: 0, bytes: 1 }])
    await insertResults(db.queries, [{ batch_id: id, line: 1, outcome: 'completed', position: 1, text: '{}' }])
    const lost = async (): Promise<void> => {
      throw new LeaseLost('job')
    }
    const job: RunningJob<{ batchId: string }> = {
      ...{ id: 'job', payload: { batchId: id }, attempt: 1, signal: new AbortController().signal },
      ...{ finish: lost, confirm: lost },
    }
    await expect(kindOf<{ batchId: string }>(platform, 'batch-validate').run(job)).rejects.toThrow(LeaseLost)
    expect([...(await recordedLines(db.queries, id, 1, 1))]).toEqual([1])
  })

  it('does not count lines as done that were left out', async () => {
    const platform = await startPlatform({ withoutJobs: true })
    const { db } = platform.kernel
    const { id: fileId } = await platform.addFile('requests.jsonl', '{"body":{}}', 'batch')
    const body = { input_file_id: fileId, endpoint: '/v1/chat/completions', completion_window: '24h' }
    const { id } = (await (await platform.post('/v1/batches', body)).json()) as { id: string }
    const change = { status: 'in_progress' as const, total: 1, open_chunks: 1 }
    await db.queries.updateTable('batches').set(change).where('id', '=', id).execute()
    await insertLines(db.queries, [{ batch_id: id, line: 1, custom_id: 'one', start: 0, bytes: 11 }])
    const signal = AbortSignal.abort(new LeaseLost('job'))
    const nothing = async (): Promise<void> => undefined
    const job: RunningJob<ChunkJob> = {
      ...{ id: 'job', payload: { batchId: id, from: 1, to: 1 }, attempt: 1, signal },
      ...{ finish: nothing, confirm: nothing },
    }
    await expect(kindOf<ChunkJob>(platform, 'batch-chunk').run(job)).rejects.toThrow(LeaseLost)
    const { open_chunks, status } = (await findBatch(db.queries, id)) ?? {}
    expect([Number(open_chunks), status]).toEqual([1, 'in_progress'])
  })

  it('fails when no attempt has got anywhere, at every stage', async () => {
    const platform = await startPlatform({ withoutJobs: true })
    const { db } = platform.kernel
    const body = { input_file_id: 'file-none', endpoint: '/v1/chat/completions', completion_window: '24h' }
    const { id } = (await (await platform.post('/v1/batches', body)).json()) as { id: string }
    const given = {
      id: 'job',
      payload: { batchId: id },
      attempt: 1_440,
      attempts: 1_440,
      error: 'no',
      retryAt: undefined,
    }
    const dies = (name: string, end: 'retry' | 'dead' = 'dead') =>
      db.transaction(async (tx) => kindOf<{ batchId: string }>(platform, name).released?.(tx, { ...given, end }))
    const state = async () => (await findBatch(db.queries, id))?.status
    await dies('batch-validate', 'retry')
    expect(await state()).toBe('validating')
    await dies('batch-validate')
    expect(await state()).toBe('finalizing')
    await dies('batch-finalize', 'retry')
    expect(await state()).toBe('finalizing')
    await dies('batch-finalize')
    expect(await (await platform.get(`/v1/batches/${id}`)).json()).toMatchObject({
      status: 'failed',
      failed_at: expect.any(Number),
      errors: { data: [{ code: 'server_error', line: null }] },
    })
  })
})
