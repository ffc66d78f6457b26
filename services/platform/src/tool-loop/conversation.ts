// What the model is given to read, in the parts that are cut differently when there is no room for all.
import type { ChatMessage } from '@atoll/models/chat'

export interface OwnMessage {
  message: ChatMessage
  /** The result of one of our tools: what stands last in it matters least. */
  canShrink: boolean
  /** What a search of our own found before the model was asked: it is read before the question, not after it. */
  isContext?: boolean
}

/** Of `thread` the oldest go first when there is no room; `own` is what the work has said and done itself. */
export interface Conversation {
  instructions: string
  thread: ChatMessage[]
  own: OwnMessage[]
}
