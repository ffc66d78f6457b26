// Headers of every response, in the documents' spelling and in the one real clients read.
import type { RequestHead } from '@atoll/kernel/http/route'
import type { AdminCaller, ProjectCaller } from '../callers.ts'

const apiVersion = '2020-10-01' // INF-025

interface End {
  head: RequestHead
  caller: unknown
  elapsedMs: number
}

export function standardHeaders({ caller, elapsedMs }: End): Record<string, string> {
  const processing = String(Math.round(elapsedMs))
  const holder = caller as ProjectCaller | AdminCaller | null | undefined
  if (!holder) {
    return {
      'vendor-version': apiVersion,
      'openai-version': apiVersion,
      'vendor-processing-ms': processing,
      'openai-processing-ms': processing,
    }
  }
  return {
    'vendor-organization': holder.organizationId,
    'openai-organization': holder.organizationId,
    'vendor-version': apiVersion,
    'openai-version': apiVersion,
    'vendor-processing-ms': processing,
    'openai-processing-ms': processing,
  }
}
