// Transforms of mappings: read and tried at the start, by content, then called in the sandbox (HOOK-010, HOOK-074).
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { HookRequest } from '../../ports.ts'
import { ActionOverride } from '../override.ts'
import { readModuleFile } from './module-file.ts'
import type { GuestRequest } from './protocol.ts'
import type { SandboxPool } from './sandbox-pool.ts'

export interface Transform {
  module: string
  exportName: string
  /** SHA-256 of the source. */
  digest: string
  code: string
}

/** The transform, or what it returned, is at fault. */
export class TransformProblem extends Error {
  override name = 'TransformProblem'
}

/** As if the request had come there: the gateway's real address is nobody's business. */
const origin = 'http://gateway.invalid'

export async function loadTransform(
  sandbox: SandboxPool,
  folder: string,
  wanted: { module: string; export?: string | undefined },
): Promise<Transform> {
  const file = await readModuleFile(folder, wanted.module)
  const exportNames = wanted.export === undefined ? ['default', 'transform'] : [wanted.export]
  const outcome = await sandbox.run({ kind: 'prepare', ...file, exportNames })
  if (outcome.kind !== 'prepared') {
    throw new TransformProblem(`${wanted.module} ${outcome.kind === 'problem' ? outcome.message : 'cannot be read'}`)
  }
  const { code, exportName } = outcome
  return { module: wanted.module, exportName, code, digest: createHash('sha256').update(file.source).digest('hex') }
}

/** Null: the request is to be skipped. */
export async function callTransform(
  sandbox: SandboxPool,
  { module, code, exportName }: Transform,
  request: HookRequest & { pathname: string },
): Promise<ActionOverride | null> {
  const input = JSON.stringify(guestRequest(request))
  const outcome = await sandbox.run({ kind: 'call', code, exportName, input }, `${module} ${exportName}`)
  if (outcome.kind === 'problem') throw new TransformProblem(`${module} ${outcome.message}`)
  if (outcome.kind !== 'result' || outcome.json === undefined) return {}
  const value: unknown = JSON.parse(outcome.json)
  if (value === null) return null
  const parsed = ActionOverride.safeParse(value)
  if (!parsed.success) throw new TransformProblem(`${module} returned ${issueText(parsed.error)}`)
  return parsed.data
}

function guestRequest({ payload, headers, path, query, pathname }: HookRequest & { pathname: string }): GuestRequest {
  const pairs = Object.entries(query)
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
  return { payload, headers, path, origin, pathname, search, query: pairs }
}

function issueText({ issues: [issue] }: z.ZodError): string {
  if (issue?.code === 'unrecognized_keys') return `unknown fields: ${issue.keys.slice(0, 10).join(', ').slice(0, 300)}`
  if (issue === undefined || issue.path.length === 0) return 'no object with fields of an action'
  return `a wrong ${issue.path.join('.')}: ${issue.message}`
}
