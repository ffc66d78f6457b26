// What a kind of channel can do, and how it says that something did not work.
import type { ChannelKind } from '../actions.ts'

export interface Part {
  to: string
  text: string
  /** The same whenever this part is sent again. */
  id: string
}

export interface Channel {
  kind: ChannelKind
  /** Whether the receiving side can tell by the id that it has a part already. */
  deduplicates: boolean
  /** What is wrong with a recipient; undefined: nothing. */
  problemOf(to: string): string | undefined
  /** A text in as many messages as it takes. */
  split(text: string): string[]
  /** Resolves when the other side has it. Throws NotSent. */
  send(part: Part, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

interface Circumstances {
  /** It will not work later either. */
  forGood?: boolean
  /** The other side asks to be left alone for so long. */
  retryAfterMs?: number
  /** It may have arrived nevertheless. */
  uncertain?: boolean
  cause?: unknown
}

export class NotSent extends Error {
  readonly forGood: boolean
  readonly retryAfterMs: number | undefined
  readonly uncertain: boolean

  constructor(message: string, { forGood = false, retryAfterMs, uncertain = false, cause }: Circumstances = {}) {
    super(message, { cause })
    this.name = 'NotSent'
    this.forGood = forGood
    this.retryAfterMs = retryAfterMs
    this.uncertain = uncertain
  }
}
