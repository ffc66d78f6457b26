// Ctrl-K: finds pages, guides, objects and operations by any of their words.
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { Dialog } from '../../parts/dialog.tsx'
import { useProject } from '../projects.tsx'
import { useSession } from '../session.ts'
import { type Found, guideResults, matching, objectResults, pageResults } from './results.ts'

const mostShown = 12

/** That the session may see; objects and operations come a moment after pages and guides. */
function useEverything(): { all: Found[]; isPending: boolean } {
  const { data: session } = useSession()
  const { project } = useProject()
  const { data = [], isPending } = useQuery({
    queryKey: ['search', project.id],
    queryFn: ({ signal }) => (session ? objectResults(session, project.id, signal) : []),
  })
  return { all: [...(session ? pageResults(session) : []), ...guideResults(), ...data], isPending }
}

export function SearchDialog({ onClose }: { onClose(): void }) {
  const [, go] = useLocation()
  const [question, setQuestion] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const { all, isPending } = useEverything()
  const shown = matching(all, question, mostShown)
  const open = ({ href, isOutside }: Found) => {
    onClose()
    if (isOutside === true) window.open(href, '_blank', 'noopener')
    else go(href)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((before) => Math.min(Math.max(before + step, 0), shown.length - 1))
    }
    const chosen = shown[at]
    if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault()
      open(chosen)
    }
  }
  return (
    <Dialog title="Find" onClose={onClose}>
      <input
        type="search"
        role="combobox"
        aria-label="Find pages, objects and docs"
        aria-expanded={shown.length > 0}
        aria-controls={id}
        aria-activedescendant={shown.length > 0 ? `${id}-${at}` : undefined}
        placeholder="A page, a name, an id, an operation"
        maxLength={256}
        autoFocus
        value={question}
        onChange={({ target }) => {
          setQuestion(target.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      <div role="listbox" id={id} aria-label="Found" className="found">
        {shown.map((found, index) => (
          <Option
            key={`${found.kind} ${found.title}`}
            id={`${id}-${index}`}
            found={found}
            isActive={index === at}
            open={() => open(found)}
          />
        ))}
      </div>
      {shown.length === 0 && (
        <p className="muted" role="status">
          {isPending ? 'Looking …' : 'Nothing is called so.'}
        </p>
      )}
    </Dialog>
  )
}

interface OptionProps {
  id: string
  found: Found
  isActive: boolean
  open(): void
}

const Option = ({ id, found: { title, kind }, isActive, open }: OptionProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard is in the field above
  // biome-ignore lint/a11y/useFocusableInteractive: the field names the active one
  <div role="option" id={id} aria-selected={isActive} onClick={open}>
    <span className="long">{title}</span> <span className="tag">{kind}</span>
  </div>
)
