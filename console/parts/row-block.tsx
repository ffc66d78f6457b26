// Some rows of a long table. Out of sight they are only room of their height: a list of thousands of rows costs the page
// no more than what is seen of it.
import { type ReactNode, useEffect, useRef, useState } from 'react'

/** How far beyond the window rows are there already. */
const beyondPx = 1_000

interface Props<Item> {
  items: Item[]
  columns: { title: string; show(item: Item): ReactNode }[]
  idOf(item: Item): string
  /** Short tables are kept whole, so that the browser's own search finds all of their rows. */
  mayRest: boolean
}

export function RowBlock<Item>({ items, columns, idOf, mayRest }: Props<Item>) {
  const element = useRef<HTMLTableSectionElement>(null)
  const [restingPx, setRestingPx] = useState<number>()
  useEffect(() => {
    const body = element.current
    if (body === null || !mayRest) return setRestingPx(undefined)
    const observer = new IntersectionObserver(
      (changes) => {
        const { isIntersecting, boundingClientRect } = changes.at(-1) ?? {}
        // Whoever is in a row by the keyboard does not lose their place.
        const isNeeded = isIntersecting || body.contains(document.activeElement)
        setRestingPx(isNeeded ? undefined : boundingClientRect?.height)
      },
      { rootMargin: `${beyondPx}px 0px` },
    )
    observer.observe(body)
    return () => observer.disconnect()
  }, [mayRest])
  return (
    <tbody ref={element}>
      {restingPx === undefined ? (
        items.map((item) => (
          <tr key={idOf(item)}>
            {columns.map(({ title, show }) => (
              <td key={title}>{show(item)}</td>
            ))}
          </tr>
        ))
      ) : (
        <tr className="resting" style={{ height: restingPx }}>
          <td colSpan={columns.length} />
        </tr>
      )}
    </tbody>
  )
}
