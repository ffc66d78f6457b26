import type { StoredChatCompletion, StoredMessage } from '../../api/types.ts'
import { useList } from '../../api/use-list.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { completionsPath } from './paths.ts'

interface Props {
  completion: StoredChatCompletion
  project: string
  onClose(): void
}

/** What was asked and what was answered. */
export function CompletionDialog({ completion, project, onClose }: Props) {
  const { id, model, choices, metadata } = completion
  const list = useList<StoredMessage>({ path: `${completionsPath}/${id}/messages`, project })
  return (
    <Dialog title={`Completion of ${model}`} onClose={onClose}>
      {list.error && <Failure error={list.error} again={list.refetch} />}
      {!list.error && list.items === undefined && <Waiting what="messages" />}
      {list.items?.map((message) => (
        <article key={message.id} className={`message ${message.role === 'assistant' ? 'assistant' : 'user'}`}>
          <strong>{message.role}</strong>
          <p className="as-typed">{message.content ?? partsText(message)}</p>
        </article>
      ))}
      {list.hasNextPage && (
        <button type="button" className="small" onClick={() => list.fetchNextPage()}>
          Show more
        </button>
      )}
      {choices.map(({ index, message }) => (
        <article key={index} className="message assistant">
          <strong>Answer</strong>
          <Markdown text={message.content ?? ''} />
          {message.tool_calls && <CodeBlock language="calls" code={JSON.stringify(message.tool_calls, null, 2)} />}
        </article>
      ))}
      {Object.keys(metadata).length > 0 && <CodeBlock language="metadata" code={JSON.stringify(metadata, null, 2)} />}
    </Dialog>
  )
}

const partsText = ({ content_parts, tool_calls }: StoredMessage): string =>
  JSON.stringify(content_parts ?? tool_calls ?? '', null, 2)
