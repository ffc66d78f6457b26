// Goes through a batch's input once, before anything of it is run.

import { inputLines } from '@atoll/kernel/blobs/input-lines'
import type { Database } from '@atoll/kernel/db/database'
import type { RunningJob } from '@atoll/kernel/jobs/jobs'
import { ifNotFound } from '../../errors/if-not-found.ts'
import type { Files } from '../files/service.ts'
import { callerOf } from './caller.ts'
import { type CheckedLine, LineCheck, maxRequests } from './check-lines.ts'
import type { RequestRunner } from './run-request.ts'
import type { BatchError } from './schema.ts'
import * as store from './store.ts'

export interface InputParts {
  db: Database
  files: Files
  runner: RequestRunner
  settings: { maxLineBytes: number }
}

/** What is wrong with the input, and the numbers of the lines that hold its requests. */
export async function lookThrough(
  { db, files, runner, settings }: InputParts,
  batch: store.BatchRow,
  job: RunningJob<unknown>,
): Promise<{ check: LineCheck; numbers: number[] }> {
  const caller = callerOf(batch)
  const check = new LineCheck(batch.endpoint, (model) => runner.serves(caller, batch.endpoint, model))
  const numbers: number[] = []
  const rows: CheckedLine[] = []
  const flush = async (): Promise<void> => {
    const found = rows.splice(0).map((row) => ({ ...row, batch_id: batch.id }))
    if (found.length === 0) return
    await db.transaction(async (tx) => {
      await job.confirm(tx)
      await store.insertLines(tx, found)
    })
  }
  const input = await files.content(caller, batch.input_file_id).catch(ifNotFound)
  if (input === undefined) {
    check.refuse(missingFile(batch))
    return { check, numbers }
  }
  const source = input.read()
  try {
    for await (const line of inputLines(source, settings.maxLineBytes)) {
      job.signal.throwIfAborted()
      const checked = await check.add(line)
      if (checked === undefined || check.requests > maxRequests) continue
      numbers.push(checked.line)
      rows.push(checked)
      if (rows.length >= store.rowsAtOnce && check.errorCount === 0) await flush()
    }
  } finally {
    source.destroy()
  }
  check.end()
  if (check.errorCount === 0) await flush()
  return { check, numbers }
}

/** Never there, of another project, or deleted. */
export const missingFile = (batch: store.BatchRow): BatchError => ({
  code: 'invalid_request',
  message: `Cannot find file ${batch.input_file_id}, or organization ${callerOf(batch).organizationId} does not have access to it.`,
  param: 'file_id',
  line: null,
})
