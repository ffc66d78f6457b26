import type { Boundary } from './boundary.ts'

export interface Proof {
  ids: readonly string[]
  show(boundary: Boundary): Promise<void>
}

export const proof = (ids: string, show: Proof['show']): Proof => ({ ids: ids === '' ? [] : ids.split(' '), show })
