// What an entry needs besides the change itself, remembered from the entries before: a guess that spares a question.
// The database holds it against the truth when the entry is written, so nothing here has to be forgotten in time.
import type { AuditHead } from '@atoll/kernel/audit/store'
import type { Change } from './change.ts'

export interface Surroundings {
  head: AuditHead | undefined
  /** Of the user who acts. */
  email: string | null
  projectName: string | null
}

export interface Place {
  organizationId: string
  userId: string | null
  projectId: string | null
}

const maxRemembered = 10_000

export class KnownSurroundings {
  readonly #heads = new Map<string, AuditHead>()
  readonly #emails = new Map<string, string>()
  readonly #projectNames = new Map<string, string>()

  guess({ organizationId, userId, projectId }: Place, change: Change): Surroundings | undefined {
    const head = this.#heads.get(organizationId)
    if (head === undefined) return undefined
    return {
      head,
      email: userId === null ? null : (this.#emails.get(userId) ?? null),
      projectName: projectId === null ? null : (newName(change) ?? this.#projectNames.get(projectId) ?? null),
    }
  }

  remember(place: Place, { email, projectName }: Surroundings, head: AuditHead): void {
    keep(this.#heads, place.organizationId, head)
    if (place.userId !== null && email !== null) keep(this.#emails, place.userId, email)
    if (place.projectId !== null && projectName !== null) keep(this.#projectNames, place.projectId, projectName)
  }
}

/** What the project is called after a change that names it. */
function newName({ type, details }: Change): string | undefined {
  const named = type === 'project.created' ? details.data : type === 'project.updated' ? details.changes_requested : {}
  return typeof named?.name === 'string' ? named.name : undefined
}

function keep<Value>(values: Map<string, Value>, key: string, value: Value): void {
  values.delete(key)
  values.set(key, value)
  if (values.size <= maxRemembered) return
  const [oldest] = values.keys()
  if (oldest !== undefined) values.delete(oldest)
}
