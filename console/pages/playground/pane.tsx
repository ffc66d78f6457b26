import { useEffect, useRef } from 'react'
import { chatExample } from '../../api/curl.ts'
import { Empty } from '../../parts/empty.tsx'
import { MessageView } from './message-view.tsx'
import { ToolResults } from './tool-results.tsx'
import type { Turn } from './turn.ts'
import type { Conversation } from './use-conversation.ts'

interface Props {
  name: string
  models: string[]
  model: string
  choose(model: string): void
  conversation: Conversation
  answerCalls(results: Omit<Turn, 'id'>[]): void
}

const nearEnd = 80

export function Pane({ name, models, model, choose, conversation: { turns, isAnswering }, answerCalls }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what the turns add
  useEffect(() => {
    const element = scroller.current
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [turns])
  const last = turns.at(-1)
  const calls = !isAnswering && last?.role === 'assistant' ? last.toolCalls : undefined
  return (
    <section className="pane" aria-label={name}>
      <label className="pane-model">
        <span>Model</span>
        <select value={model} onChange={(event) => choose(event.target.value)}>
          {models.map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      <div
        className="turns"
        ref={scroller}
        role="log"
        aria-label={`Conversation with ${model}`}
        aria-busy={isAnswering}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEnd
        }}
      >
        {turns.length === 0 && (
          <Empty
            title="Nothing was said yet. Write a message below, or ask from a program:"
            code={chatExample(model)}
          />
        )}
        {turns.map((turn) => (
          <MessageView key={turn.id} turn={turn} />
        ))}
        {calls !== undefined && <ToolResults key={last?.id} calls={calls} send={answerCalls} />}
      </div>
    </section>
  )
}
