// Errors of organization administration: what identity refuses to change, in the platform's words and codes.

import { answerIdentityProblem } from '../identity/problem-answer.ts'
import { IdentityProblem, type IdentityProblemDetail } from '../identity/problems.ts'
import { accessErrors, platformError } from './errors.ts'

/** Rejects with the answer for an administrator; other errors pass as they are. */
export function answerOrganizationProblem(error: unknown): never {
  if (!(error instanceof IdentityProblem)) throw error
  const { detail, message } = error
  if (detail.kind === 'not_found') throw platformError(404, { message })
  if (detail.kind === 'owners_only') throw accessErrors.ownerOnly('holding an admin key')
  const refusal = refusals[detail.kind]
  if (refusal === undefined) return answerIdentityProblem(error)
  throw platformError(400, { message, ...refusal })
}

const refusals: Partial<Record<IdentityProblemDetail['kind'], { code: string; param?: string }>> = {
  default_project: { code: 'default_project' }, // AST-224, AST-225, AST-233
  archived_project: { code: 'project_archived' }, // AST-220, AST-221, AST-232, AST-241
  not_organization_member: { code: 'not_organization_member', param: 'user_id' }, // AST-228
  already_member: { code: 'already_member' },
  last_owner: { code: 'last_owner' },
  service_account_key: { code: 'service_account_key' }, // AST-246
  invalid_name: { code: 'invalid_value', param: 'name' },
  pending_invite: { code: 'invite_pending', param: 'email' },
  accepted_invite: { code: 'invite_accepted' },
  invalid_invite: { code: 'invalid_invite', param: 'token' },
}
