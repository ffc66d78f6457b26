// Tries a mapping on a request that nobody sent: nothing is kept, nothing is run.

import type { Action } from '../../actions.ts'
import { renderEvents } from '../../agent/events/rendering.ts'
import { newMarker } from '../../agent/trust/wrapper.ts'
import type { Mapping } from '../../mappings/mapping.ts'
import { ActionProblem, MappingProblem } from '../../ports.ts'
import type { AdminParts } from '../parts.ts'
import type { TestRequest, TestResult } from './schema.ts'

type Parts = Pick<AdminParts, 'kernel' | 'mappings' | 'agent'>

const trimSlashes = (path: string): string => path.replace(/^\/+|\/+$/g, '')

export async function dryRun(parts: Parts, mapping: Mapping, request: TestRequest): Promise<TestResult> {
  const { payload, headers, query } = request
  const path = trimSlashes(request.path ?? mapping.match?.path ?? mapping.id)
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const found = parts.mappings.find({ path, payload, headers: lowered })?.id ?? null
  try {
    const { action, answer } = await parts.mappings.resolve(mapping.id, { path, payload, headers: lowered, query })
    const answered = answer === undefined ? {} : { answer: { ...answer } }
    if (action === null) return { outcome: 'skipped', status: answer?.status ?? 204, found, ...answered }
    if (action.kind === 'agent') parts.agent.check(action)
    const status = answer?.status ?? (action.kind === 'wake' ? 200 : 202)
    const shown = { action: { ...action }, preview: preview(parts, action, mapping.id) }
    return { outcome: 'action', status, found, ...shown, ...answered }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const isSenders = error instanceof MappingProblem || error instanceof ActionProblem
    return { outcome: isSenders ? 'refused' : 'failed', status: isSenders ? 400 : 500, found, error: message }
  }
}

function preview({ kernel: { clock, ids }, agent }: Parts, action: Action, mapping: string): string {
  const isUnsafe = action.allowUnsafeExternalContent === true
  if (action.kind === 'agent') return agent.preview(action, mapping, isUnsafe)
  const event = { text: action.text, source: `mapping:${mapping}`, trust: 'external' as const }
  return renderEvents([{ ...event, is_unsafe: isUnsafe ? 1 : 0, created_at: clock.now() }], newMarker(ids.hex()))
}
