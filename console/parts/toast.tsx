// Short notes in a corner, told to screen readers as well.
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

type Kind = 'good' | 'bad'
type Say = (text: string, kind?: Kind) => void

const shownMs = 6_000
const Saying = createContext<Say>(() => undefined)

export const useToast = (): Say => useContext(Saying)

interface Note {
  id: number
  text: string
  kind: Kind
}

let lastId = 0

export function ToastProvider({ children }: { children: ReactNode }) {
  const [notes, setNotes] = useState<Note[]>([])
  const drop = useCallback((id: number) => setNotes((all) => all.filter((note) => note.id !== id)), [])
  const say = useCallback<Say>(
    (text, kind = 'good') => {
      lastId += 1
      const id = lastId
      setNotes((all) => [...all.slice(-3), { id, text, kind }])
      setTimeout(drop, shownMs, id)
    },
    [drop],
  )
  return (
    <Saying.Provider value={say}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {notes.map(({ id, text, kind }) => (
          <p key={id} className={`toast ${kind}`}>
            <span>{text}</span>
            <button type="button" className="quiet small" onClick={() => drop(id)}>
              Close
            </button>
          </p>
        ))}
      </div>
    </Saying.Provider>
  )
}
