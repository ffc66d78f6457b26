// What ./atoll keys knows of a secret, and what it asks for: plain JSON, since a running Atoll is asked over a socket.

export type KeyKind = 'project' | 'admin' | 'service account' | 'hooks' | 'hooks-admin' | 'cluster'

export interface KeptKey {
  kind: KeyKind
  /** What `replace` and `delete` take. */
  id: string
  name: string
  /** Enough of it to tell it from others; empty where nothing of it is kept. */
  shown: string
  /** Of a key of a project. */
  project?: string
  created_at: number | null
  last_used_at: number | null
}

export interface NewKey {
  kind: 'project' | 'admin'
  /** Name or id; absent: the Default one. */
  project?: string
  name?: string
}

/** Seen this once. */
export interface MadeKey {
  kind: KeyKind
  id: string
  secret: string
  project?: string
}

export interface KeyKeeper {
  list(): Promise<KeptKey[]>
  create(asked: NewKey): Promise<MadeKey>
  /** The old one ends. */
  replace(id: string): Promise<MadeKey>
  remove(id: string): Promise<void>
}
