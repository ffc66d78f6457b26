import { type ReactNode, useEffect, useId, useRef } from 'react'

/** The browser's own: it keeps the keyboard inside, and Escape closes it. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    if (dialog !== null && !dialog.open) dialog.showModal()
  }, [])
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <div className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="quiet small" onClick={() => element.current?.close()}>
          Close
        </button>
      </div>
      {children}
    </dialog>
  )
}
