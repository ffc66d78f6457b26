// Who makes a change, as the audit log tells it.

export interface Origin {
  /** The network address the request came from; null: from this machine's own command line. */
  address: string | null
  userAgent: string | null
}

export type Actor =
  | ({ type: 'api_key'; keyId: string; owner: { type: 'user'; userId: string } } & Origin)
  | ({ type: 'api_key'; keyId: string; owner: { type: 'service_account'; serviceAccountId: string } } & Origin)
  /** Null: somebody who could not say who they are. */
  | ({ type: 'session'; userId: string | null } & Origin)
  /** Atoll itself: the first start, an invite that ran out. */
  | { type: 'system' }
