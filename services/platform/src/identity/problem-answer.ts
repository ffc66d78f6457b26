// What identity refuses, as the platform's HTTP errors.
import { accessErrors } from '../errors/errors.ts'
import { IdentityProblem } from './problems.ts'

/** Rejects with the answer for a caller; other errors pass as they are. */
export function answerIdentityProblem(error: unknown): never {
  if (!(error instanceof IdentityProblem)) throw error
  const { detail } = error
  switch (detail.kind) {
    case 'no_key':
      throw accessErrors.noKey()
    case 'bad_key':
      throw accessErrors.badKey(detail.redacted)
    case 'mismatched_organization':
      throw accessErrors.mismatchedOrganization()
    case 'mismatched_project':
      throw accessErrors.mismatchedProject()
    case 'wrong_key_kind':
      throw detail.needed === 'admin'
        ? accessErrors.ordinaryKeyOnAdminEndpoint()
        : accessErrors.adminKeyOnOrdinaryEndpoint()
    default:
      throw error
  }
}
