// What values may be copied from: all that was said and given, not what the model said itself.
import type { ChatMessage } from '../../../chat.ts'

/** More is not looked at: the end, where the question and the newest results stand. */
const maxLetters = 32_768

export const sourceText = (messages: readonly ChatMessage[]): string =>
  messages
    .flatMap(({ role, content }) => (role === 'assistant' ? [] : textsOf(content)))
    .join('\n')
    .slice(-maxLetters)

function textsOf(content: ChatMessage['content']): string[] {
  if (content === null || content === undefined) return []
  if (typeof content === 'string') return [content]
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}
