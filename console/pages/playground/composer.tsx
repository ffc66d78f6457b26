import { type FormEvent, type KeyboardEvent, useState } from 'react'

interface Props {
  isAnswering: boolean
  send(text: string): void
  stop(): void
}

/** Enter sends, Shift and Enter begins a new line. */
export function Composer({ isAnswering, send, stop }: Props) {
  const [text, setText] = useState('')
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (text.trim() === '' || isAnswering) return
    send(text)
    setText('')
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form className="composer" onSubmit={submit}>
      <textarea
        aria-label="Your message"
        placeholder="Write a message. Enter sends it."
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKey}
      />
      {isAnswering ? (
        <button type="button" className="danger" onClick={stop}>
          Stop
        </button>
      ) : (
        <button type="submit" className="primary" disabled={text.trim() === ''}>
          Send
        </button>
      )}
    </form>
  )
}
