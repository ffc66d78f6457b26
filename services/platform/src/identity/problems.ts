// Everything identity can refuse, as data. Whoever speaks HTTP turns `detail` into an answer.
export type IdentityNoun =
  | 'organization'
  | 'user'
  | 'project'
  | 'project_member'
  | 'service_account'
  | 'api_key'
  | 'invite'

export type IdentityProblemDetail =
  // Who is calling
  | { kind: 'no_key' }
  | { kind: 'bad_key'; redacted: string }
  | { kind: 'mismatched_organization' }
  | { kind: 'mismatched_project' }
  | { kind: 'wrong_key_kind'; needed: 'project' | 'admin' }
  // What may be changed
  | { kind: 'not_found'; noun: IdentityNoun; id: string }
  | { kind: 'default_project'; action: 'rename' | 'archive' | 'remove_member' }
  | { kind: 'archived_project'; projectId: string }
  | { kind: 'not_organization_member'; userId: string }
  | { kind: 'already_member'; of: 'organization' | 'project'; member: string }
  | { kind: 'no_project_access'; userId: string; projectId: string }
  | { kind: 'owners_only'; userId: string }
  | { kind: 'last_owner'; userId: string }
  | { kind: 'service_account_key'; keyId: string }
  | { kind: 'invalid_name'; maxLength: number }
  | { kind: 'pending_invite'; email: string; inviteId: string }
  | { kind: 'accepted_invite'; inviteId: string }
  | { kind: 'invalid_invite' }

export class IdentityProblem extends Error {
  readonly detail: IdentityProblemDetail

  constructor(detail: IdentityProblemDetail, message: string) {
    super(message)
    this.name = 'IdentityProblem'
    this.detail = detail
  }
}

const nouns: Record<IdentityNoun, string> = {
  organization: 'organization',
  user: 'user',
  project: 'project',
  project_member: 'project user',
  service_account: 'service account',
  api_key: 'API key',
  invite: 'invite',
}

const defaultProjectWords = {
  rename: 'The Default project cannot be modified.',
  archive: 'The Default project cannot be archived.',
  remove_member: 'A user cannot be removed from the Default project while still in the organization.',
}

export const problems = {
  noKey: () => new IdentityProblem({ kind: 'no_key' }, 'No API key was given.'),
  badKey: (redacted: string) =>
    new IdentityProblem({ kind: 'bad_key', redacted }, `Incorrect API key provided: ${redacted}.`),
  mismatchedOrganization: () =>
    new IdentityProblem(
      { kind: 'mismatched_organization' },
      'The organization header should match an organization of the API key.',
    ),
  mismatchedProject: () =>
    new IdentityProblem({ kind: 'mismatched_project' }, 'The project header should match a project of the API key.'),
  wrongKeyKind: (needed: 'project' | 'admin') =>
    new IdentityProblem(
      { kind: 'wrong_key_kind', needed },
      needed === 'admin' ? 'This needs an admin key.' : 'An admin key only works for administration.',
    ),
  notFound: (noun: IdentityNoun, id: string) =>
    new IdentityProblem({ kind: 'not_found', noun, id }, `No ${nouns[noun]} found with id '${id}'.`),
  defaultProject: (action: keyof typeof defaultProjectWords) =>
    new IdentityProblem({ kind: 'default_project', action }, defaultProjectWords[action]),
  archivedProject: (projectId: string) =>
    new IdentityProblem(
      { kind: 'archived_project', projectId },
      `Project ${projectId} is archived and cannot be used or updated.`,
    ),
  notOrganizationMember: (userId: string) =>
    new IdentityProblem(
      { kind: 'not_organization_member', userId },
      `User ${userId} is not a member of the organization. Add the user to the organization first.`,
    ),
  alreadyMember: (of: 'organization' | 'project', member: string) =>
    new IdentityProblem({ kind: 'already_member', of, member }, `${member} is already a member of the ${of}.`),
  noProjectAccess: (userId: string, projectId: string) =>
    new IdentityProblem(
      { kind: 'no_project_access', userId, projectId },
      `User ${userId} may not use project ${projectId}. Add the user to the project first.`,
    ),
  ownersOnly: (userId: string) =>
    new IdentityProblem(
      { kind: 'owners_only', userId },
      `User ${userId} is not an owner of the organization, and only owners may hold admin keys.`,
    ),
  lastOwner: (userId: string) =>
    new IdentityProblem(
      { kind: 'last_owner', userId },
      `User ${userId} is the last owner of the organization. Make another user an owner first.`,
    ),
  serviceAccountKey: (keyId: string) =>
    new IdentityProblem(
      { kind: 'service_account_key', keyId },
      `API key ${keyId} belongs to a service account. Delete the service account to end it.`,
    ),
  invalidName: (maxLength: number) =>
    new IdentityProblem(
      { kind: 'invalid_name', maxLength },
      `A name has 1 to ${maxLength} characters and no control characters.`,
    ),
  pendingInvite: (email: string, inviteId: string) =>
    new IdentityProblem(
      { kind: 'pending_invite', email, inviteId },
      `${email} has a pending invite, ${inviteId}. Delete it first to send another.`,
    ),
  acceptedInvite: (inviteId: string) =>
    new IdentityProblem(
      { kind: 'accepted_invite', inviteId },
      `Invite ${inviteId} was accepted and cannot be deleted. Remove the user instead.`,
    ),
  invalidInvite: () =>
    new IdentityProblem(
      { kind: 'invalid_invite' },
      'This invite is not valid: it was used, deleted or has expired, or its token is incomplete. Ask for a new one.',
    ),
}
