import { lazy, Suspense, useEffect, useState } from 'react'
import { Icon } from '../../parts/icon.tsx'

const SearchDialog = lazy(async () => ({ default: (await import('./search-dialog.tsx')).SearchDialog }))

/** Opened by Ctrl-K (on a Mac, Command-K) from anywhere. */
export function SearchButton() {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setIsOpen(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button type="button" className="find" onClick={() => setIsOpen(true)} aria-keyshortcuts="Control+K">
        <Icon name="search" /> Find <kbd>Ctrl K</kbd>
      </button>
      {isOpen && (
        <Suspense>
          <SearchDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
