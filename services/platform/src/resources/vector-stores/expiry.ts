import type { VectorStoreRow } from './store.ts'

/** From that second on, also before anyone has come to mark it and to remove its contents. */
export const isExpired = ({ expired, expires_at }: Pick<VectorStoreRow, 'expired' | 'expires_at'>, now: number) =>
  expired === 1 || (expires_at !== null && expires_at <= now)
