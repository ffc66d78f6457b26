import { type FormEvent, useState } from 'react'
import type { ToolCall, Turn } from './turn.ts'

/** The model has called functions: the person says what they return. */
export function ToolResults({ calls, send }: { calls: ToolCall[]; send(results: Omit<Turn, 'id'>[]): void }) {
  const [results, setResults] = useState<Record<string, string>>({})
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send(calls.map(({ id }) => ({ role: 'tool', content: results[id] ?? '', toolCallId: id })))
  }
  return (
    <form className="tool-results card" onSubmit={submit}>
      {calls.map(({ id, function: { name } }) => (
        <label key={id} className="field">
          <span>What {name} returns</span>
          <input
            className="mono"
            value={results[id] ?? ''}
            placeholder='{"ok": true}'
            onChange={(event) => setResults({ ...results, [id]: event.target.value })}
          />
        </label>
      ))}
      <button type="submit">Send the results</button>
    </form>
  )
}
