// Asks before something is done that cannot be undone.
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { Dialog } from './dialog.tsx'

interface Question {
  title: string
  /** What happens then. */
  text: string
  /** What the button says: a verb. */
  action: string
}

type Confirm = (question: Question) => Promise<boolean>

const Asking = createContext<Confirm>(async () => false)

export const useConfirm = (): Confirm => useContext(Asking)

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<Question & { answer: (isYes: boolean) => void }>()
  const confirm = useCallback<Confirm>((question) => new Promise((answer) => setOpen({ ...question, answer })), [])
  const end = (isYes: boolean) => {
    open?.answer(isYes)
    setOpen(undefined)
  }
  return (
    <Asking.Provider value={confirm}>
      {children}
      {open !== undefined && (
        <Dialog title={open.title} onClose={() => end(false)}>
          <p>{open.text}</p>
          <div className="dialog-actions">
            <button type="button" onClick={() => end(false)}>
              Cancel
            </button>
            <button type="button" className="danger" onClick={() => end(true)}>
              {open.action}
            </button>
          </div>
        </Dialog>
      )}
    </Asking.Provider>
  )
}
