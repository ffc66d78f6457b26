// Parts of a page, each with an address of its own: `?tab=images`.
import { useEffect, useRef } from 'react'
import { Link, useLocation, useSearch } from 'wouter'

interface Props<Key extends string> {
  label: string
  tabs: Readonly<Record<Key, string>>
  chosen: Key
  /** The name of the parameter. */
  name?: string
  /** What else stands in the address. */
  keep?: Record<string, string>
}

export function Tabs<Key extends string>({ label, tabs, chosen, name = 'tab', keep = {} }: Props<Key>) {
  const [location] = useLocation()
  const nav = useRef<HTMLElement>(null)
  // On a phone they scroll: the chosen one stays in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is chosen
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [chosen])
  return (
    <nav className="tabs" aria-label={label} ref={nav}>
      {(Object.keys(tabs) as Key[]).map((key) => (
        <Link
          key={key}
          href={`${location}?${new URLSearchParams({ ...keep, [name]: key })}`}
          aria-current={key === chosen ? 'true' : undefined}
        >
          {tabs[key]}
        </Link>
      ))}
    </nav>
  )
}

/** The one that the address names, or the first. */
export function useTab<Key extends string>(tabs: Readonly<Record<Key, string>>, name = 'tab'): Key {
  const asked = new URLSearchParams(useSearch()).get(name)
  const keys = Object.keys(tabs) as Key[]
  const first = keys[0]
  if (first === undefined) throw new Error('There are no tabs.')
  return keys.find((key) => key === asked) ?? first
}
