// Making a key inside a transaction: the only place where a secret is at hand.
import type { Tx } from '@atoll/kernel/db/database'
import { type Making, newObject } from '@atoll/kernel/ids/new-object'
import { checkedName } from '../names.ts'
import { digestOf, newSecret, redact } from './secret.ts'
import { insertKey } from './store.ts'

export type KeyHolder =
  | { kind: 'project'; organizationId: string; projectId: string; userId: string }
  | { kind: 'user'; userId: string }
  | { kind: 'service_account'; organizationId: string; projectId: string; serviceAccountId: string }
  | { kind: 'admin'; organizationId: string; userId: string }

export interface IssuedKey {
  id: string
  name: string
  redactedValue: string
  createdAt: number
  /** Shown this once; nothing keeps it. */
  secret: string
}

/** `adopted` is a secret the operator brought along; otherwise a new one is drawn. */
export async function issueKey(
  tx: Tx,
  making: Making,
  holder: KeyHolder,
  name: string,
  adopted?: string,
): Promise<IssuedKey> {
  const object = newObject(making, 'key_')
  const secret = adopted ?? newSecret(making.ids, holder.kind)
  const row = {
    ...object,
    kind: holder.kind,
    organization_id: 'organizationId' in holder ? holder.organizationId : null,
    project_id: 'projectId' in holder ? holder.projectId : null,
    user_id: 'userId' in holder ? holder.userId : null,
    service_account_id: 'serviceAccountId' in holder ? holder.serviceAccountId : null,
    name: checkedName(name),
    digest: digestOf(secret),
    hint: redact(secret),
    last_used_at: null,
  }
  await insertKey(tx, row)
  return { id: row.id, name: row.name, redactedValue: row.hint, createdAt: row.created_at, secret }
}
