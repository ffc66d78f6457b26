// What the audit log tells of a new key: which one, and how far it reaches.
import type { KeyKind } from './secret.ts'

export const createdKey = (id: string, kind: Exclude<KeyKind, 'service_account'>) => ({
  id,
  data: { scopes: [kind === 'admin' ? 'api.management.all' : 'api.all'] },
})
