// What is said about a batch that has ended.
import type { BatchObject } from '@atoll/platform/resources/batches/schema'
import { duration } from '../progress-line.ts'
import type { ResultPaths } from './files.ts'

const maxErrors = 20

export const isEnded = ({ status }: BatchObject): boolean =>
  status === 'completed' || status === 'failed' || status === 'expired' || status === 'cancelled'

export const isSuccess = ({ status, request_counts }: BatchObject): boolean =>
  status === 'completed' && request_counts.failed === 0

export function summary(batch: BatchObject, { output, errors }: ResultPaths): string {
  const { total, completed, failed } = batch.request_counts
  if (batch.status === 'failed') return `${batch.id} failed: nothing was run.\n`
  const undone = total - completed - failed
  const lines = [
    `${batch.id} ${batch.status}${time(batch)}: ${completed} of ${total} answered, ${failed} failed${undone > 0 ? `, ${undone} not run` : ''}.`,
    ...(batch.output_file_id ? [`Results: ${output}`] : []),
    ...(batch.error_file_id ? [`Errors: ${errors}`] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** What was wrong with the input; empty when nothing was. */
export function problems({ errors }: BatchObject): string {
  const all = errors?.data ?? []
  if (all.length === 0) return ''
  const lines = all.slice(0, maxErrors).map(({ line, message, param }) => {
    const where = [...(line == null ? [] : [`line ${line}`]), ...(param == null ? [] : [param])].join(', ')
    return `  ${where === '' ? '' : `${where}: `}${message}`
  })
  if (all.length > maxErrors) lines.push(`  and ${all.length - maxErrors} more`)
  return `The input is wrong:\n${lines.join('\n')}\n`
}

function time({ created_at, completed_at, expired_at, cancelled_at }: BatchObject): string {
  const end = completed_at ?? expired_at ?? cancelled_at
  return end == null ? '' : ` in ${duration(end - created_at)}`
}
