import { memo } from 'react'
import { Markdown } from '../../markdown/markdown.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { TokenColours } from './token-colours.tsx'
import type { Figures, Turn } from './turn.ts'

const names = { user: 'You', assistant: 'Model', tool: 'Tool' }

export const MessageView = memo(({ turn }: { turn: Turn }) => (
  <article className={`message ${turn.role}`}>
    <div className="message-head">
      <strong>{names[turn.role]}</strong>
      {turn.state !== 'streaming' && turn.content !== '' && <CopyButton text={turn.content} />}
    </div>
    <Content turn={turn} />
    {turn.toolCalls?.map(({ id, function: call }) => (
      <CodeBlock key={id} language={`calls ${call.name}`} code={pretty(call.arguments)} />
    ))}
    {turn.state === 'stopped' && <p className="muted">Stopped.</p>}
    {turn.problem !== undefined && (
      <p className="wrong" role="alert">
        {turn.problem}
      </p>
    )}
    {turn.figures !== undefined && <p className="note muted">{noteOf(turn.figures)}</p>}
  </article>
))

function Content({ turn: { role, content, tokens, state } }: { turn: Turn }) {
  if (tokens !== undefined) return <TokenColours tokens={tokens} />
  if (content === '' && state === 'streaming') return <p className="muted">Thinking …</p>
  return role === 'assistant' ? (
    <Markdown text={content} isGrowing={state === 'streaming'} />
  ) : (
    <p className="as-typed">{content}</p>
  )
}

function noteOf({ promptTokens, tokens, firstMs, perSecond }: Figures): string {
  const speed = perSecond > 0 ? ` · ${perSecond.toFixed(0)} tokens/s` : ''
  return `${promptTokens} + ${tokens} tokens · first after ${Math.round(firstMs)} ms${speed}`
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json // it may still be coming
  }
}
