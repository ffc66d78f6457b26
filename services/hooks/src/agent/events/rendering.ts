// System events as the model reads them, at the head of a prompt.
import { notice, wrap } from '../trust/wrapper.ts'
import type { EventRow } from './store.ts'

type Shown = Pick<EventRow, 'text' | 'source' | 'trust' | 'is_unsafe' | 'created_at'>

export const isWrapped = ({ trust, is_unsafe }: Pick<EventRow, 'trust' | 'is_unsafe'>): boolean =>
  trust === 'external' && is_unsafe === 0

export function renderEvents(events: readonly Shown[], marker: string): string {
  const lines = events.map((event) => renderEvent(event, marker))
  return [...(events.some(isWrapped) ? [notice(marker), ''] : []), ...lines].join('\n')
}

function renderEvent(event: Shown, marker: string): string {
  const head = `System: [${new Date(event.created_at).toISOString()}]`
  if (!isWrapped(event)) return `${head} ${indented(event.text)}`
  return `${head} an event from outside:\n${wrap({ source: event.source, content: event.text }, marker)}`
}

/** No line of a text may look like an event of its own. */
const indented = (text: string): string => text.replace(/\r\n|[\n\r\u2028\u2029\u0085]/g, '\n  ')
